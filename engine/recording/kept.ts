/** Maximum number of entries in each memory of a recording: the ones that were written last. */
const MOST = 50_000

/** Writes an entry to a memory of limited size. */
export function kept<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key)
  memory.set(key, value)
  if (memory.size > MOST) memory.delete(memory.keys().next().value as string)
}
