import { definedTwice, noteDefinition } from '../record/definitions.ts'

/**
 * What the files of the suites define, in the order of import. If a receiver is set, such as a test runner, each
 * definition goes to it instead of the list. Ids are unique.
 */
export function createRegistry<T extends { id: string }>() {
  const registered: T[] = []
  let receiver: ((one: T) => void) | undefined
  return {
    all: () => registered,
    handTo(to: ((one: T) => void) | undefined): void {
      receiver = to
    },
    /** @throws if the id is taken. */
    add(one: T): void {
      const known = receiver === undefined && registered.some(({ id }) => id === one.id)
      if (known) throw definedTwice(one.id)
      noteDefinition(one.id)
      if (receiver) receiver(one)
      else registered.push(one)
    },
  }
}
