import { make } from './elements.js'
import { jsonLines, nearest } from './json-lines.js'

const AROUND = 14

/**
 * Elements that show a body, the place that is spoken of marked.
 *
 * @param cut did the recorder keep only its beginning?
 */
export function body(text, place, cut) {
  const lines = jsonLines(text) ?? text.split('\n').map((line) => ({ text: line }))
  const found = place === undefined ? undefined : nearest(lines, place)
  const within = ({ pointer, end }) =>
    found !== undefined &&
    (pointer === found ? found === place || !end : pointer?.startsWith(`${place}/`))
  const start = Math.max(0, lines.findIndex(within))
  const whole = lines.length <= 4 * AROUND
  const from = whole ? 0 : Math.max(0, start - AROUND)
  const to = whole ? lines.length : Math.min(lines.length, start + 2 * AROUND)
  const pre = make('pre', { tabindex: 0 })
  const line = (each) => make('span', { class: within(each) ? 'line mark' : 'line' }, each.text)
  const draw = (shown) => pre.replaceChildren(...shown.map(line))
  draw(lines.slice(from, to))
  const parts = [pre]
  if (found !== place) {
    const note = cut
      ? `The place ${place} is not in what the recorder kept of this body; expected and actual say what stood there.`
      : found === undefined
        ? `The place ${place} is not in this body.`
        : `Nothing stands at ${place}; marked is what should hold it.`
    parts.unshift(make('p', { class: 'said' }, note))
  }
  if (to - from < lines.length) {
    const click = (event) => {
      draw(lines)
      event.target.remove()
    }
    const words = `Show all ${lines.length} lines (lines ${from + 1} to ${to} are shown)`
    parts.push(make('button', { type: 'button', click }, words))
  }
  return parts
}
