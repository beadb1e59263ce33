import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { now } from '../record/clock.ts'
import { makeFolder } from '../record/make-folder.ts'
import { takeLock } from '../record/process-lock.ts'

interface ResumeFileOptions {
  /** A private key of the target: whoever can read it could do all that the file allows. */
  secret: KeyObject
  /** What the records belong to. A file with another binding is replaced by a new one. */
  binding: string
  /** Maximum age, in milliseconds, of a file that is continued. */
  lifetime: number
  /** If true, the file is replaced by a new one, whatever it holds. */
  fresh?: boolean
}

/** A header line that is not encrypted but is authenticated with every record. */
interface Header {
  assay: 'kept'
  since: string
  binding: string
  salt: string
}

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16

export type ResumeFile = NonNullable<ReturnType<typeof openResumeFile>>

/**
 * Opens or creates an append-only file of secrets: one encrypted record per line, readable after a kill. AES-256-GCM
 * with a key that HKDF-SHA256 derives from the private key and a salt of the file; each record is bound to the header
 * and to its position.
 *
 * @returns undefined while another running process has it open.
 */
export function openResumeFile(path: string, options: ResumeFileOptions) {
  makeFolder(dirname(path), 0o700)
  const lock = takeLock(`${path}.lock`)
  if ('owner' in lock) return undefined
  const opened = (options.fresh ? undefined : readBack(path, options)) ?? begun(path, options)
  let count = opened.records.length
  let over = false
  return {
    /** When the file was created, UTC. */
    since: opened.header.since,
    /** The records that it held when it was opened, in order. */
    records: opened.records,
    append(record: unknown) {
      if (over) return
      const line = sealed(JSON.stringify(record), opened.key, placeOf(opened.line, count))
      try {
        appendFileSync(path, `${line}\n`)
        count += 1
      } catch {
        // The disk is full: records after a gap could not be read back.
        over = true
      }
    },
    /** Removes the file; nothing is written any more. */
    drop() {
      over = true
      rmSync(path, { force: true })
      lock.release()
    },
    /** Releases the file for other processes. */
    close() {
      over = true
      lock.release()
    },
  }
}

type Opened = ReturnType<typeof begun>

function begun(path: string, { secret, binding }: ResumeFileOptions) {
  const salt = randomBytes(32).toString('base64url')
  const header: Header = { assay: 'kept', since: new Date(now()).toISOString(), binding, salt }
  const line = JSON.stringify(header)
  rmSync(path, { force: true })
  writeFileSync(path, `${line}\n`, { mode: 0o600 })
  return { header, line, key: keyOf(secret, salt), records: [] as unknown[] }
}

/** What a file holds; undefined when it is absent, has another binding, or is too old or damaged. */
function readBack(path: string, options: ResumeFileOptions): Opened | undefined {
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8')
  // A killed process can leave an incomplete last line.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const [line = '', ...lines] = whole.split('\n').slice(0, -1)
  try {
    const header = JSON.parse(line) as Header
    const age = now() - Date.parse(header.since)
    if (header.binding !== options.binding || !(age < options.lifetime)) return undefined
    const key = keyOf(options.secret, header.salt)
    const records = lines.map((each, at) => JSON.parse(unsealed(each, key, placeOf(line, at))))
    truncateSync(path, Buffer.byteLength(whole))
    return { header, line, key, records }
  } catch {
    return undefined
  }
}

function keyOf(secret: KeyObject, salt: string): Buffer {
  const material = secret.export({ type: 'pkcs8', format: 'der' })
  const info = 'assay: visits that are kept'
  return Buffer.from(hkdfSync('sha256', material, Buffer.from(salt, 'base64url'), info, 32))
}

const placeOf = (header: string, index: number) => Buffer.from(`${header}\n${index}`)

function sealed(text: string, key: Buffer, place: Buffer): string {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG }).setAAD(place)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
}

/** @throws Error when the line was changed, moved, or encrypted with another key. */
function unsealed(line: string, key: Buffer, place: Buffer): string {
  const bytes = Buffer.from(line, 'base64')
  const nonce = bytes.subarray(0, NONCE)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG })
    .setAAD(place)
    .setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  return decipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8')
}
