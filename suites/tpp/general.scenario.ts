/** The correct bank, and certificates that are renewed. Requirements: specs/tpp/general.yaml */
import { Blocked, type ScenarioRun, scenario } from '../../engine/suite-api/certification.ts'
import { expectThat } from '../../engine/suite-api/expect.ts'
import { Nonconformance } from '../../engine/suite-api/outcomes.ts'
import { lastSaid, requireRefusal, survives } from './common/expect.ts'
import { seenOf } from './common/messages.ts'

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
  title: 'a client reads again later, while the customer is away',
  right: 'It reads with the access token that it kept.',
  steps: ['connect', 'read'],
  judge: (run) => survives(run),
})

scenario({
  id: 'TGEN-05/renewed-meanwhile',
  title: 'the certificate of the bank is renewed while the client reads',
  right: 'It trusts the authority, and goes on.',
  alteration: 'certificate-renewed-meanwhile',
  judge: (run) => survives(run),
})

scenario({
  id: 'TGEN-05/renewed-since',
  title: 'the certificate of the bank was renewed since the client read last',
  right: 'It trusts the authority, and goes on.',
  steps: ['connect', { fact: 'certificate-of-the-bank-renewed' }, 'read'],
  judge: (run) => survives(run),
})

/** Whoever shows a wrong certificate gets no request of the goal at which it is there. */
function sendsNothingTo(run: ScenarioRun, what: string, from: 'connect' | 'read'): void {
  const [sent] = run.exchanges.filter(
    (each) => seenOf(each).goal === from && each.response !== undefined,
  )
  expectThat(sent === undefined, {
    message: `the client accepts ${what}`,
    expected: 'no request',
    actual: `${sent?.request.method} ${sent?.endpoint} was sent`,
    exchange: sent,
  })
  requireRefusal(run, what, run.exchanges.at(-1))
}

for (const [name, fact, title, what] of [
  [
    'stranger',
    'certificate-of-a-stranger',
    'somebody else is at the address of the bank, with a certificate of an unknown authority',
    'a certificate of an authority that nobody trusts',
  ],
  [
    'other-host',
    'certificate-of-another-host',
    'somebody else is at the address of the bank, with a certificate of the same authority for another name',
    'a certificate for another host',
  ],
] as const) {
  scenario({
    id: `TGEN-05/${name}`,
    title,
    right: 'It ends the connection before anything is sent, and says that it refused.',
    steps: ['connect', { fact }, 'read'],
    judge: (run) => sendsNothingTo(run, what, 'read'),
  })
  scenario({
    id: `TGEN-05/${name}-from-the-start`,
    title: `before the client comes ${title}`,
    right:
      'It ends the first connection before anything is sent, wherever it leads, and says that it refused.',
    steps: [{ fact }, 'connect'],
    judge: (run) => sendsNothingTo(run, what, 'connect'),
  })
}

scenario({
  id: 'TGEN-02/renewed',
  title: 'the transport certificate of the TPP is renewed, and the one before is worth nothing',
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
      message: 'the client goes on with the transport certificate that was replaced',
      expected: 'the new transport certificate',
      actual: `the one before; it says: ${lastSaid(run).words || lastSaid(run).end}`,
      exchange: old,
    })
  },
})
