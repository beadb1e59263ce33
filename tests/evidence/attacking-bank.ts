import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'

/** Values that nothing depends on: they are replaced by the attack. */
const FREE_TEXT =
  /^(Description|Nickname|TransactionInformation|MerchantName|Message|Path|Url|error_description|Currency|AddressLine|Brand|LegalName|Name|Notes|Title)$/

/** The attack in every object: as a value, in a list, as a name; and in place of every free text. */
function poisoned(value: unknown, attack: string): unknown {
  if (Array.isArray(value)) return value.map((member) => poisoned(member, attack))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    typeof member === 'string' && FREE_TEXT.test(name) ? attack : poisoned(member, attack),
  ])
  return { ...Object.fromEntries(members), [attack]: [attack], attack }
}

/** What Node lets into a header, and into the words behind a status. */
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '_')

/**
 * A bank that attacks whoever reads the report: markup, script and what terminals obey, in every member,
 * header, redirect, page, status line and error body.
 */
export function attackingBank(attack: string): Alteration {
  return {
    id: 'attacking',
    story: 'Somebody at the bank wants to own the laptop of its QA.',
    async middleware(ctx, proceed) {
      await proceed()
      const { bank } = stateOf(ctx)
      ctx.set('x-attack', printable(attack))
      ctx.set('server', printable(attack))
      ctx.message = printable(attack).slice(0, 400)
      const location = String(ctx.response.headers.location ?? '')
      if (location.includes('#')) {
        const [address, fragment = ''] = location.split('#')
        const answer = new URLSearchParams(fragment)
        answer.set('debug', attack)
        answer.set(attack, attack)
        const claims = answer.get('id_token')?.split('.')[1]
        if (claims) {
          const told = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
          answer.set('id_token', bank.signAsBank({ ...told, attack, [attack]: attack }))
        }
        ctx.set('location', `${address}#${answer}`)
      }
      if (typeof ctx.body === 'string') {
        ctx.body = ctx.body.replace('</main>', () => `${attack}</main>`)
        return
      }
      if (ctx.status >= 400 && ctx.status !== 401 && ctx.method === 'GET') {
        ctx.type = 'text/html'
        ctx.body = `<html><body onload="alert(1)">${attack}</body></html>`
        return
      }
      if (ctx.body && !Buffer.isBuffer(ctx.body)) ctx.body = poisoned(ctx.body, attack)
    },
  }
}
