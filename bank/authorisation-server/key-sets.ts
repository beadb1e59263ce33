import type { KeyObject } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { fetch } from 'undici'
import type { Services } from '../state/services.ts'
import { type SigningKey, signJws } from './signature.ts'

/** `kid` of the key that an altered bank adds to the keys of every TPP. */
export const shadowKid = 'shadow'

/** Timeout in milliseconds for fetching a TPP's keys. */
const PATIENCE = 10_000

/**
 * Fetches a TPP's keys over connections that trust the directory's authority. `shadowed` adds a key of the bank, for
 * alterations that replace a wrong JWT by a right one: see `signAsClient`.
 */
export function fetchKeySets(
  { directory, keys }: Pick<Services, 'directory' | 'keys'>,
  shadowed: boolean,
) {
  return async (url: string | URL | Request): Promise<Response> => {
    const answer = await fetch(String(url), {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(PATIENCE),
      dispatcher: directory.agent,
    })
    const text = await answer.text()
    if (!shadowed || answer.status !== 200) return new Response(text, { status: answer.status })
    const { keys: own } = JSON.parse(text) as JSONWebKeySet
    const shadow = { ...keys[0]?.jwk, kid: shadowKid }
    return new Response(JSON.stringify({ keys: [...own, shadow] }))
  }
}

/** The keys at an address, for jose. Throws when they cannot be fetched. */
export async function keySetAt(services: Pick<Services, 'directory' | 'keys'>, url: string) {
  const answer = await fetchKeySets(services, false)(url)
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
  return createLocalJWKSet((await answer.json()) as JSONWebKeySet)
}

/** A JWT that the bank accepts as signed by any TPP. Only an altered bank accepts it. */
export function signAsClient(key: SigningKey, claims: Record<string, unknown>): string {
  const shadow: { kid: string; key: KeyObject; jwk: SigningKey['jwk'] } = { ...key, kid: shadowKid }
  return signJws(claims, shadow, { typ: 'JWT' })
}
