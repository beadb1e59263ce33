import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../engine/record/root.ts'

interface Node {
  $ref?: string
  description?: string
  type?: string
  properties?: Record<string, Node>
  required?: string[]
  /** Usually: the members that are required unless the condition is true. */
  else?: Pick<Node, 'required'>
  items?: Node
}

/** The table of docs/target.md: every member of a target file, taken from its JSON Schema. */
export function memberTable(): string[] {
  const path = join(root, 'schemas', 'assay', 'target.schema.json')
  const { $defs } = JSON.parse(readFileSync(path, 'utf8')) as { $defs: Record<string, Node> }
  /** Where the members of a definition were first listed. */
  const listed = new Map<string, string>()
  const rows: string[] = []

  const members = (place: string, node: Node) => {
    const required = [...(node.required ?? []), ...(node.else?.required ?? [])]
    for (const [name, member] of Object.entries(node.properties ?? {})) {
      row(place === '' ? name : `${place}.${name}`, member, required.includes(name))
    }
  }

  const row = (place: string, member: Node, required: boolean) => {
    const definition = $defs[member.$ref?.split('/').at(-1) ?? '']
    const meaning = member.description ?? definition?.description ?? ''
    const whole = { ...definition, ...member }
    const inner = whole.items?.properties ? whole.items : whole
    const earlier = inner.properties && member.$ref && listed.get(member.$ref)
    const as = earlier ? ` Members as those of \`${earlier}\`.` : ''
    rows.push(`| \`${place}\` | ${required ? 'yes' : 'no'} | ${meaning}${as} |`)
    if (earlier) return
    if (member.$ref) listed.set(member.$ref, place)
    members(inner === whole ? place : `${place}[]`, inner)
  }

  members('', $defs.target ?? {})
  return ['| member | required | meaning |', '| --- | --- | --- |', ...rows]
}
