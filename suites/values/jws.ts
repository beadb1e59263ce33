import type { JwtDeviation } from '../../engine/suite-api/jwt.ts'
import { algorithmParts } from './jws-algorithms.ts'
import { audienceParts } from './jws-audience.ts'
import { claimParts } from './jws-claims.ts'
import { contentParts } from './jws-contents.ts'
import { encodingParts } from './jws-encoding.ts'
import { expiryParts } from './jws-expiry.ts'
import { formParts } from './jws-form.ts'
import { headerParts } from './jws-header.ts'
import { keyParts } from './jws-keys.ts'
import { kindParts } from './jws-kinds.ts'
import type { Jws } from './jws-rows.ts'
import { timeParts } from './jws-times.ts'
import type { ValueType } from './value-type.ts'

/**
 * Client assertions, request objects, registration JWTs and software statements; on the TPP's side, ID
 * tokens. `make` of a row returns undefined for kinds to which the row does not apply. A wrong software
 * statement is not signed by the directory or, if the row has only `sent`, is a genuine one that was changed.
 */
export const jws: ValueType<Jws, JwtDeviation> = {
  name: 'JWS',
  grammar:
    'RFC 7515 (header parameters of 4.1, serialisations of 7), RFC 7519 4.1 (claims), attacks of RFC 8725 2 and 3 and of FAPI 1.0 Advanced 8.6',
  parts: [
    ...algorithmParts,
    ...keyParts,
    ...headerParts,
    ...formParts,
    ...encodingParts,
    ...claimParts,
    ...audienceParts,
    ...expiryParts,
    ...timeParts,
    ...contentParts,
    ...kindParts,
    {
      part: 'weak symmetric keys (RFC 8725 2.2, 3.5)',
      none: 'No client of this interface has a symmetric key; HS256 stands with alg.',
    },
    {
      part: 'a claim in an injection or a request to elsewhere (RFC 8725 2.9, 3.10)',
      none: 'The kid rows of SQL and of a path stand with kid; addresses that a bank would fetch leave the machine.',
    },
  ],
}
