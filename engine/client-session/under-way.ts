/** Who asks for what is under way already gets the same: of each key one is made at a time. */
export function oneAtATime<T>() {
  const underWay = new Map<string, Promise<T>>()
  return (key: string, make: () => Promise<T>): Promise<T> => {
    const known = underWay.get(key)
    if (known) return known
    const made = make().finally(() => underWay.delete(key))
    underWay.set(key, made)
    return made
  }
}
