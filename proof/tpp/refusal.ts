/** Why the TPP does not continue, or cannot. */
export class Refusal extends Error {}
