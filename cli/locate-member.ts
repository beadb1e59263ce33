import { readFileSync } from 'node:fs'
import { sourceOf } from '../engine/yaml/source.ts'
import { typed } from './folders.ts'

/** A member of a target file as our texts name it: `addresses.base_url`, `clients.first.clientId`. */
const MEMBER = /\b(?:addresses|clients|customers|overrides|trust|proxy|timeout|issuer)\b(?:\.\w+)*/g

/** Where the members that a text names stand in a target file: `staging/bank.yaml:3 (and lines 4, 5)`. */
export function placesNamed(text: string, file: string): string | undefined {
  const { document, at } = sourceOf(file, readFileSync(file, 'utf8'))
  const lines = [...text.matchAll(MEMBER)].flatMap(([member]) => {
    const path = member.split('.')
    return document.hasIn(path) ? [at(path).line] : []
  })
  const [first, ...more] = [...new Set(lines)].sort((a, b) => a - b)
  if (first === undefined) return undefined
  const others = more.length > 1 ? `lines ${more.join(', ')}` : `line ${more[0]}`
  return `${typed(file)}:${first}${more.length > 0 ? ` (and ${others})` : ''}`
}
