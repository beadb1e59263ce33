/**
 * How a message spells a command, so that a reader can paste it: this works in a clone, in a folder that has the package,
 * and with an installation for all.
 */
export const ASSAY = 'npx assay'

/** A word of a command line, in quotes where a shell would divide it or read more into it. */
export function word(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
