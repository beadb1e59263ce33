/** Percent-encoding (RFC 3986 section 2.1) of arbitrary text: neither direction ever throws. */

/** A lone surrogate, which UTF-8 cannot express. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Encodes a path segment or query value; what UTF-8 cannot express becomes U+FFFD. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(LONE, '\ufffd'))
}

/** Encodes a whole URI reference; its reserved characters stay. */
export function referenceEncoded(text: string): string {
  return encodeURI(text.replace(LONE, '\ufffd'))
}

/** Decodes a text; returns it unchanged if it is not a valid encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Decodes a name or value of application/x-www-form-urlencoded; returns it unchanged if it is not valid. */
export function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
