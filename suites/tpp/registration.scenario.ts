/** Registrations that the bank changed. Requirements: specs/tpp/registration.yaml */
import type { ScenarioRun } from '../../engine/suite-api/certification.ts'
import { scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import type { Exchange } from '../../engine/suite-api/responses.ts'
import {
  lastSaid,
  neverGivesUp,
  requireAltered,
  requireRefusal,
  requireUnbroken,
  stopsThere,
  survives,
} from './common/expect.ts'
import {
  formOf,
  list,
  queryOf,
  requestObjectOf,
  scopesOf,
  seenOf,
  words,
} from './common/messages.ts'

/** Token requests of a client that is registered. */
const tokenRequests = ({ exchanges }: ScenarioRun) =>
  exchanges.filter((each) => each.endpoint === 'token' && seenOf(each).client)

/** A request asks only for values that the bank stored. */
function requireStored(exchange: Exchange, name: string, asked: unknown[], stored: unknown[]) {
  if (asked.every((each) => stored.includes(each))) return
  throw new Nonconformance({
    message: 'the client uses another value than the bank returned',
    expected: `${name} ${stored.join(' ')}`,
    actual: `${name} ${asked.join(' ')}`,
    exchange,
  })
}

/** No token request names a scope that the bank did not store. */
function asksForStoredScopes(run: ScenarioRun): void {
  for (const exchange of tokenRequests(run)) {
    const stored = words(seenOf(exchange).client?.scope)
    requireStored(exchange, 'scope', words(formOf(exchange).get('scope')), stored)
  }
}

/** Every visit asks only for what the bank stored. */
function usesWhatIsStored(run: ScenarioRun, name: 'redirect_uri' | 'scope', unaltered: string) {
  if (run.altered.length === 0) throw new NotApplicable(unaltered)
  for (const exchange of run.exchanges.filter(({ endpoint }) => endpoint === 'authorisation')) {
    const client = seenOf(exchange).client ?? {}
    if (name === 'scope') {
      requireStored(exchange, name, scopesOf(exchange), words(client.scope))
      continue
    }
    const uri = queryOf(exchange).get(name) ?? requestObjectOf(exchange)?.claims[name]
    requireStored(exchange, name, [uri], list(client.redirect_uris))
  }
  if (name === 'scope') asksForStoredScopes(run)
  if (lastSaid(run).end === 'refused') {
    requireUnbroken(run)
    throw new NotApplicable(
      'the client gives up where the bank returned other values than it needs',
    )
  }
  survives(run)
}

scenario({
  id: 'REG-07/redirect-uri',
  title: 'of the redirect URIs that a client registers, the bank keeps only the last',
  right: 'It sends the customer to the redirect URI that the registration returned.',
  alteration: 'last-redirect-uri-is-stored',
  owns: ['TAUT-03/registered'],
  judge: (run) =>
    usesWhatIsStored(run, 'redirect_uri', 'the client registers a single redirect URI'),
})

const NO_SCOPE_BESIDE = 'the client registers no scope beside accounts'

scenario({
  id: 'REG-07/scope',
  title: 'of the scopes that a client registers, the bank keeps only those for accounts',
  right: 'It asks the customer for registered scopes only.',
  alteration: 'scope-for-accounts-alone',
  owns: ['TAUT-04/registered', 'TTOK-10/own-scopes'],
  judge: (run) => usesWhatIsStored(run, 'scope', NO_SCOPE_BESIDE),
})

scenario({
  id: 'REG-07/scope-of-funds',
  title:
    'a funds confirmation consent is needed, and of the scopes the bank has kept only those for accounts',
  right: 'It asks for a token with registered scopes only, or says that it cannot confirm funds.',
  alteration: 'scope-for-accounts-alone',
  owns: ['TTOK-10/own-scopes'],
  steps: ['confirm-funds'],
  judge(run) {
    if (run.altered.length === 0) throw new NotApplicable(NO_SCOPE_BESIDE)
    asksForStoredScopes(run)
  },
})

scenario({
  id: 'REG-07/grant-types',
  title: 'of the grant types that a client registers, the bank keeps all but client_credentials',
  right: 'It asks for no token by a grant that the registration did not return, and says so.',
  alteration: 'client-credentials-are-not-stored',
  owns: ['TTOK-07/grant'],
  judge(run) {
    const [altered] = run.altered
    if (!altered) throw new NotApplicable('the client was registered before')
    for (const exchange of tokenRequests(run)) {
      // OpenID Connect requires implicit for code id_token; no token request uses it.
      const stored = list(seenOf(exchange).client?.grant_types).filter(
        (each) => each !== 'implicit',
      )
      requireStored(exchange, 'grant_type', [formOf(exchange).get('grant_type')], stored)
    }
    requireRefusal(run, 'a registration without client_credentials', altered)
  },
})

scenario({
  id: 'TREG-10/other-method',
  title: 'the registration comes back with the authentication method tls_client_auth',
  right: 'How it handles that is recorded: the document knows private_key_jwt alone.',
  alteration: 'registered-for-tls-client-auth',
  owns: ['TTOK-01/method'],
  judge(run) {
    if (run.altered.length === 0) throw new NotApplicable('the client was registered before')
    const [asked] = tokenRequests(run)
    const used =
      asked && (formOf(asked).has('client_assertion') ? 'private_key_jwt' : 'another one')
    run.observe(
      'registered for tls_client_auth the client authenticates by',
      used ?? `nothing: ${lastSaid(run).words}`,
    )
  },
})

scenario({
  id: 'TREG-06/other-values',
  title:
    'the registration comes back with another software_on_behalf_of and members that nobody asked for',
  right: 'It continues with what it got.',
  alteration: 'registered-with-much-more',
  judge: (run) => survives(run),
})

for (const [id, alteration, title, what] of [
  [
    'TREG-08/refused',
    'registration-refused',
    'the bank refuses the registration with 400',
    'a refused registration',
  ],
  [
    'TREG-08/unavailable',
    'registration-unavailable',
    'the bank answers every registration with 503',
    'answers of 503',
  ],
] as const) {
  scenario({
    id,
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
