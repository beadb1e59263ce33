/** Percent-encoding (RFC 3986 section 2.1) of texts from anywhere: neither direction ever throws. */

/** A lone surrogate, which UTF-8 cannot express. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** As a segment of a path or a value of a query; what UTF-8 cannot express becomes U+FFFD. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(LONE, '\ufffd'))
}

/** As a whole reference to a place, whose reserved characters stay. */
export function referenceEncoded(text: string): string {
  return encodeURI(text.replace(LONE, '\ufffd'))
}

/** What an encoded text says; itself where it is no encoding of anything. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What a name or value of application/x-www-form-urlencoded says; itself where it is no encoding of anything. */
export function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
