/** The input of a command is wrong: the user who typed it can fix it. */
export class InputError extends Error {}
