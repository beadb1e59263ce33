/** What a command was given is not what it needs: whoever typed it can mend it. */
export class InputError extends Error {}
