/** A copy of a body that passes, for judging. */
export type Copy = ReturnType<ReturnType<typeof openCopies>['begin']>

/**
 * Copies of bodies, with limits. Copying never delays a body.
 *
 * @param most maximum bytes of one body; nothing is kept of a larger one
 * @param together maximum bytes of all copies that are not dropped yet
 */
export function openCopies(most: number, together: number) {
  let held = 0
  return {
    begin() {
      let parts: Buffer[] | undefined = []
      let kept = 0
      let bytes = 0
      const drop = () => {
        held -= kept
        kept = 0
        parts = undefined
      }
      return {
        add(part: Buffer) {
          bytes += part.length
          if (!parts) return
          if (bytes > most || held + part.length > together) return drop()
          parts.push(part)
          kept += part.length
          held += part.length
        },
        /** Bytes that passed. */
        get bytes() {
          return bytes
        },
        /** The body; undefined if it was too large to keep. */
        body: (): Buffer | undefined => parts && Buffer.concat(parts),
        /** Releases the copy. */
        drop,
      }
    },
  }
}
