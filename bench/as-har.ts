import type { Exchange } from '../engine/wire/exchange.ts'

/** Raw exchanges as entries of HAR 1.2, as a proxy between a client and a bank would write them. */
export function asHar(exchanges: readonly Exchange[]): string {
  const entries = exchanges.flatMap((exchange) => {
    const { request, response, startedAt, durationMs } = exchange
    if (!/^https?:/.test(request.url)) return []
    const pairs = (headers: [string, string][]) => headers.map(([name, value]) => ({ name, value }))
    return {
      startedDateTime: startedAt,
      time: durationMs,
      request: {
        method: request.method,
        url: request.url,
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: pairs(request.headers),
        queryString: [],
        ...(request.body !== undefined && {
          postData: { mimeType: '', text: request.body },
        }),
        headersSize: -1,
        bodySize: Buffer.byteLength(request.body ?? ''),
      },
      response: response
        ? {
            status: response.status,
            statusText: '',
            httpVersion: 'HTTP/1.1',
            cookies: [],
            headers: pairs(response.headers),
            content: { size: response.bytes, mimeType: '', text: wholeBody(response) },
            redirectURL: '',
            headersSize: -1,
            bodySize: response.bytes,
          }
        : { status: 0, headers: [], content: { size: 0 } },
      cache: {},
      timings: { send: 0, wait: durationMs, receive: 0 },
    }
  })
  return JSON.stringify({
    log: { version: '1.2', creator: { name: 'test', version: '1' }, entries },
  })
}

/** The whole body: of a large body, the exchange keeps only the beginning as text. */
export function wholeBody({ body, digest, json }: NonNullable<Exchange['response']>): string {
  return digest === undefined ? body : JSON.stringify(json)
}
