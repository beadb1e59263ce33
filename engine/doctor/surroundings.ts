import { HOOKS } from '../configuration/target.ts'
import { environmentFacts } from '../record/environment.ts'
import { isPlainWord } from '../wire/secret-encodings.ts'
import { correctAddress } from './address-mistake.ts'
import { type Case, tppOf } from './case.ts'
import { type Examination, note, ok, skipped, wrong } from './finding.ts'
import { placeOf } from './places.ts'
import { programProblem } from './programs.ts'
import { answerWords } from './words.ts'

/** Reports mask the customers' credentials everywhere: an ordinary word as a credential hides much of a report. */
export function secretsExamination({ target }: Case): Examination {
  return {
    name: 'secrets',
    run() {
      const words = Object.entries(target.document.customers).flatMap(([who, customer]) =>
        Object.entries(customer?.credentials ?? {})
          .filter(([, value]) => /^\p{L}{4,16}$/u.test(value) && isPlainWord(value))
          .map(([name]) => `customers.${who}.credentials.${name}`),
      )
      if (words.length === 0) return []
      const are = words.length === 1 ? 'is a word' : 'are words'
      const effect = 'reports mask it wherever it stands, in names of fields too'
      return note(`${words.join(', ')} ${are} of letters alone: ${effect}`)
    },
  }
}

/** What the environment changes in how servers are verified and reached. */
export function environmentExamination({ target }: Case): Examination {
  return {
    name: 'environment',
    run: () =>
      environmentFacts(process.env, target.trust !== undefined).map(({ name, effect }) =>
        note(`${name}: ${effect}`),
      ),
  }
}

/** Checks that the hooks' programs exist. Hooks are never called, because they would change the state of the bank. */
export function hooksExamination({ target }: Case): Examination {
  return {
    name: 'hooks',
    run() {
      const { hooks = {} } = target.document
      const given = HOOKS.filter((name) => hooks[name] !== undefined)
      const lacking = HOOKS.filter((name) => hooks[name] === undefined)
      const broken = given.flatMap((name) => {
        const command = hooks[name]?.command?.[0]
        if (command === undefined) return []
        return programProblem(command, target.base, `hooks.${name}.command`) ?? []
      })
      if (broken.length > 0) return broken
      const missing = `without ${lacking.join(', ')}: their checks are not applicable`
      return [
        ...(given.length > 0 ? [ok(given.join(', '))] : []),
        ...(lacking.length > 0 ? [note(missing)] : []),
      ]
    },
  }
}

export function productsExamination(known: Case): Examination {
  const { target, timeout } = known
  return {
    name: 'products',
    needs: placeOf(known, 'products'),
    async run() {
      if (target.absent.has('products')) return skipped('the target declares them absent')
      const exchange = await tppOf(known).call('products', { timeout })
      const { status = 500, json } = exchange.response ?? {}
      const at = target.endpoints.products
      if (status === 200) {
        if (json !== undefined) return ok('the list is served')
        if (exchange.response?.body.startsWith('\ufeff')) {
          const text = `${at} begins its JSON with a byte order mark, which it must not add (RFC 8259 8.1)`
          return wrong('bank', text)
        }
        const mend = correctAddress('products', target.document)
        return wrong('configuration', `${at} serves no JSON`, mend)
      }
      const text = `${at} answers ${answerWords(exchange)}`
      if (status >= 500) return wrong('bank', text)
      const mend =
        status === 401 || status === 403
          ? 'Write products.headers (a key) or products.client (a certificate).'
          : correctAddress('products', target.document)
      return wrong('configuration', text, mend)
    },
  }
}
