import { readFileSync } from 'node:fs'
import { LineCounter, type Node, parseDocument } from 'yaml'
import { typed } from './folders.ts'

/** A member of a target file as our texts name it: `addresses.base_url`, `clients.first.clientId`. */
const MEMBER = /\b(?:addresses|clients|customers|overrides|trust|proxy|timeout|issuer)\b(?:\.\w+)*/g

/** Where the members that a text names stand in a target file: `staging/bank.yaml:3 (and lines 4, 5)`. */
export function placesNamed(text: string, file: string): string | undefined {
  const counter = new LineCounter()
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: counter })
  const lines = [...text.matchAll(MEMBER)].flatMap(([member]) => {
    const path = member.split('.')
    const node = document.getIn(path, true) as Node | undefined | null
    const offset = node?.range?.[0]
    return offset === undefined ? [] : [counter.linePos(offset).line]
  })
  const [first, ...more] = [...new Set(lines)].sort((a, b) => a - b)
  if (first === undefined) return undefined
  const others = more.length > 1 ? `lines ${more.join(', ')}` : `line ${more[0]}`
  return `${typed(file)}:${first}${more.length > 0 ? ` (and ${others})` : ''}`
}
