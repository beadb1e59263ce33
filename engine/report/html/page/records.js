// An index of all exchanges, and their records in chunks that are unpacked when needed.

// Texts stand there once; rows name their places.
const { words: texts, rows } = JSON.parse(
  document.getElementById('exchange-index')?.textContent ?? '{"words":[],"rows":[]}',
)
export const index = rows.map(
  ([id, atWhere, atMethod, atPath, status, ms, atCheck, atDeviation, failures, chunk]) => {
    const places = [atWhere, atMethod, atPath, atCheck, atDeviation]
    const [where, method, path, check, deviation] = places.map((place) => texts[place])
    const words = `${id} ${where} ${method} ${path} ${status} ${check} ${deviation}`
    const text = words.toLowerCase()
    return { id, where, method, path, status, ms, check, deviation, failures, chunk, text }
  },
)
const byId = new Map(index.map((row) => [row.id, row]))
const chunks = new Map()

/** The record of an exchange, once its chunk is unpacked; undefined when the page has none. */
export async function recordOf(id) {
  const row = byId.get(id)
  if (!row || row.chunk < 0) return undefined
  if (!chunks.has(row.chunk)) {
    if (chunks.size > 20) chunks.clear()
    chunks.set(row.chunk, unpacked(document.getElementById(`chunk-${row.chunk}`).textContent))
  }
  return (await chunks.get(row.chunk)).get(id)
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const records = JSON.parse(await new Response(stream).text())
  return new Map(records.map((record) => [record.id, record]))
}
