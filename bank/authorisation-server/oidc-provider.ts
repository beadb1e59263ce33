/**
 * Imports oidc-provider without its warning about a runtime older than Node 22. All that this bank uses of it works
 * there, as the tests show.
 */
const warn = console.warn
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...words)
}
const library = await import('oidc-provider').finally(() => {
  console.warn = warn
})

export const { Provider, errors, interactionPolicy } = library
