/** The correct bank, and certificates that are renewed. Requirements: specs/tpp/general.yaml */
import { Blocked, type ScenarioRun, scenario } from '../../engine/suite-api/certification.ts'
import { expectThat } from '../../engine/suite-api/expect.ts'
import { Nonconformance, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import { type Exchange, member } from '../../engine/suite-api/responses.ts'
import { after, lastSaid, requireAltered, requireRefusal, survives } from './common/expect.ts'
import { formOf, seenOf, sent } from './common/messages.ts'

scenario({
  id: 'TGEN-01/reads-everything',
  title: 'a client reads accounts, balances and transactions from the correct bank',
  right:
    'It registers, creates a consent, sends the customer to the bank, redeems the code and reads.',
  control: true,
  judge: (run) => survives(run),
})

scenario({
  id: 'TGEN-01/reads-again',
  title: 'a client reads again later, while the customer is absent',
  right: 'It reads with the access token that it kept.',
  steps: ['connect', 'read'],
  judge: (run) => survives(run),
})

scenario({
  id: 'TGEN-05/renewed-meanwhile',
  title: 'the certificate of the bank is renewed while the client reads',
  right: 'It trusts the authority, and continues.',
  alteration: 'certificate-renewed-meanwhile',
  judge: (run) => survives(run),
})

scenario({
  id: 'TGEN-05/renewed-since',
  title: 'the certificate of the bank was renewed since the client read last',
  right: 'It trusts the authority, and continues.',
  steps: ['connect', { fact: 'certificate-of-the-bank-renewed' }, 'read'],
  judge: (run) => survives(run),
})

/** A server with a wrong certificate gets no request of the task in which it has that certificate. */
function sendsNothingTo(
  run: ScenarioRun,
  what: string,
  from: 'connect' | 'read',
  at: (exchange: Exchange) => boolean = () => true,
): void {
  const [sent] = run.exchanges.filter(
    (each) => seenOf(each).goal === from && each.response !== undefined && at(each),
  )
  expectThat(sent === undefined, {
    message: `the client accepts ${what}`,
    expected: 'no request',
    actual: `${sent?.request.method} ${sent?.endpoint} was sent`,
    exchange: sent,
  })
  requireRefusal(run, what, run.exchanges.at(-1))
}

/** Was it sent to where clients register, get tokens, manage consents and read data? */
function isAtTheApi(exchange: Exchange): boolean {
  const { registrationEndpoint: place } = seenOf(exchange).expected ?? {}
  return place !== undefined && new URL(exchange.request.url).origin === new URL(place).origin
}

for (const [ids, fact, who, what] of [
  [
    ['TGEN-05/stranger', 'TGEN-05/stranger-from-the-start', 'TGEN-05/stranger-at-the-api'],
    'certificate-of-a-stranger',
    'with a certificate of an unknown authority',
    'a certificate of an untrusted authority',
  ],
  [
    ['TGEN-05/other-host', 'TGEN-05/other-host-from-the-start', 'TGEN-05/other-host-at-the-api'],
    'certificate-of-another-host',
    'with a certificate of the same authority for another name',
    'a certificate for another host',
  ],
] as const) {
  const [id, fromTheStart, atTheApi] = ids
  scenario({
    id,
    title: `somebody else is at the address of the bank, ${who}`,
    right: 'It ends the connection before anything is sent, and says that it refused.',
    steps: ['connect', { fact }, 'read'],
    judge: (run) => sendsNothingTo(run, what, 'read'),
  })
  scenario({
    id: fromTheStart,
    title: `before the client comes somebody else is at the address of the bank, ${who}`,
    right:
      'It ends the first connection before anything is sent, wherever it leads, and says that it refused.',
    steps: [{ fact }, 'connect'],
    judge: (run) => sendsNothingTo(run, what, 'connect'),
  })
  scenario({
    id: atTheApi,
    title: `the configuration is the bank’s, and somebody else is where it leads to register, ${who}`,
    right: 'It ends that connection before anything is sent, and says that it refused.',
    steps: [{ fact: `${fact}-at-the-api` }, 'connect'],
    judge: (run) => sendsNothingTo(run, what, 'connect', isAtTheApi),
  })
}

scenario({
  id: 'TGEN-02/renewed',
  title: 'the transport certificate of the TPP is renewed, and the previous one is no longer valid',
  right: 'It uses the new certificate, and gets a new access token where the old one is bound.',
  steps: ['connect', { fact: 'certificate-of-the-TPP-renewed' }, 'read'],
  owns: ['TGEN-02/certificate'],
  judge(run) {
    const later = run.exchanges.filter(
      (each) => seenOf(each).goal === 'read' && seenOf(each).certificate !== 'none',
    )
    if (later.some((each) => seenOf(each).certificate === 'valid')) return
    const [old] = later
    if (!old) {
      const what = 'a client that reads again'
      throw new Blocked({ kind: 'data', what }, `needs ${what}`)
    }
    throw new Nonconformance({
      message: 'the client continues with the transport certificate that was replaced',
      expected: 'the new transport certificate',
      actual: `the one before; it says: ${lastSaid(run).words || lastSaid(run).end}`,
      exchange: old,
    })
  },
})

/** Endpoints to which a client that accepted the configuration sends requests. */
const CONFIGURED: readonly Exchange['endpoint'][] = ['registration', 'token', 'authorisation']

scenario({
  id: 'TGEN-07/issuer',
  title: 'the well-known configuration names another issuer than the one at whose address it is',
  right: 'It compares the issuer with the one that it was given, uses nothing of it, and says so.',
  alteration: 'configuration-of-another-issuer',
  owns: ['TREG-07/audience', 'TTOK-03/audience', 'TAUT-09/audience'],
  judge(run) {
    const [altered] = run.altered
    if (!altered) throw new NotApplicable('the client reads no configuration')
    const used = after(run, altered).find(({ endpoint }) => CONFIGURED.includes(endpoint))
    if (used) {
      throw new Nonconformance({
        message: 'the client uses the configuration of another issuer',
        expected: 'no registration, authorisation or token request by that configuration',
        actual: `${used.request.method} ${used.endpoint} was sent`,
        exchange: used,
      })
    }
    requireRefusal(run, 'the configuration of another issuer', altered)
  },
})

scenario({
  id: 'TGEN-08/redirected',
  title: 'requests for data are answered with a redirect to another host',
  right: 'It sends its access token to no other host, and says that it did not get the data.',
  alteration: 'data-moved-to-another-host',
  judge(run) {
    const altered = requireAltered(run, 'reads data')
    const hostOf = ({ request }: Exchange) => new URL(request.url).hostname
    const leaked = after(run, altered).find(
      (each) => hostOf(each) !== hostOf(altered) && sent(each, 'authorization') !== undefined,
    )
    if (leaked) {
      throw new Nonconformance({
        message: 'the client sends its access token to whatever host a redirect names',
        expected: 'no request to that host, or one without Authorization',
        actual: `an Authorization header was sent to ${new URL(leaked.request.url).host}`,
        exchange: leaked,
      })
    }
    requireRefusal(run, 'a redirect instead of data', altered)
  },
})

/** Access tokens from customers’ consents. */
const customersTokens = ({ exchanges }: ScenarioRun) =>
  exchanges
    .filter(
      (each) =>
        each.endpoint === 'token' && formOf(each).get('grant_type') !== 'client_credentials',
    )
    .map(({ response }) => member(response?.json, 'access_token'))
    .filter((token) => typeof token === 'string')

scenario({
  id: 'TGEN-08/products',
  title: 'a client that has the access token of a customer reads the list of products',
  right: 'It sends the access token of no customer: the list is about none.',
  steps: ['connect', 'products'],
  judge(run) {
    const tokens = customersTokens(run)
    const reads = run.exchanges.filter(({ endpoint }) => endpoint === 'products')
    if (tokens.length === 0 || reads.length === 0) {
      const what = 'a client that connects and reads products'
      throw new Blocked({ kind: 'data', what }, `needs ${what}`)
    }
    const leaked = reads.find((each) =>
      tokens.some((token) => sent(each, 'authorization')?.endsWith(token)),
    )
    expectThat(leaked === undefined, {
      message: 'the client sends the access token of a customer to where the products are',
      expected: 'Content-Type and Accept, and no access token of a customer',
      actual: 'an Authorization header with that token',
      exchange: leaked,
    })
  },
})
