/** Over a new connection, which may lead to another node of the bank: that one may not know of an end. */
export const ELSEWHERE = { newConnection: true } as const
