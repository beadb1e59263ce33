import { createHash } from 'node:crypto'

/** A file as a statement remembers it. */
export interface Seal {
  file: string
  bytes: number
  /** SHA-256, hex. */
  sha256: string
}

export function seal(file: string, content: Buffer): Seal {
  return { file, bytes: content.length, sha256: sha256(content) }
}

/** How a file differs from its seal; undefined when it is as it was sealed. */
export function difference(sealed: Seal, content: Buffer): string | undefined {
  if (sealed.sha256 === sha256(content)) return undefined
  return content.length === sealed.bytes
    ? `was changed: it has its ${sealed.bytes} bytes, and another digest`
    : `was changed: it had ${sealed.bytes} bytes and has ${content.length}`
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}
