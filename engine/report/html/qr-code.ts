import { encode } from 'uqr'
import { type Markup, markup } from './markup.ts'

/** Light modules around a QR code (ISO/IEC 18004, 9.1). */
const QUIET = 4

/**
 * A text as a QR code: one path of an SVG that has the size of its surroundings, with the quiet zone that readers need.
 * Dark on light in every colour scheme: some readers see nothing of one that is inverted.
 *
 * @param label what it holds, for whoever does not see it
 */
export function qrCode(text: string, label: string): Markup {
  const { size, data } = encode(text, { ecc: 'M', border: QUIET })
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? `M${x} ${y}h1v1h-1z` : [])))
  return markup`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" shape-rendering="crispEdges" d="${dark.join('')}"/></svg>`
}
