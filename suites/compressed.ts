/** Values that HTTP libraries send by default. A server picks one of the codings that a client accepts. */
export const COMPRESSED = ['gzip, deflate, br', 'gzip'].map((codings) => ({
  headers: { 'Accept-Encoding': codings },
  deviation: `a client that takes ${codings}`,
}))
