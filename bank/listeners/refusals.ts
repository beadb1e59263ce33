/** Why the API listener refuses a request. Policies return a reason; `refusal` turns it into an answer. */
export type Reason =
  | 'certificate'
  | 'token-missing'
  | 'token-invalid'
  | 'token-other-client'
  | 'scope'
  | 'media-type'
  | 'not-acceptable'
  | 'malformed'
  | 'field-missing'
  | 'field-invalid'
  | 'field-unexpected'
  | 'date-invalid'
  | 'parameter-invalid'
  | 'permission-unsupported'
  | 'scheme-unsupported'
  | 'consent-unknown'
  | 'consent-other-client'
  | 'consent-not-authorised'
  | 'consent-expired'
  | 'reconfirmation-due'
  | 'permission-missing'
  | 'account-unknown'
  | 'account-foreign'
  | 'rate-limit'
  | 'not-found'
  | 'method'
  | 'internal'

export interface Refusal {
  status: number
  /** ErrorCode of the open banking error body. */
  code: string
  message: string
  /** `error` of the WWW-Authenticate header, RFC 6750 3.1. */
  challenge?: string
}

const table: Record<Reason, [status: number, code: string, message: string, challenge?: string]> = {
  certificate: [401, 'Header.Invalid', 'A valid transport certificate is needed.'],
  'token-missing': [401, 'Header.Missing', 'An access token is needed.'],
  'token-invalid': [401, 'Header.Invalid', 'The access token is not valid.', 'invalid_token'],
  'token-other-client': [
    401,
    'Header.Invalid',
    'The access token belongs to another transport certificate.',
    'invalid_token',
  ],
  scope: [
    403,
    'Header.Invalid',
    'The scope of the access token is too narrow.',
    'insufficient_scope',
  ],
  'media-type': [415, 'Header.Invalid', 'The Content-Type is not supported.'],
  'not-acceptable': [406, 'Header.Invalid', 'Only application/json can be answered.'],
  malformed: [400, 'Resource.InvalidFormat', 'The body is not a JSON object.'],
  'field-missing': [400, 'Field.Missing', 'A field is missing.'],
  'field-invalid': [400, 'Field.Invalid', 'A field has an invalid value.'],
  'field-unexpected': [400, 'Field.Unexpected', 'A field is not expected.'],
  'date-invalid': [400, 'Field.InvalidDate', 'A date-time is not valid.'],
  'parameter-invalid': [400, 'Field.InvalidDate', 'A parameter is not an RFC 3339 date-time.'],
  'permission-unsupported': [400, 'Field.Invalid', 'A permission is not supported.'],
  'scheme-unsupported': [400, 'Unsupported.AccountIdentifier', 'The scheme is not supported.'],
  'consent-unknown': [400, 'Resource.NotFound', 'There is no such consent.'],
  'consent-other-client': [
    403,
    'Resource.ConsentMismatch',
    'The client has no access to the consent.',
  ],
  'consent-not-authorised': [
    403,
    'Resource.InvalidConsentStatus',
    'The consent is not authorised.',
  ],
  'consent-expired': [
    401,
    'Resource.InvalidConsentStatus',
    'The consent has expired.',
    'invalid_token',
  ],
  'reconfirmation-due': [403, 'Reauthenticate', 'The customer must re-confirm the consent.'],
  'permission-missing': [403, 'Resource.ConsentMismatch', 'The consent lacks the permission.'],
  'account-unknown': [400, 'Resource.NotFound', 'There is no such account.'],
  'account-foreign': [403, 'Resource.ConsentMismatch', 'The account is not part of the consent.'],
  'rate-limit': [429, 'UnexpectedError', 'Too many requests without the customer.'],
  'not-found': [404, 'Resource.NotFound', 'There is no such resource.'],
  method: [405, 'Resource.NotFound', 'The method is not supported here.'],
  internal: [500, 'UnexpectedError', 'The request could not be completed.'],
}

/** The correct answer for a reason; the code is one of the open banking error codes. */
export function refusalOf(reason: Reason): Refusal {
  const [status, code, message, challenge] = table[reason]
  return { status, code: `UK.OBIE.${code}`, message, ...(challenge ? { challenge } : {}) }
}

/** Thrown by a route to refuse. `path` is the wrong field, `detail` explains more. */
export class Refused extends Error {
  readonly reason: Reason
  readonly path: string | undefined

  constructor(reason: Reason, detail?: string, path?: string) {
    super(detail ?? reason)
    this.reason = reason
    this.path = path
  }
}

/** Why the bank refused a request: its internal reason and a sentence. */
export interface SeenRefusal {
  reason: string
  detail: string
}
