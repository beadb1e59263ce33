import { beyondAscii, type Of, printable, type Row, type Seed } from './returned-text-rows.ts'
import type { ValueType } from './value-type.ts'

/** state: a parameter of the authorisation request, and of its answer in the fragment or the query of a URL. */
const STATE: Of = {
  level: 'must',
  unusual: 'should',
  because:
    '“Client state, returned as defined in OIDC Core.”; RFC 6749 4.1.2 and 4.1.2.1: “The exact value received from the client”, A.5: state = 1*VSCHAR',
}

/** nonce: a claim of the request object and of ID tokens, in JSON. */
const NONCE: Of = {
  level: 'should',
  unusual: 'should',
  because:
    'OIDC Core 3.3.2.1: “The value is passed through unmodified”, 2: “The nonce value is a case sensitive string”',
}

/** state: printable ASCII, in URLs. Values outside its grammar are the client's error; a bank need not refuse them. */
export const returnedState: ValueType<Seed, string> = {
  name: 'state',
  grammar: 'RFC 6749 A.5: state = 1*VSCHAR, VSCHAR = %x20-7E, compared as 4.1.2 says',
  parts: [
    ...printable(STATE),
    {
      part: 'not VSCHAR',
      rows: (
        [
          ['tab', 'with a tab', (seed) => `${seed}\t${seed}`],
          ['newline', 'with a line feed', (seed) => `${seed}\n${seed}`],
          [
            'header-behind',
            'with a line break and a header',
            (seed) => `${seed}\r\nx-more: ${seed}`,
          ],
          ['nul', 'with a NUL', (seed) => `${seed}\0${seed}`],
          ['delete', 'with the character DEL', (seed) => `${seed}\u007f`],
          ['not-ascii', 'with a letter outside ASCII', (seed) => `${seed}\u00e9`],
        ] satisfies Row[]
      ).map(([id, words, make]) => ({
        id,
        words,
        level: 'observe' as const,
        because: 'RFC 6749 A.5: state = 1*VSCHAR, which no clause has a server enforce',
        make: ({ seed }: Seed) => make(seed),
      })),
    },
    {
      part: '1*VSCHAR: no character',
      none: 'An empty parameter is as good as none (RFC 6749 3.1), and a request without state is another check’s.',
    },
  ],
}

/** nonce: any text, in JSON. */
export const returnedNonce: ValueType<Seed, string> = {
  name: 'nonce',
  grammar: 'OIDC Core 2, 3.3.2.1 and 15.5.2: a case sensitive string; RFC 8259 7: string',
  parts: [
    ...printable(NONCE),
    ...beyondAscii(NONCE),
    {
      part: 'string: no character',
      rows: [
        {
          id: 'empty',
          words: 'that is empty',
          level: 'should',
          because:
            'OIDC Core 3.3.2.1: “REQUIRED if the Response Type of the request is code id_token”; RFC 6749 3.1: one without a value is as good as none',
          make: () => '',
        },
      ],
    },
  ],
}
