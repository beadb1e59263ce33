import { encode } from 'uqr'

/** Light modules around a code (ISO/IEC 18004, 7.3.7 asks for four). */
const QUIET = 4

/** Pixels of a module where there is room: all are as wide then. */
const MODULE = 4

/**
 * A text as a QR code: an SVG of black on white, which readers expect whatever the page looks like.
 *
 * @returns undefined where the text is longer than a code can be: 2953 bytes (version 40, level L)
 */
export function qrCode(text: string, label: string): string | undefined {
  let rows: boolean[][]
  try {
    rows = encode(text, { ecc: 'L', boostEcc: true, border: QUIET }).data
  } catch {
    return undefined
  }
  const size = rows.length
  const path = rows.flatMap((row, y) =>
    runs(row).map(([x, width]) => `M${x},${y}h${width}v1h-${width}z`),
  )
  return `<svg class="qr" role="img" aria-label="${label}" width="${size * MODULE}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0,0h${size}v${size}h-${size}z"/><path fill="#000" d="${path.join('')}"/></svg>`
}

/** Where the dark modules of a row begin, and how many stand together. */
function runs(row: boolean[]): [x: number, width: number][] {
  const found: [number, number][] = []
  for (const [x, dark] of row.entries()) {
    const last = found.at(-1)
    if (!dark) continue
    if (last && last[0] + last[1] === x) last[1] += 1
    else found.push([x, 1])
  }
  return found
}
