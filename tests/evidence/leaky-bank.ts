import type { Context } from 'koa'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'

/** What becomes of a secret that a bank lets slip. */
const DISGUISES: ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `before ${secret} after`,
  (secret) => JSON.stringify({ deep: [secret] }),
  (secret) => encodeURIComponent(secret),
  (secret) => new URLSearchParams({ x: secret }).toString(),
  (secret) => Buffer.from(secret).toString('base64'),
  (secret) => Buffer.from(secret).toString('base64url'),
  (secret) => Buffer.from(`x${secret}yy`).toString('base64'),
  (secret) => Buffer.from(JSON.stringify({ u: secret })).toString('base64url'),
  (secret) =>
    ['{"alg":"PS256"}', JSON.stringify({ sub: secret, any: [secret] }), 'signature of nobody']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.'),
]

/** A number that counts as a card number, another one each time. */
export function cardNumber(n: number): string {
  const digits = `4000${String(n).padStart(11, '0')}`
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const doubled = Number(digit) * (i % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return digits + ((10 - (sum % 10)) % 10)
}

export interface LeakyBank {
  alteration: Alteration
  /** Every credential and every card number that went over the wire. */
  readonly seen: ReadonlySet<string>
  /** Requests that it has had. */
  readonly requests: number
}

/** Names of ids that a bank tells openly; whoever sends one instead of a token makes no secret of it. */
const IDS = ['ConsentId', 'AccountId', 'client_id']

/** Every id of a body, however deep. */
function idsIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return []
  return Object.entries(body).flatMap(([name, value]) =>
    IDS.includes(name) && typeof value === 'string' ? [value] : idsIn(value),
  )
}

/**
 * A bank that repeats secrets where nobody expects them: in headers, in members of its own, in the
 * names of members, in errors, pages and ID tokens, in every disguise.
 *
 * @param secrets what it was told or found out: the TPP's configuration, names of customers.
 */
export function leakyBank(secrets: string[]): LeakyBank {
  const seen = new Set<string>()
  const ids = new Set<string>()
  let requests = 0
  let turn = 0

  const next = (more: string[]): string => {
    const all = [...secrets, ...more]
    const secret = all[turn % all.length] ?? ''
    const disguise = DISGUISES[Math.floor(turn / all.length) % DISGUISES.length]
    turn += 1
    return disguise?.(secret) ?? ''
  }

  const card = (): string => {
    const number = cardNumber(turn)
    seen.add(number)
    return turn % 2 === 0 ? number : number.replace(/(\d{4})(?=\d)/g, '$1 ')
  }

  const learn = (text: string | undefined) => {
    // Of a JWT the signature is what makes it one; header and claims may be told.
    const secret = text?.split('.').length === 3 ? text.split('.')[2] : text
    if (secret !== undefined && secret.length >= 8) seen.add(secret)
  }

  const heard = (ctx: Context): string[] => {
    const form = new URLSearchParams(stateOf(ctx).body)
    const secret = ['client_assertion', 'code', 'refresh_token', 'password']
    const credential = ctx.get('authorization').split(' ')[1]
    // A word, such as `undefined`, is sent instead of a credential, and is none.
    const authorization = credential && /^[a-z]+$/.test(credential) ? undefined : credential
    const request = typeof ctx.query.request === 'string' ? ctx.query.request : undefined
    const all = [...secret.map((name) => form.get(name) ?? undefined), authorization, request]
    const said = all.filter((value): value is string => value !== undefined && value !== '')
    for (const value of said) learn(value)
    const cookies = ctx
      .get('cookie')
      .split('; ')
      .map((pair) => pair.slice(pair.indexOf('=') + 1))
    for (const value of cookies) learn(value)
    return [...said, ...cookies.filter((value) => value.length >= 8)]
  }

  return {
    get seen() {
      return new Set([...seen].filter((secret) => !ids.has(secret)))
    },
    get requests() {
      return requests
    },
    alteration: {
      id: 'leaky',
      story: 'Debugging was left on.',
      async middleware(ctx, proceed) {
        requests += 1
        const said = heard(ctx)
        await proceed()
        for (const id of idsIn(ctx.body)) ids.add(id)
        const { bank } = stateOf(ctx)
        // Node writes no header that holds anything else.
        const header = (text: string) => text.replace(/[^\t\x20-\x7e]/g, '_')
        ctx.set('x-debug', header(next(said)))
        ctx.append('x-debug', header(`${next(said)}; ${card()}`))
        const location = String(ctx.response.headers.location ?? '')
        if (location.includes('#')) {
          const fragment = new URLSearchParams(location.slice(location.indexOf('#') + 1))
          const token = fragment.get('id_token')
          learn(fragment.get('code') ?? undefined)
          if (token) {
            const claims = JSON.parse(
              Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
            )
            const signed = bank.signAsBank({
              ...claims,
              email: next(said),
              debug: [next(said), card()],
            })
            learn(signed)
            fragment.set('id_token', signed)
          }
          fragment.set('debug', next(said))
          ctx.set('location', `${location.slice(0, location.indexOf('#'))}#${fragment}`)
        }
        if (typeof ctx.body === 'string') {
          const at = ctx.body.indexOf('</main>')
          const more = `<!-- ${next(said)} --><p title="${next([]).replaceAll('"', '&quot;')}">${card()}</p>`
          if (at > 0) ctx.body = ctx.body.slice(0, at) + more + ctx.body.slice(at)
          return
        }
        if (typeof ctx.body !== 'object' || ctx.body === null || Buffer.isBuffer(ctx.body)) return
        const body = ctx.body as Record<string, unknown>
        for (const name of ['access_token', 'refresh_token', 'id_token']) {
          if (typeof body[name] === 'string') learn(body[name])
        }
        body.Debug = { [`about ${next([])}`]: [next(said), { again: next(said) }], card: card() }
        if (typeof body.Message === 'string') body.Message += ` for ${next(said)}`
        if (typeof body.error_description === 'string') body.error_description += ` ${next(said)}`
        const accounts = (body.Data as { Account?: Record<string, unknown>[] } | undefined)?.Account
        for (const account of accounts ?? []) {
          account.Description = `${next([])} ${card()}`
          // No currency: what a check says of it holds a secret.
          account.Currency = next(said)
        }
      },
    },
  }
}
