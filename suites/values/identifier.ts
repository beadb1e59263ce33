import { type Invalid, nearParts, type Others, otherParts, pathParts } from './identifier-parts.ts'
import { segmentOf } from './identifier-paths.ts'
import type { Value, ValueType } from './value-type.ts'

/** A ConsentId of the client's own consent, and ids that it may be confused with. */
export type ConsentIds = {
  id: string
  ofOthers: {
    /** Another consent of this client, of the same kind. */
    own?: string
    /** A consent of another client. */
    anotherClient?: string
    /** A consent of this client, of the other kind. */
    otherKind?: string
    /** A consent of this client that it deleted. */
    deleted?: string
    /** An AccountId under an approval of this client. */
    account?: string
  }
}

/** An AccountId of a consent, and ids that it may be confused with. */
export type AccountIds = {
  id: string
  ofOthers: {
    /** Another account of the consent. */
    own?: string
    /** An account of another customer. */
    anotherCustomer?: string
    /** An account of the same customer that was not chosen for the consent. */
    notChosen?: string
    /** The ConsentId of the consent. */
    consent?: string
  }
}

const CONSENT: Invalid = {
  level: 'must',
  because: '“An invalid ConsentId, or one owned by another client, gives an error response.”',
}

const CONSENTS: Others = [
  ['anotherClient', 'of a consent of another client', CONSENT],
  ['otherKind', 'of a consent of the other kind', CONSENT],
  [
    'deleted',
    'of a consent that was deleted',
    { level: 'must', because: '“the TPP can no longer query it”; a second deletion is CLC-06’s' },
  ],
  ['account', 'that is an AccountId', CONSENT],
]

const OWN_CONSENT = {
  level: 'must' as const,
  because: '“Unique identifier; used to reference the consent in later requests.”',
}

const SEGMENT =
  'RFC 3986 section 3.3: segment = *pchar, with 2.1, 2.3 and 6.2.2; compared as the string that was given'

/** A ConsentId in a path, encoded as it is sent: in the query and the deletion of both kinds. */
export const consentIdInPath: ValueType<ConsentIds, string> = {
  name: 'ConsentId',
  grammar: SEGMENT,
  parts: [
    ...pathParts<ConsentIds>(CONSENT, OWN_CONSENT),
    ...nearParts<ConsentIds>(CONSENT, segmentOf),
    ...otherParts(
      CONSENTS,
      { ...OWN_CONSENT, words: 'of another consent of this client' },
      CONSENT,
      segmentOf,
    ),
  ],
}

const UNNAMED: Invalid = {
  level: 'should',
  because:
    '“| GET | /accounts/{AccountId} | Response 200: Data.Account array. |”: an id that names no account of the consent has none',
}

const ACCOUNTS: Others = [
  [
    'anotherCustomer',
    'of an account of another customer',
    {
      level: 'must',
      because: '“A customer must first have granted consent to each authorised TPP client.”',
    },
  ],
  [
    'notChosen',
    'of an account that was not chosen for the consent',
    {
      level: 'must',
      because: '“Bulk endpoints cover all accounts of the consent bound to the token.”',
    },
  ],
  ['consent', 'that is a ConsentId', UNNAMED],
]

const OWN_ACCOUNT = {
  level: 'must' as const,
  because:
    '“| GET | /accounts/{AccountId} | Response 200: Data.Account array. |”; “Unique and persistent for a given ConsentId.”',
}

/** An AccountId in a path, encoded as it is sent: at the three data endpoints of a single account. */
export const accountIdInPath: ValueType<AccountIds, string> = {
  name: 'AccountId',
  grammar: SEGMENT,
  parts: [
    ...pathParts<AccountIds>(UNNAMED, OWN_ACCOUNT),
    ...nearParts<AccountIds>(UNNAMED, segmentOf),
    ...otherParts(
      ACCOUNTS,
      { ...OWN_ACCOUNT, words: 'of another account of the consent' },
      UNNAMED,
      segmentOf,
    ),
  ],
}

const INTENT: Invalid = {
  level: 'must',
  because:
    '“A customer must first have granted consent to each authorised TPP client.” A wrong one fails where a token of it reads data (AMB-23).',
}

const asItIs = (text: string) => text

function shape(
  id: string,
  words: string,
  make: (id: string) => unknown,
): Value<ConsentIds, unknown> {
  const because = '“| ConsentId | string |”; the name and form of the claim are open (AMB-23)'
  return { id, words, level: 'observe', because, make: ({ id: right }) => make(right) }
}

/** A ConsentId in the request object, as the JSON value of the claim that names the consent. */
export const consentIdInClaim: ValueType<ConsentIds, unknown> = {
  name: 'intent ID',
  grammar: 'ConsentId: string, RFC 8259 sections 3 and 7, compared by code units (8.3)',
  parts: [
    {
      part: 'string: the id',
      rows: [
        {
          ...{ id: 'exact', words: 'as it was given', lawful: true, level: 'must' },
          because: '“by using the existing intent ID in a request to the authorisation endpoint”',
          make: ({ id }) => id,
        },
      ],
    },
    ...nearParts<ConsentIds>(INTENT, asItIs),
    ...otherParts(
      CONSENTS.map(([kind, words]): Others[number] => [
        kind,
        words,
        kind === 'deleted'
          ? { level: 'should', because: '“| any | TPP DELETE of the consent | … | (deleted) |”' }
          : INTENT,
      ]),
      { ...OWN_CONSENT, words: 'of another consent of this client' },
      INTENT,
      asItIs,
    ),
    {
      part: 'string: a JSON string',
      rows: [
        shape('in-array', 'in an array', (id) => [id]),
        shape('in-object', 'in an object', (id) => ({ ConsentId: id })),
      ],
    },
    {
      part: 'no consent',
      rows: [
        ['null', 'that is null', null],
        ['true', 'that is true', true],
        ['number', 'that is a number', 0],
        ['empty', 'that is empty', ''],
        ['empty-array', 'that is an empty array', []],
        ['empty-object', 'that is an empty object', {}],
      ].map(([id, words, made]) => ({
        ...{ id: id as string, words: words as string, ...INTENT },
        make: () => made,
      })),
    },
  ],
}
