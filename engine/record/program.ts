/**
 * How a message spells a command, so that a reader can paste it: this works in a clone, in a folder that has the package,
 * and with an installation for all.
 */
export const ASSAY = 'npx assay'
