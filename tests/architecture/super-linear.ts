import { type AST, RegExpParser } from '@eslint-community/regexpp'

/**
 * Whether a backtracking matcher may need more than linear time for a text, by the ambiguity of the
 * pattern as an automaton (Weber and Seidl 1991; Wüstholz and others 2017): two loops that one text can
 * keep turning, of which the second can fail. The search for where a match begins is a loop as well.
 *
 * What isn't followed is taken for the worse: a back reference for its group, an assertion of more than
 * one character for one that may hold or not. A lookbehind must be bounded.
 *
 * @returns what is wrong, in words; undefined where every text is read in linear time.
 */
export function superLinear({ source, flags }: RegExp): string | undefined {
  const unicode = flags.includes('u') || flags.includes('v')
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  const graph = automatonOf(pattern, flags)
  const atoms = atomsOf(graph, unicode)
  const machine = machineOf(graph, atoms, isAnchored(pattern, flags) || flags.includes('y'))
  return exponential(machine) ?? polynomial(machine)
}

/** A repetition of at most this many is constant work for each place of a text. */
const MOST_COPIES = 100

type Holds = (character: string) => boolean
/** What must hold of the character before and of the one after, where there is one. */
type Constraint = (before: string, after: string) => boolean

interface Edge {
  to: number
  /** What it consumes; absent: nothing. */
  class?: string
  constraint?: Constraint
  /** It may hold or not. */
  unsure?: boolean
}

interface Graph {
  flags: string
  edges: Edge[][]
  start: number
  accept: number
}

function isAnchored({ alternatives }: AST.Pattern | AST.Group, flags: string): boolean {
  if (flags.includes('m')) return false
  return alternatives.every(({ elements: [first] }) => {
    if (first?.type === 'Assertion') return first.kind === 'start'
    return first?.type === 'Group' && isAnchored(first, flags)
  })
}

/** Thompson's construction. */
function automatonOf(pattern: AST.Pattern, flags: string): Graph {
  const edges: Edge[][] = []
  const node = () => edges.push([]) - 1
  const link = (from: number, edge: Edge) => edges[from]?.push(edge)
  const start = node()
  const isWord = holds('\\w', flags)

  const alternatives = (each: AST.Alternative[], from: number): number => {
    const end = node()
    for (const { elements } of each) {
      const begin = node()
      link(from, { to: begin })
      link(
        elements.reduce((at, element) => put(element, at), begin),
        { to: end },
      )
    }
    return end
  }

  const put = (element: AST.Element | AST.QuantifiableElement, from: number): number => {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return alternatives(element.alternatives, from)
      case 'Backreference':
        return alternatives(
          [element.resolved].flat().flatMap((group) => group.alternatives),
          from,
        )
      case 'Quantifier':
        return repeated(element, from)
      case 'Assertion':
        return asserted(element, from)
      default: {
        const to = node()
        link(from, { to, class: element.raw })
        return to
      }
    }
  }

  const repeated = ({ min, max, element }: AST.Quantifier, from: number): number => {
    let at = from
    for (let count = 0; count < Math.min(min, MOST_COPIES) - 1; count += 1) at = put(element, at)
    const end = node()
    if (min === 0) link(at, { to: end })
    if (max > MOST_COPIES) {
      const begin = node()
      link(at, { to: begin })
      const again = put(element, begin)
      link(again, { to: begin })
      link(again, { to: end })
      return end
    }
    if (max === 0) return end
    at = put(element, at)
    for (let count = Math.max(1, min); count < max; count += 1) {
      link(at, { to: end })
      at = put(element, at)
    }
    link(at, { to: end })
    return end
  }

  const asserted = (assertion: AST.Assertion, from: number): number => {
    const to = node()
    const constraint = constraintOf(assertion, flags, isWord)
    link(from, { to, unsure: true, ...(constraint && { constraint }) })
    if (assertion.kind === 'lookahead' && !constraint) {
      // What it reads is read once more afterwards; it ends nowhere.
      const begin = node()
      link(from, { to: begin, unsure: true })
      alternatives(assertion.alternatives, begin)
    }
    if (assertion.kind === 'lookbehind' && !constraint && !isBounded(assertion.alternatives)) {
      throw new Error(`a lookbehind that is not bounded: ${assertion.raw}`)
    }
    return to
  }

  const accept = alternatives(pattern.alternatives, start)
  return { flags, edges, start, accept }
}

/** What an assertion about one character says; undefined where it is about more. */
function constraintOf(
  assertion: AST.Assertion,
  flags: string,
  isWord: Holds,
): Constraint | undefined {
  const { kind } = assertion
  if (kind === 'word') {
    return (before, after) => (isWord(before) !== isWord(after)) !== assertion.negate
  }
  if (kind === 'start') return flags.includes('m') ? undefined : (before) => before === ''
  if (kind === 'end') return flags.includes('m') ? undefined : (_, after) => after === ''
  if (!('alternatives' in assertion)) return undefined
  const classes = assertion.alternatives.map(({ elements: [first, ...more] }) => {
    const isClass = first && more.length === 0 && /^Character/.test(first.type)
    return isClass ? holds(first.raw, flags) : undefined
  })
  if (classes.includes(undefined)) return undefined
  return (before, after) => {
    const character = kind === 'lookbehind' ? before : after
    return classes.some((holdsOf) => holdsOf?.(character)) !== assertion.negate
  }
}

function isBounded(alternatives: AST.Alternative[]): boolean {
  return alternatives.every(({ elements }) => elements.every(isBoundedElement))
}

function isBoundedElement(element: AST.Element): boolean {
  if (element.type === 'Group' || element.type === 'CapturingGroup')
    return isBounded(element.alternatives)
  if (element.type !== 'Quantifier') return true
  return element.max <= MOST_COPIES && isBoundedElement(element.element)
}

/** Whether a character, or the end of a text, is of a class. */
function holds(raw: string, flags: string): Holds {
  const whole = new RegExp(`^(?:${raw})$`, flags.replace(/[gmy]/g, ''))
  return (character) => whole.test(character)
}

/** Characters, one for each set that no class of the pattern tells apart. */
function atomsOf({ edges, flags }: Graph, unicode: boolean): string[] {
  const raws = new Set(edges.flat().flatMap((edge) => edge.class ?? []))
  const classes = [...raws, '\\w', '\\s', '\\d', '\\n'].map((raw) => holds(raw, flags))
  const codes = new Set(Array.from({ length: 0x250 }, (_, code) => code))
  for (const code of [0x2028, 0x3000, 0x4e00, 0xd800, 0xdc00, 0xfeff, 0xfffd]) codes.add(code)
  for (const raw of raws) {
    for (const [character] of raw.matchAll(/\\u[0-9a-f]{4}|[^ -~]/gi)) {
      const escaped = character.length === 6
      const code = escaped ? Number.parseInt(character.slice(2), 16) : character.charCodeAt(0)
      for (const near of [code - 1, code, code + 1]) codes.add(Math.max(0, near))
    }
  }
  if (unicode) codes.add(0x1f600)
  const bySignature = new Map<string, string>()
  for (const code of codes) {
    const character = String.fromCodePoint(code)
    const signature = classes.map((holdsOf) => (holdsOf(character) ? 1 : 0)).join('')
    if (!bySignature.has(signature)) bySignature.set(signature, character)
  }
  return [...bySignature.values()]
}

interface Machine {
  /** Whether what stands before a place changes anything, in an assertion. */
  looksBack: boolean
  /** Stands for the search, where there is one. */
  search: number | undefined
  atoms: string[]
  /** States from which every text leads to a match. */
  accepting: ReadonlySet<number>
  /** Whether a state may stand behind a character. */
  behind: (state: number, character: string) => boolean
  /** Strongly connected components, of more than one state or with a step to itself. */
  loops: ReadonlySet<number>[]
  /** From each state what may be reached, itself included. */
  reaches: ReadonlyMap<number, ReadonlySet<number>>
  /** States after a character, behind another; one that is reached in two ways stands twice. */
  next: (state: number, before: string, character: string) => readonly number[]
}

interface Step {
  class: string
  to: number
  constraints: Constraint[]
}

const SEARCH = -1
const MOST_PATHS = 20_000
const MOST_SUBSETS = 500

function machineOf(graph: Graph, atoms: string[], anchored: boolean): Machine {
  const { edges, start, accept, flags } = graph
  const steps = new Map<number, Step[]>()
  const consumed = new Map<number, string>()
  /** Where a match ends whatever follows, and what must hold where nothing follows. */
  const anywhere = new Set<number>()
  const atEnd = new Map<number, Constraint[][]>()
  const walk = (state: number) => {
    const found: Step[] = []
    steps.set(state, found)
    let paths = 0
    const along = (
      at: number,
      seen: readonly number[],
      constraints: Constraint[],
      sure: boolean,
      lost = false,
    ) => {
      paths += 1
      if (paths > MOST_PATHS) throw new Error('too many ways through what may be empty')
      if (at === accept && sure) anywhere.add(state)
      if (at === accept && !lost) atEnd.set(state, [...(atEnd.get(state) ?? []), constraints])
      for (const edge of edges[at] ?? []) {
        const all = edge.constraint ? [...constraints, edge.constraint] : constraints
        if (edge.class !== undefined)
          found.push({ class: edge.class, to: edge.to, constraints: all })
        else if (!seen.includes(edge.to)) {
          along(
            edge.to,
            [...seen, edge.to],
            all,
            sure && !edge.unsure,
            lost || (edge.unsure === true && !edge.constraint),
          )
        }
      }
    }
    along(state, [state], [], true)
    for (const step of found) {
      consumed.set(step.to, step.class)
      if (!steps.has(step.to)) walk(step.to)
    }
  }
  walk(start)
  const classes = new Map<string, Holds>()
  const isOf = (raw: string, character: string) => {
    const known = classes.get(raw) ?? holds(raw, flags)
    classes.set(raw, known)
    return known(character)
  }
  const stepsOf = (state: number) => steps.get(state === SEARCH ? start : state) ?? []
  const known = new Map<string, number[]>()
  const next: Machine['next'] = (state, before, character) => {
    const key = `${state} ${before} ${character}`
    const found = known.get(key)
    if (found) return found
    const fits = stepsOf(state).filter(
      (step) =>
        isOf(step.class, character) && step.constraints.every((each) => each(before, character)),
    )
    const targets = fits.map(({ to }) => to)
    if (state === SEARCH) targets.push(SEARCH)
    known.set(key, targets)
    return targets
  }
  const behind: Machine['behind'] = (state, character) =>
    state === SEARCH || isOf(consumed.get(state) ?? '', character)
  const isSure = (state: number) =>
    atoms.every((before) => !behind(state, before) || alwaysEnds({ state, before }))
  const alwaysEnds = ({ state, before }: { state: number; before: string }) => {
    const seen = new Set<string>()
    const queue = [{ states: [state], before }]
    for (const place of queue) {
      if (place.states.some((each) => anywhere.has(each))) continue
      const ends = place.states.some((each) =>
        atEnd.get(each)?.some((all) => all.every((holdsOf) => holdsOf(place.before, ''))),
      )
      if (!ends || seen.size > MOST_SUBSETS) return false
      for (const character of atoms) {
        const all = place.states.flatMap((each) => next(each, place.before, character))
        const states = [...new Set(all)].sort((a, b) => a - b)
        const key = `${states} ${character}`
        if (!seen.has(key)) queue.push({ states, before: character })
        seen.add(key)
      }
    }
    return true
  }
  const states = [...(anchored ? [] : [SEARCH]), ...steps.keys()]
  const direct = (state: number) => [
    ...(state === SEARCH ? [SEARCH] : []),
    ...stepsOf(state).map(({ to }) => to),
  ]
  const reaches = new Map(states.map((state) => [state, closure(state, direct)]))
  const loops = new Map<string, Set<number>>()
  for (const state of states) {
    if (!direct(state).some((to) => reaches.get(to)?.has(state))) continue
    const all = [...(reaches.get(state) ?? [])].filter((to) => reaches.get(to)?.has(state))
    loops.set(String(all.sort()), new Set(all))
  }
  const search = anchored ? undefined : SEARCH
  const turned = [...loops.values()].flatMap((loop) => [...loop])
  const accepting = new Set(turned.filter((state) => state !== SEARCH && isSure(state)))
  const looksBack = edges.flat().some(({ constraint }) => constraint)
  return { looksBack, search, atoms, accepting, behind, loops: [...loops.values()], reaches, next }
}

function closure(start: number, direct: (state: number) => number[]): Set<number> {
  const found = new Set([start])
  for (const state of found) for (const to of direct(state)) found.add(to)
  return found
}

/** One text that leads around a loop in two ways. */
function exponential(machine: Machine): string | undefined {
  const { loops, accepting, search, next } = machine
  for (const loop of loops) {
    if (search !== undefined && loop.has(search)) continue
    const inside = new Set([...loop].filter((state) => !accepting.has(state)))
    const turns = (state: number, before: string, character: string) =>
      next(state, before, character).filter((to) => inside.has(to))
    for (const state of inside) {
      for (const before of charactersBefore(machine, state)) {
        const text = around(
          { states: [state, state], before },
          { ...machine, turns: [turns, turns], together: true },
          ({ states: [one, other] }, split) => split && one === state && other === state,
        )
        if (text !== undefined) return `exponential: ${JSON.stringify(text)} again and again`
      }
    }
  }
  return undefined
}

/** One text that leads around a loop, around a later one, and from the first to the later. */
function polynomial(machine: Machine): string | undefined {
  const { loops, accepting, reaches, next } = machine
  const within =
    (inside: (state: number) => boolean) => (state: number, before: string, character: string) =>
      next(state, before, character).filter(inside)
  for (const first of loops) {
    for (const later of loops) {
      if (first === later) continue
      const [some = 0] = first
      const [target = 0] = later
      if (!reaches.get(some)?.has(target)) continue
      const turns = [
        within((state) => first.has(state)),
        within((state) => reaches.get(state)?.has(target) === true),
        within((state) => later.has(state) && !accepting.has(state)),
      ]
      for (const p of first) {
        for (const q of [...later].filter((state) => !accepting.has(state))) {
          for (const before of charactersBefore(machine, p, q)) {
            const text = around(
              { states: [p, p, q], before },
              { ...machine, turns, together: false },
              ({ states: [one, two, three] }) => one === p && two === q && three === q,
            )
            if (text !== undefined) return `polynomial: ${JSON.stringify(text)} again and again`
          }
        }
      }
    }
  }
  return undefined
}

/** Those behind which all of these states may stand; one of them where it makes no difference. */
function charactersBefore({ atoms, behind, looksBack }: Machine, ...states: number[]): string[] {
  const all = atoms.filter((character) => states.every((state) => behind(state, character)))
  return looksBack ? all : all.slice(0, 1)
}

interface Place {
  states: number[]
  before: string
}

type Turn = (state: number, before: string, character: string) => number[]

interface Turns extends Machine {
  /** The ways on of each state. */
  turns: Turn[]
  /** Whether two states that go the same way do so by different paths. */
  together: boolean
}

/** The shortest text that leads several states on to where `ends` says, and to the same character before. */
function around(
  start: Place,
  { atoms, looksBack, turns, together }: Turns,
  ends: (place: Place, split: boolean) => boolean,
): string | undefined {
  const seen = new Set<string>()
  const queue = [{ ...start, split: false, text: '' }]
  for (const { states, before, split, text } of queue) {
    for (const character of atoms) {
      const options = states.map((state, at) => turns[at]?.(state, before, character) ?? [])
      for (const to of product(options)) {
        const twice = together && to[0] === to[1] && hasTwice(options[0] ?? [], to[0])
        const apart = split || twice || (together && to[0] !== to[1])
        const place = { states: to, before: looksBack ? character : start.before }
        if (place.before === start.before && ends(place, apart)) return text + character
        const key = `${to} ${apart} ${place.before}`
        if (seen.has(key)) continue
        seen.add(key)
        queue.push({ ...place, split: apart, text: text + character })
      }
    }
  }
  return undefined
}

function hasTwice(all: readonly number[], one: number | undefined): boolean {
  return all.filter((each) => each === one).length > 1
}

function product(options: readonly (readonly number[])[]): number[][] {
  return options.reduce<number[][]>(
    (all, some) => all.flatMap((left) => [...new Set(some)].map((right) => [...left, right])),
    [[]],
  )
}
