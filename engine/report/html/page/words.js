/** What somebody typed into a search field, word by word. */
export const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean)
