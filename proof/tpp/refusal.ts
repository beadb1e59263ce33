/** The TPP would not go on, or could not: its reason. */
export class Refusal extends Error {}
