import type { Value, ValueType } from './value-type.ts'

/** A correct request, and the content that it carries. */
export interface AnyRequest {
  content: 'json' | 'form' | 'none'
}

/** Headers in addition to those of the correct request, or another case for the names of all of them. */
export type AddedHeaders =
  | { headers: Record<string, string> }
  | { headerNames: (name: string) => string }

type Row = Value<AnyRequest, AddedHeaders>

const row = (id: string, words: string, because: string, headers: Record<string, string>): Row => ({
  ...{ id, words, lawful: true, level: 'should', because },
  make: () => ({ headers }),
})

const spelled = (
  id: string,
  words: string,
  headerNames: (name: string) => string,
): Value<AnyRequest, AddedHeaders> => ({
  ...{ id, words, lawful: true, level: 'should', because: NAMES },
  make: () => ({ headerNames }),
})

const NAMES =
  'RFC 9110 5.1: “Field names are case-insensitive”. Go writes their first letters as capitals, Node and what stands before HTTP/2 write small letters.'
const PREFERENCE =
  'RFC 9110 12.1: what a client prefers is a wish; a server may disregard it, and answers all the same.'
const CACHES =
  'RFC 9111 5.2.1 and 5.4: directives for caches on the way; they change nothing of what the origin answers.'
const PRODUCT =
  'RFC 9110 10.1.5: “A user agent SHOULD send a User-Agent header field in each request”.'
const UNKNOWN =
  'RFC 9110 5.1: “Other recipients SHOULD ignore unrecognized header and trailer fields.”'
const REPRESENTATION =
  'RFC 9110 8.3: Content-Type names the type of the content; a request without content has none to misread.'
const CHUNKS =
  'RFC 9112 7.1: “A recipient MUST be able to parse and decode the chunked transfer coding.” .NET sends JSON so.'
const ON_THE_WAY =
  'RFC 9110 7.6.3 and RFC 7239 4: what a proxy on the way adds says where a request came from, and asks for nothing.'
const COOKIE =
  'RFC 6265 4.2: a client gives back what a server had set, a balancer for example; no sentence of the document has cookies at these addresses.'

/** Headers that HTTP libraries, runtimes and proxies add to a request by default. */
export const clientHeader: ValueType<AnyRequest, AddedHeaders> = {
  name: 'request',
  grammar: 'RFC 9110 sections 7 to 12: fields of requests that a client may send with any of them',
  parts: [
    {
      part: 'field-name (5.1)',
      rows: [
        spelled('small-names', 'whose headers are named in lower case', (name) =>
          name.toLowerCase(),
        ),
        spelled('first-letters', 'whose headers are named as Go names them', (name) =>
          name.toLowerCase().replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase()),
        ),
        spelled('capital-names', 'whose headers are named in upper case', (name) =>
          name.toUpperCase(),
        ),
      ],
    },
    {
      part: 'what the library adds (10 and 12)',
      rows: [
        // A region by number, and a language in which I and i are two letters.
        row('language', 'with Accept-Language', PREFERENCE, {
          'Accept-Language': 'es-419,de;q=0.9,tr',
        }),
        row('charset', 'with Accept-Charset', PREFERENCE, { 'Accept-Charset': 'utf-8' }),
        row('no-cache', 'with Cache-Control and Pragma: no-cache', CACHES, {
          'Cache-Control': 'no-cache',
          Pragma: 'no-cache',
        }),
        row('no-store', 'with Cache-Control: no-store', CACHES, { 'Cache-Control': 'no-store' }),
        row('java', 'of Java', PRODUCT, { 'User-Agent': 'Java-http-client/21.0.2' }),
        row('python', 'of Python', PRODUCT, { 'User-Agent': 'python-requests/2.32.3' }),
        row('go', 'of Go', PRODUCT, { 'User-Agent': 'Go-http-client/1.1' }),
        row('curl', 'of curl', PRODUCT, { 'User-Agent': 'curl/8.7.1' }),
        row('comment', 'with a comment in its User-Agent', PRODUCT, {
          'User-Agent': 'Apache-HttpClient/5.3.1 (Java/17.0.11; "TPP")',
        }),
        row('fetch', 'with the headers of fetch', UNKNOWN, {
          'Sec-Fetch-Mode': 'cors',
          'Accept-Language': '*',
        }),
        row('cookie', 'with a cookie', COOKIE, { Cookie: 'route=1' }),
      ],
    },
    {
      part: 'what a framework or a proxy adds (7 and RFC 7239)',
      rows: [
        row('trace', 'with traceparent and tracestate', UNKNOWN, {
          traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
          tracestate: 'tpp=00f067aa0ba902b7',
        }),
        row('request-id', 'with X-Request-ID', UNKNOWN, {
          'X-Request-ID': '8e1f8a0c-5b7e-4c53-9c52-6f0f2a2d7a11',
        }),
        row('via', 'with Via', ON_THE_WAY, { Via: '1.1 proxy.tpp.example' }),
        row('forwarded-for', 'with X-Forwarded-For', ON_THE_WAY, {
          'X-Forwarded-For': '203.0.113.7',
        }),
        row('forwarded', 'with Forwarded', ON_THE_WAY, { Forwarded: 'for=203.0.113.7' }),
      ],
    },
    {
      part: 'Content-Type (8.3)',
      rows: [
        {
          ...row('typed', 'with Content-Type and no content', REPRESENTATION, {}),
          make: ({ content }) =>
            content === 'none' ? { headers: { 'Content-Type': 'application/json' } } : undefined,
        },
      ],
    },
    {
      part: 'Content-Encoding (8.4)',
      rows: [
        {
          id: 'not-compressed',
          words: 'with Content-Encoding: gzip before content that is not compressed',
          level: 'observe',
          because:
            'RFC 9110 8.4: a server “MAY respond … with a status code of 415” to a coding that it does not take.',
          make: ({ content }) =>
            content === 'none' ? undefined : { headers: { 'Content-Encoding': 'gzip' } },
        },
      ],
    },
    { part: 'Accept and Accept-Encoding', none: 'GEN-18 and GEN-21 ask them.' },
    {
      part: 'conditions and ranges (13 and 14)',
      none: 'They ask for another answer, 304 or 206, which a server may give.',
    },
    {
      part: 'connections (7.6.1 and 10.1)',
      none: 'Connection, TE and Expect belong to one connection, which the library keeps.',
    },
    {
      part: 'Transfer-Encoding (RFC 9112 6.1)',
      rows: [
        {
          ...row('chunked', 'whose body comes in chunks', CHUNKS, {}),
          make: ({ content }) =>
            content === 'none' ? undefined : { headers: { 'Transfer-Encoding': 'chunked' } },
        },
      ],
    },
  ],
}
