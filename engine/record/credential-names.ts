/** Parts of names whose values are credentials. "author" and "authority" only begin like one of them. */
const CREDENTIAL =
  /auth(?!or(?!i[sz]ation))|key|secret|token|password|passwd|passphrase|credential|cookie|assertion|session/i

/** Headers that a server needs to see, and whoever reads a report: no credential, though their names sound like one. */
const HARMLESS =
  /^(?:(?:www|proxy)-authenticate|(?:proxy-)?authentication-info|access-control-.*|x-fapi-auth-date|x-idempotency-key|surrogate-key|sec-websocket-(?:key|accept))$/i

/** True if the value of a header or parameter with this name is to be kept out of all that is written. */
export function namesCredential(name: string): boolean {
  return CREDENTIAL.test(name) && !HARMLESS.test(name)
}
