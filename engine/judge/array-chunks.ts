/** Elements of a large array that are validated at once; bounds the cost of validating a wrong response. */
const CHUNK = 200

/** Yields copies of the instance; each holds one chunk of its first long array in place of the whole array. */
export function* chunks(
  instance: unknown,
): Generator<{ part: unknown; offset: number; path: string }> {
  const long = longArray(instance, '')
  if (!long) {
    yield { part: instance, offset: 0, path: '' }
    return
  }
  for (let offset = 0; offset < long.array.length; offset += CHUNK) {
    const slice = long.array.slice(offset, offset + CHUNK)
    yield {
      part: replaced(instance, long.path.split('/').slice(1), slice),
      offset,
      path: long.path,
    }
  }
}

function longArray(value: unknown, path: string): { array: unknown[]; path: string } | undefined {
  if (Array.isArray(value)) return value.length > CHUNK ? { array: value, path } : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    if (key.includes('/') || key.includes('~')) continue
    const found = longArray(member, `${path}/${key}`)
    if (found) return found
  }
  return undefined
}

function replaced(value: unknown, keys: string[], array: unknown[]): unknown {
  const [key, ...rest] = keys
  if (key === undefined) return array
  const object = value as Record<string, unknown>
  return { ...object, [key]: replaced(object[key], rest, array) }
}

/** Converts a pointer into a chunk to a pointer into the whole instance. */
export function placeIn(pointer: string, path: string, offset: number): string {
  if (offset === 0 || !pointer.startsWith(`${path}/`)) return pointer
  const [index, ...rest] = pointer.slice(path.length + 1).split('/')
  return [path, Number(index) + offset, ...rest].join('/')
}
