/** What a command was given is not what it needs: whoever typed it can fix it. */
export class InputError extends Error {}
