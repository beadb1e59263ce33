/** A copy of a body as it passes, for whoever judges it. */
export type Copy = ReturnType<ReturnType<typeof openCopies>['begin']>

/**
 * Copies of bodies, bounded: what passes is never held up nor kept whole because somebody looks at it.
 *
 * @param most bytes of one body; of a larger one nothing is kept
 * @param together bytes of all that are not given back yet
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
        /** The body; undefined where it was too large to be kept. */
        body: (): Buffer | undefined => parts && Buffer.concat(parts),
        /** Is no longer needed. */
        drop,
      }
    },
  }
}
