/** What libraries for HTTP send without being told to; of the codings that a client takes a server picks one. */
export const COMPRESSED = ['gzip, deflate, br', 'gzip'].map((codings) => ({
  headers: { 'Accept-Encoding': codings },
  deviation: `a client that takes ${codings}`,
}))
