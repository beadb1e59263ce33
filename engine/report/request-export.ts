import { formDecoded } from '../record/percent.ts'
import { curl } from './curl.ts'
import { headline } from './queries.ts'
import type { ExchangeRecord } from './report.ts'
import { type RequestTemplate, type Token, templateOf, tokensText } from './request-template.ts'

/** A file for another program. */
export interface ExportedFile {
  name: string
  content: string
}

/** The recorded requests of a run, as files for another program; all secrets are variables, `{{ACCESS_TOKEN}}`. */
export const EXPORTS: Record<
  'curl' | 'har' | 'postman' | 'bruno',
  (of: { name: string; version: string }, exchanges: readonly ExchangeRecord[]) => ExportedFile[]
> = {
  curl: ({ name }, exchanges) => [
    { name: `${name}.sh`, content: `${exchanges.map(curl).join('\n\n')}\n` },
  ],
  har: ({ name, version }, exchanges) => [
    { name: `${name}.har`, content: json(har(version, exchanges)) },
  ],
  postman: ({ name }, exchanges) => [
    { name: `${name}.postman_collection.json`, content: json(collection(name, exchanges)) },
  ],
  bruno: ({ name }, exchanges) => [
    { name: 'bruno.json', content: json({ version: '1', name, type: 'collection' }) },
    ...exchanges.map((exchange, at) => ({
      name: `${exchange.id}.bru`,
      content: bru(exchange, at + 1),
    })),
  ],
}

export const FORMATS = Object.keys(EXPORTS) as (keyof typeof EXPORTS)[]

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const text = (tokens: readonly Token[]): string =>
  tokensText(tokens, (variable) => `{{${variable}}}`)

/** The body as sent, except for its secrets. */
function bodyText({ form, body }: RequestTemplate): string {
  return form ? form.map(([name, value]) => `${name}=${text(value)}`).join('&') : text(body)
}

const pairs = (list: readonly [string, string][]) => list.map(([name, value]) => ({ name, value }))

/** HTTP Archive 1.2. */
function har(version: string, exchanges: readonly ExchangeRecord[]): unknown {
  const entries = exchanges.map((exchange) => {
    const { response, startedAt, durationMs, request } = exchange
    const template = templateOf(exchange)
    const url = text(template.url)
    const mimeType = contentType(request.headers)
    const body = bodyText(template)
    const asked = {
      method: template.method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(template.headers.map(([name, value]) => [name, text(value)])),
      queryString: queryOf(url),
      headersSize: -1,
      bodySize: Buffer.byteLength(body),
      ...(body !== '' && { postData: { mimeType, text: body } }),
    }
    const answered = {
      status: response?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(response?.headers ?? []),
      content: {
        size: response?.bytes ?? 0,
        mimeType: contentType(response?.headers ?? []),
        text: response?.body ?? '',
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: response?.bytes ?? -1,
      ...(exchange.failure && { comment: exchange.failure.message }),
    }
    return {
      startedDateTime: startedAt,
      time: durationMs,
      request: asked,
      response: answered,
      cache: {},
      timings: { send: 0, wait: durationMs, receive: 0 },
      comment: exchange.id,
    }
  })
  return { log: { version: '1.2', creator: { name: 'Assay', version }, entries } }
}

function contentType(headers: readonly [string, string][]): string {
  return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
}

function queryOf(url: string): { name: string; value: string }[] {
  const question = url.indexOf('?')
  return question < 0 ? [] : pairs([...new URLSearchParams(url.slice(question + 1))])
}

/** A Postman collection, format 2.1, with empty variables. */
function collection(name: string, exchanges: readonly ExchangeRecord[]): unknown {
  const item = exchanges.map((exchange) => {
    const template = templateOf(exchange)
    const mode = template.form
      ? {
          mode: 'urlencoded',
          urlencoded: template.form.map(([key, value]) => ({
            key,
            value: formDecoded(text(value)),
          })),
        }
      : { mode: 'raw', raw: bodyText(template) }
    return {
      name: `${exchange.id} ${headline(exchange)}`,
      request: {
        method: template.method,
        header: template.headers.map(([key, value]) => ({ key, value: text(value) })),
        url: text(template.url),
        ...(bodyText(template) !== '' && { body: mode }),
        description: certificateWords(template),
      },
    }
  })
  const variables = new Set(exchanges.flatMap((exchange) => variablesOf(templateOf(exchange))))
  return {
    info: {
      name,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item,
    variable: [...variables].map((key) => ({ key, value: '' })),
  }
}

function certificateWords({ identity }: RequestTemplate): string {
  return identity === undefined
    ? 'Sent without a client certificate.'
    : `Sent with the client certificate ${identity}_CERT.`
}

function variablesOf({ url, headers, form = [], body }: RequestTemplate): string[] {
  const all = [url, body, ...headers.map(([, value]) => value), ...form.map(([, value]) => value)]
  return all.flat().flatMap((token) => (typeof token === 'string' ? [] : [token.variable]))
}

/** One request in Bruno's language. */
function bru(exchange: ExchangeRecord, seq: number): string {
  const template = templateOf(exchange)
  const method = template.method.toLowerCase()
  const body = bodyText(template)
  const kind = template.form ? 'formUrlEncoded' : body === '' ? 'none' : 'text'
  const block = (name: string, lines: readonly string[]) =>
    `${name} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`
  const parts = [
    block('meta', [`name: ${exchange.id} ${exchange.endpoint}`, 'type: http', `seq: ${seq}`]),
    block(method, [`url: ${text(template.url)}`, `body: ${kind}`, 'auth: none']),
    block(
      'headers',
      template.headers.map(([name, value]) => `${name}: ${text(value)}`),
    ),
    template.form
      ? block(
          'body:form-urlencoded',
          template.form.map(([name, value]) => `${name}: ${formDecoded(text(value))}`),
        )
      : body !== '' && block('body:text', body.split('\n')),
    block('docs', [certificateWords(template)]),
  ]
  return parts.filter((part) => part !== false).join('\n')
}
