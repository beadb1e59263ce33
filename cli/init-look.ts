import { createPublicKey } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isObject, parsedJson } from '../engine/record/json.ts'
import { readText } from '../engine/record/read-plain.ts'
import { claimsOf } from '../engine/wire/jwt-decode.ts'
import { readDiscovery } from './init-discovery.ts'
import { fetched } from './init-fetch.ts'
import type { Answers } from './init-questions.ts'
import type { Seen } from './init-seen.ts'

/**
 * Reads what an answer names: the software statement, the keys, the discovery document.
 *
 * @param name of the question that was answered
 * @param answers all answers so far, including this one
 * @param textAt the text of a file that an answer names; undefined when it cannot be read
 */
export async function look(name: string, answers: Answers, textAt = textIn): Promise<Seen> {
  const [, prefix = '', own = name] = /^(second-)?(.+)$/.exec(name) ?? []
  const answer = answers[name] ?? ''
  if (answer === '' || answer.includes('${')) return {}
  if (name === 'discovery') return readDiscovery(answer, answers, textAt)
  if (own === 'jwks' && /^https?:/.test(answer))
    return keysAt({ file: answer, text: '', prefix, answers, textAt })
  const reader = READERS[own]
  if (!reader) return {}
  const text = textAt(answer)
  if (text === undefined) return { says: [`${answer} cannot be read: put it there before a run.`] }
  return reader({ file: answer, text, prefix, answers, textAt })
}

const READERS: Record<string, ((looked: Looked) => Seen) | undefined> = {
  statement,
  key: transportKey,
  'signing-key': signingKey,
  jwks: publicKeys,
}

/** What is read. */
interface Looked {
  file: string
  text: string
  /** Prefix of the questions: that of the second client, or none. */
  prefix: string
  answers: Answers
  textAt: (answer: string) => string | undefined
}

/** A path that begins with ~ as a shell reads it: nobody else does so in an answer. */
export function atHome(path: string): string {
  return /^~[\\/]/.test(path) ? join(homedir(), path.slice(2)) : path
}

/** The text of a file that an answer names; undefined when it cannot be read, as it may not exist yet. */
export function textIn(answer: string): string | undefined {
  try {
    return readText(resolve(atHome(answer.replace(/^file:/, ''))))
  } catch {
    return undefined
  }
}

const words = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

function statement({ file, text, prefix }: Looked): Seen {
  const claims = claimsOf(text.trim())
  if (!claims) return { says: [`${file} is not a software statement: it is not a compact JWS.`] }
  const uris = words(claims.software_redirect_uris)
  const roles = words(claims.software_roles)
  const says = [`Software statement: ${softwareOf(claims)}.`]
  if (uris.length > 0)
    says.push(
      `It allows ${uris.length === 1 ? 'one redirect URI' : `${uris.length} redirect URIs`}.`,
    )
  if (roles.length > 0) says.push(`Its roles are ${roles.join(', ')}.`)
  return {
    says,
    hints: {
      ...(uris.length > 0 && { [`${prefix}redirect-uris`]: uris.join(', ') }),
      ...(prefix === '' && roles.includes('CBPII') && { 'funds-scope': 'fundsconfirmations' }),
    },
  }
}

/** `software X (Client name) of Organisation`, as far as the statement contains it. */
export function softwareOf(claims: Record<string, unknown>): string {
  const text = (name: string) => (typeof claims[name] === 'string' ? (claims[name] as string) : '')
  const name = text('software_client_name')
  const organisation = text('org_name') || text('org_id')
  return [
    `software ${text('software_id') || 'without id'}`,
    ...(name === '' ? [] : [`(${name})`]),
    ...(organisation === '' ? [] : [`of ${organisation}`]),
  ].join(' ')
}

/** Claims of the software statement that an answer names; undefined when there is none. */
export function statementAt(file: string | undefined, textAt = textIn) {
  const text = file === undefined || file === '' ? undefined : textAt(file)
  return text === undefined ? undefined : claimsOf(text.trim())
}

/** A PEM file shows whether it needs a passphrase. */
function locked(text: string, question: string): Seen {
  const open = text.includes('PRIVATE KEY-----') && !text.includes('ENCRYPTED')
  return open ? { settled: { [question]: '' } } : {}
}

function transportKey({ text, prefix }: Looked): Seen {
  return locked(text, `${prefix}passphrase-variable`)
}

function signingKey(looked: Looked): Seen {
  const { file, text, prefix } = looked
  const at = (name: string) => `${prefix}${name}`
  const jwk = parsedJson(text)
  if (isObject(jwk) && Array.isArray(jwk.keys)) {
    const why = `${file} is a set of keys: write the one private key that signs into a file of its own.`
    return { says: [why], again: true }
  }
  if (!isObject(jwk)) {
    return { ...locked(text, at('signing-passphrase-variable')), ...whereKidIs(looked) }
  }
  const settled = { [at('signing-passphrase-variable')]: '' }
  if (typeof jwk.kid !== 'string') return { settled, ...whereKidIs(looked) }
  return { settled: { ...settled, [at('jwks')]: '' }, hints: { [at('kid')]: jwk.kid } }
}

/** Explains where to find the kid that the directory gave a key. Offers the address of the public keys. */
function whereKidIs({ file, answers, prefix, textAt }: Looked): Seen {
  const claims = statementAt(answers[`${prefix}statement`], textAt)
  const endpoint = claims?.software_jwks_endpoint
  const says = [
    `${file} holds no kid. The directory shows it as KID beside the signing certificate of the software statement.`,
  ]
  return typeof endpoint === 'string' && /^https?:/.test(endpoint)
    ? { says, offers: { [`${prefix}jwks`]: endpoint } }
    : { says }
}

/** Public keys that the directory serves, whose certificate is not of the bank's authorities. */
async function keysAt(looked: Looked): Promise<Seen> {
  const { file, answers, textAt } = looked
  const read = await fetched(file, answers, textAt, false)
  if (typeof read === 'string') return { says: [read], again: true }
  return publicKeys({ ...looked, text: JSON.stringify(read) })
}

/** The kid of the signing key in a set of public keys. */
function publicKeys({ file, text, prefix, answers, textAt }: Looked): Seen {
  const set = parsedJson(text)
  const keys = isObject(set) && Array.isArray(set.keys) ? set.keys.filter(isObject) : []
  if (keys.length === 0) return { says: [`${file} is not a set of keys (JWKS).`], again: true }
  const own = modulusOf(textAt(answers[`${prefix}signing-key`] ?? ''))
  const found = own === undefined ? undefined : keys.find(({ n }) => n === own)
  if (typeof found?.kid === 'string') return { hints: { [`${prefix}kid`]: found.kid } }
  const signing = keys.filter(({ use, kty }) => use !== 'enc' && kty === 'RSA')
  const [only, ...more] = signing
  if (own === undefined && only && more.length === 0 && typeof only.kid === 'string') {
    return { hints: { [`${prefix}kid`]: only.kid } }
  }
  const listed = keys.map(({ kid }) => String(kid)).slice(0, 5)
  return { says: [`The signing key is not in ${file}, which has ${listed.join(', ')}.`] }
}

/** The modulus of an RSA key in the form of a JWK; undefined when the key is encrypted or of another kind. */
function modulusOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    return createPublicKey(text).export({ format: 'jwk' }).n
  } catch {
    return undefined
  }
}
