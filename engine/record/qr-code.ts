import { encode } from 'uqr'

/** Width of the quiet zone in light modules (ISO/IEC 18004, 9.1). */
const QUIET = 4

/** Pixels per module where there is room: all modules then have the same width. */
const MODULE = 4

/** A QR code as the parts of an SVG. */
export interface QrCode {
  /** Modules per side, including the quiet zone that readers need: the viewBox is `0 0 size size`. */
  size: number
  /** Width at which all modules are equally wide, in pixels. */
  width: number
  /** Path of the whole code, to be filled light, and of its dark modules: some readers cannot read an inverted code. */
  light: string
  dark: string
}

/** A text as a QR code; undefined if it is longer than the maximum: 2953 bytes (version 40, level L). */
export function qrCode(text: string): QrCode | undefined {
  let rows: boolean[][]
  try {
    rows = encode(text, { ecc: 'L', boostEcc: true, border: QUIET }).data
  } catch {
    return undefined
  }
  const size = rows.length
  const dark = rows.flatMap((row, y) =>
    runs(row).map(([x, width]) => `M${x},${y}h${width}v1h-${width}z`),
  )
  const light = `M0,0h${size}v${size}h-${size}z`
  return { size, width: size * MODULE, light, dark: dark.join('') }
}

/** Start and length of each run of dark modules in a row. */
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
