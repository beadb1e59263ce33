import { visible } from './escape.ts'
import type { ExchangeRecord } from './report.ts'
import { type RequestTemplate, type Token, templateOf, tokensText } from './request-template.ts'

/** Maximum length of a body that is written into a command. */
const MAX_BODY = 8 * 1024

/**
 * The request as a curl command. Secrets, signatures and the client certificate are shell variables (`$ACCESS_TOKEN`,
 * `$CERT`): the record doesn't contain them, and each TPP has its own.
 */
export function curl(exchange: ExchangeRecord): string {
  const template = templateOf(exchange)
  const { method, url, headers, identity } = template
  const globs = /[[\]{}]/.test(exchange.request.url) ? ' --globoff' : ''
  const words = [`curl -i${method === 'GET' ? '' : ` -X ${word([method])}`}${globs} ${word(url)}`]
  if (identity !== undefined) {
    words.push(`--cert "$${identity}_CERT" --key "$${identity}_KEY" --cacert "$BANK_CA"`)
  }
  for (const [name, value] of headers) words.push(`-H ${word([`${name}: `, ...value])}`)
  words.push(...bodyArguments(template, exchange.request.body?.length ?? 0))
  return words.join(' \\\n  ')
}

function bodyArguments({ form, body }: RequestTemplate, length: number): string[] {
  const isVariable = body.length === 1 && typeof body[0] === 'object'
  if (length > MAX_BODY && !isVariable) {
    return [`--data-binary @body   # ${length} characters, see the exchange`]
  }
  if (!form) return body.length > 0 ? [`--data-binary ${word(body)}`] : []
  return form.map(([name, value]) => {
    const secret = value.some((token) => typeof token === 'object')
    return `${secret ? '--data-urlencode' : '--data'} ${word([`${name}=`, ...value])}`
  })
}

/** Characters that a shell interprets between double quotes. */
const OBEYED = /["$`\\!]/

/** One word for a POSIX shell; invisible characters are spelled out, which changes them. */
function word(tokens: readonly Token[]): string {
  const shown = tokens.map((token) => (typeof token === 'string' ? visible(token) : token))
  const own = shown.filter((token) => typeof token === 'string').join('')
  const last = shown.at(-1)
  const variables = shown.length - shown.filter((token) => typeof token === 'string').length
  if (variables === 1 && typeof last === 'object' && !OBEYED.test(own) && !/^https?:/.test(own)) {
    return `"${tokensText(shown, (variable) => `$${variable}`)}"`
  }
  if (variables === 0) return literal(own) || "''"
  return shown
    .map((token) => (typeof token === 'string' ? literal(token) : `"$${token.variable}"`))
    .join('')
}

function literal(text: string): string {
  if (text === '') return ''
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
