/** Registrations that the bank changed. Requirements: specs/tpp/registration.yaml */
import type { ScenarioRun } from '../../engine/suite-api/certification.ts'
import { scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import { neverGivesUp, requireAltered, stopsThere, survives } from './common/expect.ts'
import { list, queryOf, requestObjectOf, seenOf, words } from './common/messages.ts'

/** Every visit asks only for what the bank stored. */
function usesWhatIsStored(run: ScenarioRun, name: 'redirect_uri' | 'scope', unaltered: string) {
  if (run.altered.length === 0) throw new NotApplicable(unaltered)
  for (const exchange of run.exchanges.filter(({ endpoint }) => endpoint === 'authorisation')) {
    const client = seenOf(exchange).client ?? {}
    const value = queryOf(exchange).get(name) ?? requestObjectOf(exchange)?.claims[name]
    const stored = name === 'scope' ? words(client.scope) : list(client.redirect_uris)
    const asked = name === 'scope' ? words(value) : [value]
    const other = asked.filter((each) => !stored.includes(each))
    if (other.length === 0) continue
    throw new Nonconformance({
      message: 'the client uses what it asked for, not what the bank returned',
      expected: `${name} ${stored.join(' ')}`,
      actual: `${name} ${asked.join(' ')}`,
      exchange,
    })
  }
  survives(run)
}

scenario({
  id: 'REG-07/redirect-uri',
  title: 'of the redirect URIs that a client registers, the bank keeps the last alone',
  right: 'It sends the customer to the redirect URI that the registration returned.',
  alteration: 'last-redirect-uri-is-stored',
  owns: ['TAUT-03/registered'],
  judge: (run) =>
    usesWhatIsStored(run, 'redirect_uri', 'the client registers a single redirect URI'),
})

scenario({
  id: 'REG-07/scope',
  title: 'of the scopes that a client registers, the bank keeps those for accounts alone',
  right: 'It asks the customer for registered scopes only.',
  alteration: 'scope-for-accounts-alone',
  owns: ['TAUT-04/registered', 'TTOK-10/own-scopes'],
  judge: (run) => usesWhatIsStored(run, 'scope', 'the client registers no scope beside accounts'),
})

scenario({
  id: 'TREG-06/other-values',
  title: 'the registration comes back with another on-behalf-of and members nobody asked for',
  right: 'It goes on with what it got.',
  alteration: 'registered-with-much-more',
  judge: (run) => survives(run),
})

for (const [name, alteration, title, what] of [
  [
    'refused',
    'registration-refused',
    'the bank refuses the registration with 400',
    'a refused registration',
  ],
  [
    'unavailable',
    'registration-unavailable',
    'the bank answers every registration with 503',
    'answers of 503',
  ],
] as const) {
  scenario({
    id: `TREG-08/${name}`,
    title,
    right: 'It gives up after some attempts, says so, and asks for no token.',
    alteration,
    owns: ['TTOK-03/issuer'],
    ...neverGivesUp,
    judge: (run) =>
      stopsThere(run, requireAltered(run, 'registers'), {
        what,
        needs: 'token',
        message: 'a client that is not registered asks for a token',
      }),
  })
}
