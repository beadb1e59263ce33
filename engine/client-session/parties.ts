/** Which of the target's TPP clients. */
export type ClientName = 'first' | 'second'

/** Which of the target's customers. */
export type CustomerName = 'first' | 'second'
