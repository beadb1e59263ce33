/**
 * oidc-provider without what it prints: it warns at import of a runtime older than Node 22, on
 * which all that this bank uses works, as its tests show.
 */
const warn = console.warn
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...words)
}
const library = await import('oidc-provider').finally(() => {
  console.warn = warn
})

export const { Provider, errors, interactionPolicy } = library
