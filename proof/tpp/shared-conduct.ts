import { type Conduct, right } from './conduct.ts'
import type { ProvenTpp } from './tpp-proof.ts'

type Bag = Record<string, unknown>

const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A replaced decision: a member of the conduct, or a part of one, as in `needs`. */
interface Decision {
  member: string
  part?: string
  value: unknown
}

function otherwise(conduct: Partial<Conduct>): Decision[] {
  return Object.entries(conduct).flatMap(([member, value]): Decision[] => {
    const usual = (right as unknown as Bag)[member]
    if (!isBag(value) || !isBag(usual)) return [{ member, value }]
    return Object.entries(value)
      .filter(([part, its]) => its !== usual[part])
      .map(([part, its]) => ({ member, part, value: its }))
  })
}

/** Names of the decisions that a TPP replaces: `stateRefusal`, `needs.booked`. */
export function decisionsOf({ conduct }: ProvenTpp): string[] {
  return otherwise(conduct).map(({ member, part }) => (part ? `${member}.${part}` : member))
}

/**
 * The right TPP, with all decisions that these TPPs replace.
 *
 * @param taken called with the id of a TPP each time one of its decisions is used.
 * @throws TypeError when two of them replace the same decision.
 */
export function conductOf(tpps: ProvenTpp[], taken: (id: string) => void): Conduct {
  const whole: Bag = Object.fromEntries(
    Object.entries(right).map(([name, value]) => [name, isBag(value) ? { ...value } : value]),
  )
  for (const { id, conduct } of tpps) {
    for (const { member, part, value } of otherwise(conduct)) {
      Object.defineProperty(part ? (whole[member] as Bag) : whole, part ?? member, {
        configurable: false,
        get() {
          taken(id)
          return value
        },
      })
    }
  }
  return whole as unknown as Conduct
}
