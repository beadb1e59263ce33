import { JWS_GROUPS } from './jws-groups.ts'
import type { JwsKind } from './jws-rows.ts'

/** Rows of the tables that no check sends in any run, and why. Rows that are only recorded are not listed. */
export interface Unasked {
  /** Names of the types. */
  types: readonly string[]
  /** Of JWTs: which of them. */
  kinds?: readonly JwsKind[]
  /** Patterns of the ids of rows. */
  rows: readonly RegExp[]
  because: string
}

const IDS = ['AccountId', 'ConsentId', 'intent ID']
const ENUMERATIONS = ['response_type', 'SchemeName', 'grant_type', 'client_assertion_type']
const DATES = ['date-time', 'filter date-time']

export const UNASKED: readonly Unasked[] = [
  {
    types: [...IDS, ...ENUMERATIONS, ...DATES, 'redirect URI', 'card ending'],
    rows: [/^(exact|own|first|second)$/],
    because: 'They are right: each control sends one.',
  },
  {
    types: ['scope'],
    rows: [/^(needed|all)(-reversed)?$/],
    because: 'They are right: correct token and authorisation requests send the registered tokens.',
  },
  {
    types: ['AccountId'],
    rows: [/^((first|all|hyphens)-encoded|small-digits)$/],
    because: 'CONS-33/percent-encoded sends these of a ConsentId.',
  },
  {
    types: DATES,
    rows: [/^(small-(t|z|letters)|fraction-(12|30))$/],
    because:
      'RFC 3339 5.6 lets a specification exclude small letters, and no bank keeps picoseconds.',
  },
  {
    types: ['intent ID'],
    rows: [/./],
    because:
      'Similar spellings name a consent of the same client. A bank that reads them gives nothing to others, and each costs a visit.',
  },
  {
    types: ['response_type'],
    rows: [/^(code|id-token|token|none|code-id-token-token)$/],
    because: 'AUTHZ-28/code and AUTHZ-28/others send them by name.',
  },
  {
    types: ['response_type'],
    rows: [/^words-in-other-order$/],
    because: 'Clients send what they registered, and a visit is dear.',
  },
  {
    types: ['set of permissions'],
    rows: [/^none$/],
    because: 'CONS-12/empty sends it.',
  },
  {
    types: ['SchemeName'],
    rows: [/^null$/],
    because: 'It may count as missing: FCC-02/missing-scheme sends it.',
  },
  {
    types: ['x-fapi-customer-ip-address'],
    rows: [/^(ipv4-private|name-in-capitals)$/],
    because: 'RATE-02/no-429-while-present and RATE-05/with-and-without send them.',
  },
  {
    types: ['JWS'],
    kinds: ['registration', 'software-statement'],
    rows: [JWS_GROUPS.malformed, JWS_GROUPS.critical],
    because:
      'A registration that is taken makes a client that nobody can remove. Client assertions have the same forms, and cost nothing.',
  },
  {
    types: ['JWS'],
    kinds: ['client-assertion'],
    rows: [/^(iss|sub|aud|exp|jti)-missing/],
    because: 'TOK-32/without-parties, TOK-32/without-expiry and TOK-32/without-jti send them.',
  },
  {
    types: ['JWS'],
    kinds: ['request-object'],
    rows: [/^(iss|client-id)-of-another-client/],
    because: 'AUTHZ-37/client-id and AUTHZ-37/issuer send them, for either client.',
  },
]
