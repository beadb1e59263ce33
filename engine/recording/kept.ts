/** Entries that each memory of a recording keeps: those that were written last. */
const MOST = 50_000

/** Writes an entry into a memory that does not grow for ever. */
export function kept<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key)
  memory.set(key, value)
  if (memory.size > MOST) memory.delete(memory.keys().next().value as string)
}
