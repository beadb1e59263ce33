import { createPrivateKey } from 'node:crypto'
import { addressesFrom, type Part } from '../engine/configuration/addresses.ts'
import { certificatesIn } from '../engine/configuration/material.ts'
import { isObject } from '../engine/record/json.ts'
import { ASSAY } from '../engine/record/program.ts'
import { claimsOf } from '../engine/wire/jwt-decode.ts'
import { answersOf, wellKnown } from './init-discovery.ts'
import { type Foreign, foreignOf, type Given, type GivenClient } from './init-formats.ts'
import { type Answers, questions } from './init-questions.ts'
import { textOf, UsageError } from './usage.ts'

/** A file that is written beside the target file, because its content must not be in the target file. */
export interface Beside {
  /** For example transport.key; the folder has the name of the bank. */
  name: string
  text: string
  /** The member that it comes from. */
  member: string
}

/** What `--from` yields. */
export interface Beginning {
  /** The format, and which answer comes from which member: one line each, without secrets. */
  says: string[]
  /** Answers to questions that are no longer asked. */
  settled: Answers
  /** Answers that are offered as defaults. */
  hints: Answers
  /** Files; a question with the value `beside:NAME` is answered by that file. */
  beside: Beside[]
}

/** Prefix of a value that stands for the path of a file beside the target. */
export const BESIDE = 'beside:'

/**
 * What `assay init` starts from.
 *
 * @param from the address of a discovery document, or a file of another program
 * @throws UsageError when the file cannot be read or its form is unknown
 */
export function beginningFrom(from: string): Beginning {
  if (/^https?:\/\//.test(from)) {
    if (!URL.canParse(from)) throw new UsageError(`--from ${from} is not an address`)
    const hints = { discovery: from, ...nameFrom(new URL(from).hostname) }
    return { says: [], settled: {}, hints, beside: [] }
  }
  const foreign = foreignOf(documentIn(from))
  if (foreign) return taken(foreign, from)
  throw new UsageError(
    `--from ${from} is of no known form: a configuration of the OBIE functional suite or of the OpenID Foundation's suite, a Postman environment, or a discovery document`,
  )
}

function documentIn(file: string): Record<string, unknown> {
  const text = textOf('--from', file)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (/^(name|bank|addresses):/m.test(text)) {
      throw new UsageError(
        `--from ${file} is a target file already: ${ASSAY} doctor --target ${file}`,
      )
    }
    throw new UsageError(`--from ${file} is not JSON${placeOf(error as Error, text)}`)
  }
  if (isObject(value)) return value
  throw new UsageError(`--from ${file} is not a JSON object`)
}

/** Line and column of a JSON error. The parser's own message is not used, because it may quote a key. */
function placeOf({ message }: Error, text: string): string {
  const position = /at position ([0-9]+)/.exec(message)?.[1]
  if (position === undefined) return ''
  const before = text.slice(0, Number(position)).split('\n')
  return `: line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/** The answers in a file, and which members were taken over or left out. */
function taken(foreign: Foreign, file: string): Beginning {
  const beginning: Beginning = { says: [], settled: {}, hints: {}, beside: [] }
  const { says, hints } = beginning
  says.push(`${file} is a ${foreign.format}.`)
  const { left, name, trust } = foreign
  if (name) Object.assign(hints, nameFrom(name.text))
  addresses(foreign, beginning)
  if (trust) besides(beginning, 'trust', trust, { name: 'ca.pem', problem: noCertificate, left })
  client(foreign.first, '', beginning, left)
  if (foreign.second) {
    beginning.settled['second-client'] = 'yes'
    client(foreign.second, 'second-', beginning, left)
  }
  for (const { member, why } of left) says.push(`  not taken  ${member}: ${why}`)
  return beginning
}

function addresses({ discovery, issuer, endpoints, left }: Foreign, into: Beginning): void {
  const urls: Partial<Record<Part, string>> = {}
  for (const [part, given] of Object.entries(endpoints) as [Part, Given | undefined][]) {
    if (given && isAddress(given, left)) urls[part] = given.text
  }
  const at = [discovery, issuer].find((given) => given && isAddress(given, left))
  if (at) {
    into.hints.discovery = wellKnown(at.text)
    into.says.push(`  taken      ${at.member}: the discovery document is at ${wellKnown(at.text)}`)
    urls.discovery = wellKnown(at.text)
  }
  const { aisp } = urls
  if (Object.keys(urls).length === 0) return
  const stated = answersOf(addressesFrom(urls))
  // What the discovery document says is newer than what a file says.
  Object.assign(into.settled, stated)
  if (aisp) into.hints.aisp = aisp
  for (const [part, given] of Object.entries(endpoints) as [Part, Given | undefined][]) {
    if (given && urls[part]) into.says.push(`  taken      ${given.member}: ${given.text}`)
  }
}

function isAddress({ member, text }: Given, left: Foreign['left']): boolean {
  const right = /^https?:\/\//.test(text) && URL.canParse(text)
  if (!right) left.push({ member, why: 'it is not a complete address' })
  return right
}

const noCertificate = (text: string): string | undefined => {
  try {
    return certificatesIn(text).length > 0 ? undefined : 'it holds no whole PEM certificate'
  } catch {
    return 'its certificate is damaged'
  }
}

const noKey = (text: string): string | undefined => {
  if (text.includes('ENCRYPTED PRIVATE KEY-----')) return undefined
  try {
    createPrivateKey(
      text.trimStart().startsWith('{') ? { key: JSON.parse(text), format: 'jwk' } : text,
    )
    return undefined
  } catch {
    return 'it holds no whole private key'
  }
}

const noStatement = (text: string): string | undefined =>
  claimsOf(text.trim()) ? undefined : 'it is not a compact JWS'

/** PEM in lines. Forms and environments replace line feeds by spaces, or remove them. */
function wrapped(text: string): string {
  return text.replace(
    /-----BEGIN ([A-Z ]{1,40})-----([^-:]*)-----END [A-Z ]{1,40}-----/g,
    (_, label: string, body: string) => {
      const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? []
      return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n')
    },
  )
}

/** Notes that a member goes into a file, and which question names that file. Writes nothing yet. */
function besides(
  into: Beginning,
  question: string,
  given: Given,
  how: { name: string; problem: (text: string) => string | undefined; left: Foreign['left'] },
): boolean {
  const { name, problem, left } = how
  const text = wrapped(given.text.replaceAll('\\n', '\n').trim())
  const why = problem(text)
  if (why !== undefined) {
    left.push({ member: given.member, why })
    return false
  }
  into.settled[question] = `${BESIDE}${name}`
  into.beside.push({ name, text: `${text}\n`, member: given.member })
  return true
}

function client(given: GivenClient, prefix: string, into: Beginning, left: Foreign['left']): void {
  const at = (name: string) => `${prefix}${name}`
  const { settled } = into
  const material = (question: string, value: Given | undefined, name: string, problem = noKey) =>
    value !== undefined && besides(into, at(question), value, { name: at(name), problem, left })
  const isPem = material('certificate', given.certificate, 'transport.pem', noCertificate)
  if (isPem) settled[at('pkcs12')] = ''
  if (material('key', given.key, 'transport.key') && !isLocked(given.key)) {
    settled[at('passphrase-variable')] = ''
  }
  if (material('signing-key', given.signingKey, 'signing.key')) {
    settled[at('jwks')] = ''
    if (!isLocked(given.signingKey)) settled[at('signing-passphrase-variable')] = ''
  }
  if (material('statement', given.statement, 'statement.jwt', noStatement)) {
    settled[at('client-id')] = ''
  }
  word(at('client-id'), given.clientId, into, left)
  word(at('kid'), given.kid, into, left)
  const uris = given.redirectUris
  if (uris) word(at('redirect-uris'), uris, into, left)
  const scopes = given.scope?.text.split(/\s+/) ?? []
  if (prefix === '' && scopes.includes('fundsconfirmations')) {
    settled['funds-scope'] = 'fundsconfirmations'
  }
}

const isLocked = (given: Given | undefined) => given?.text.includes('ENCRYPTED') === true

/** Takes over a short text that is itself the answer. */
function word(question: string, given: Given | undefined, into: Beginning, left: Foreign['left']) {
  if (!given) return
  const text = given.text.trim()
  const complaint = questions.find(({ name }) => name === question)?.wrong?.(text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none belongs into an answer
  if (complaint !== undefined || text.length > 2000 || /[\u0000-\u001f]/.test(text)) {
    left.push({ member: given.member, why: complaint ?? 'it is too long, or has line feeds' })
    return
  }
  into.settled[question] = text
  into.says.push(`  taken      ${given.member}: ${text}`)
}

/** A name for a bank from the name of an environment or host; none when no allowed character remains. */
function nameFrom(text: string): Answers {
  const name = text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
    .replace(/(?<!-)-+$/, '')
  const isLocal = /^(127\.|localhost$|$)/.test(name)
  return isLocal ? {} : { name }
}
