/** Consents that end, or are refused or deleted. Requirements: specs/tpp/consents.yaml */
import type { Goal, ScenarioRun } from '../../engine/suite-api/certification.ts'
import { Blocked, scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import { type Exchange, member } from '../../engine/suite-api/responses.ts'
import {
  after,
  dataIn,
  givesUp,
  givesUpAndSaysSo,
  lastRefusal,
  lastSaid,
  neverGivesUp,
  requireAltered,
  requireReading,
  requireRefusal,
  requireUnbroken,
  stopsThere,
  survives,
} from './common/expect.ts'
import { DATA, isSentAfter, seenOf, sent } from './common/messages.ts'

const deletions = (run: ScenarioRun) =>
  run.exchanges.filter(({ endpoint }) => endpoint === 'delete-account-access-consent')

/** CLC-20/deletes judges whether a client deletes at all. */
function blockForDeletion(): never {
  const what = 'a client that deletes consents'
  throw new Blocked({ kind: 'data', what }, `needs ${what}`)
}

scenario({
  id: 'CLC-20/deletes',
  title: 'the customer revokes consent with the TPP',
  right: 'It deletes the consent at the bank.',
  steps: ['connect', 'disconnect'],
  judge(run) {
    const deletion = deletions(run).find(({ response }) => response?.status === 204)
    if (deletion) return
    requireUnbroken(run)
    throw new Nonconformance({
      message:
        lastSaid(run).end === 'done'
          ? 'client and bank disagree: the client says that the consent is revoked, and the bank got no deletion'
          : 'the consent was not deleted',
      expected: 'DELETE /account-access-consents/{ConsentId}, answered with 204',
      actual: deletions(run).length > 0 ? 'a DELETE that the bank refused' : 'no such request',
      exchange: deletions(run).at(-1) ?? run.exchanges.at(-1),
    })
  },
})

/** After the answer 401 to a deletion the client gets a new token, and deletes a consent with it. */
function deletesWithANewToken(run: ScenarioRun): void {
  const altered = requireAltered(run, 'deletes consents')
  const old = sent(altered, 'authorization')
  const again = after(run, altered).filter(({ endpoint }) => endpoint === altered.endpoint)
  if (again.some((each) => sent(each, 'authorization') !== old && each.response?.status === 204)) {
    return
  }
  throw new Nonconformance({
    message: 'the client gets no new token after a 401',
    expected: 'a new access token, and the deletion with it',
    actual:
      again.length > 0
        ? 'the deletion with the same token'
        : `no further deletion; it says: ${lastSaid(run).words}`,
    exchange: again.at(-1) ?? altered,
  })
}

for (const [id, what, steps] of [
  ['CLC-21/new-token', 'the consent', ['connect', 'disconnect', 'disconnect']],
  ['CLC-21/funds', 'a funds confirmation consent', ['confirm-funds', 'confirm-funds']],
] as const) {
  scenario({
    id,
    title: `the access token has expired when ${what} is deleted: the bank answers 401, and the client is asked again`,
    right:
      'It gets a new token, at once or when it is asked again, and deletes the consent with it.',
    alteration: 'first-deletion-meets-an-expired-token',
    steps: [...steps],
    enough: (run) =>
      run.exchanges.some(
        ({ endpoint, response }) =>
          /^delete-.*-consent$/.test(endpoint) && response?.status === 204,
      ),
    judge: deletesWithANewToken,
  })
}

const DISCONNECTS = ['connect', 'disconnect'] as const
const FUNDS = ['confirm-funds'] as const

for (const [id, status, steps, what] of [
  ['TCON-13/refused', 401, DISCONNECTS, 'a consent'],
  ['TCON-13/unavailable', 503, DISCONNECTS, 'a consent'],
  ['TCON-13/funds-refused', 401, FUNDS, 'a funds confirmation consent'],
  ['TCON-13/funds-unavailable', 503, FUNDS, 'a funds confirmation consent'],
] as const) {
  scenario({
    id,
    title: `the bank answers with ${status} whenever ${what} is deleted`,
    right: 'It gives up after some attempts, and says that the consent is not deleted.',
    alteration: status === 401 ? 'deletions-refused' : 'deletions-unavailable',
    ...neverGivesUp,
    steps: [...steps],
    judge: (run) => givesUpAndSaysSo(run, 'deletes consents', `answers of ${status}`),
  })
}

scenario({
  id: 'TCON-20/refused',
  title: 'the bank refuses to create a funds confirmation consent',
  right: 'It says so.',
  alteration: 'consent-refused',
  ...neverGivesUp,
  steps: ['confirm-funds'],
  judge: (run) =>
    givesUpAndSaysSo(run, 'creates a funds confirmation consent', 'a refused consent'),
})

scenario({
  id: 'TCON-14/forbidden',
  title: 'the bank answers with 403 whenever a consent is deleted',
  right: 'How it handles that is recorded: a consent that is gone may have the same answer.',
  alteration: 'deletions-of-another-client',
  steps: ['connect', 'disconnect'],
  judge(run) {
    requireAltered(run, 'deletes consents')
    const { end, words } = lastSaid(run)
    run.observe(
      'of a deletion answered with 403 the client says',
      end === 'done' ? 'that it is done' : words,
    )
  },
})

for (const [id, alteration, title, what] of [
  [
    'TCON-05/refused',
    'consent-refused',
    'the bank refuses to create the consent',
    'a refused consent',
  ],
  [
    'TCON-05/unavailable',
    'consents-unavailable',
    'the bank answers with 503 when a consent is created',
    'answers of 503',
  ],
  [
    'TCON-05/no-consent-id',
    'consents-without-an-id',
    'the answer to the creation of a consent holds no ConsentId',
    'an answer without a ConsentId',
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It says so, and sends no customer to the bank.',
    alteration,
    ...neverGivesUp,
    judge: (run) =>
      stopsThere(run, requireAltered(run, 'creates a consent'), {
        what,
        needs: 'authorisation',
        message: 'a customer is sent to the bank for a consent that does not exist',
      }),
  })
}

/** Requests for data after the consent has ended. */
const readLater = ({ exchanges }: ScenarioRun) =>
  exchanges.filter((each) => seenOf(each).goal === 'read' && DATA.includes(each.endpoint))

/** The consent has ended: the client says so, and does not keep asking. */
function notices(run: ScenarioRun, what: string): void {
  const later = readLater(run)
  givesUp(later)
  requireRefusal(run, what, later.at(-1))
}

const unending = (run: ScenarioRun) => givesUp(readLater(run))

for (const [id, fact, title, alteration] of [
  [
    'TCON-06/revoked',
    'customer-revokes',
    'the customer has revoked consent at the bank',
    undefined,
  ],
  ['TCON-06/expired', 'consent-expired', 'the consent has expired', 'every-consent-expires'],
  [
    'TCON-06/ninety-days',
    'ninety-days-passed',
    'the consent was confirmed ninety days ago',
    undefined,
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It says that the customer must connect or re-confirm, and does not keep asking.',
    ...(alteration && { alteration }),
    steps: ['connect', { fact }, 'read'],
    unending,
    judge: (run) => notices(run, `a consent that has ended (${title})`),
  })
}

scenario({
  id: 'TCON-06/deleted',
  title: 'the consent was deleted when the customer revoked it with the TPP',
  right: 'It says that there is no consent, and does not keep asking with its tokens.',
  steps: ['connect', 'disconnect', 'read'],
  unending,
  judge(run) {
    if (!deletions(run).some(({ response }) => response?.status === 204)) blockForDeletion()
    notices(run, 'a consent that it deleted')
  },
})

scenario({
  id: 'TCON-11/data-after-deletion',
  title:
    'the consent was deleted when the customer revoked it with the TPP, and its tokens still work',
  right: 'It reads nothing under a consent that it deleted, and says that there is none.',
  alteration: 'access-token-outlives-its-consent',
  steps: ['connect', 'disconnect', 'read'],
  unending,
  judge(run) {
    if (!deletions(run).some(({ response }) => response?.status === 204)) blockForDeletion()
    const [got] = dataIn(readLater(run)).filter((each) => seenOf(each).consent?.deleted)
    if (got) {
      throw new Nonconformance({
        message: 'the client reads data under a consent that it deleted',
        expected: 'no request for data with the tokens of that consent',
        actual: `GET ${got.endpoint}, answered with 200`,
        exchange: got,
      })
    }
    requireRefusal(run, 'a consent that it deleted', readLater(run).at(-1))
  },
})

scenario({
  id: 'TCON-10/consent-ids',
  title: 'a ConsentId holds characters that must be encoded where it stands in a path',
  right: 'It encodes the ConsentId, and deletes the consent that it created.',
  alteration: 'consent-ids-are-urns',
  owns: ['TGEN-06/documented'],
  steps: ['connect', 'disconnect'],
  judge(run) {
    requireAltered(run, 'creates a consent')
    const refusal = run.said.find(({ end }) => end === 'refused')
    const deletion = deletions(run).find(({ response }) => response?.status === 204)
    if (deletion && !refusal) return
    requireUnbroken(run)
    if (!refusal && deletions(run).length === 0) blockForDeletion()
    throw new Nonconformance({
      message: 'the client cannot work with this ConsentId',
      expected: 'the consent is approved, and deleted',
      actual: refusal ? `asked to ${refusal.goal} it says: ${refusal.words}` : 'no deletion',
      exchange: run.exchanges.at(-1),
    })
  },
})

scenario({
  id: 'TCON-06/status-revoked',
  title: 'the customer has revoked consent at the bank: a query of the consent says Revoked',
  right: 'It says so, and asks for nothing under that consent again.',
  // Requests sent at the same time as the query have been answered by then.
  alteration: 'revoked-is-told-slowly',
  steps: ['connect', { fact: 'customer-revokes' }, 'read'],
  judge(run) {
    const query = run.exchanges.find(
      ({ endpoint, response }) =>
        endpoint === 'query-account-access-consent' &&
        member(response?.json, 'Data', 'Status') === 'Revoked',
    )
    if (!query) throw new NotApplicable('the client does not query the consent')
    const path = ({ request }: Exchange) => new URL(request.url).pathname
    const refused = readLater(run)
      .filter((each) => !after(run, query).includes(each))
      .filter(({ response }) => response !== undefined && response.status >= 400)
      .map(path)
    // If data was requested and refused first, other requests may already be on their way: only a repeated path counts.
    const again = readLater(run).find(
      (each) => isSentAfter(each, query) && (refused.length === 0 || refused.includes(path(each))),
    )
    if (again) {
      throw new Nonconformance({
        message: 'the client asks again under a consent that it saw Revoked',
        expected: 'no further request for data',
        actual: `${again.request.method} ${again.endpoint}`,
        exchange: again,
      })
    }
    requireRefusal(run, 'a consent that is Revoked', query)
  },
})

scenario({
  id: 'TCON-18/little',
  title: 'the answer to the creation of a consent holds only its ConsentId and Status',
  right: 'It continues with the ConsentId.',
  alteration: 'created-consents-say-little',
  judge: (run) => survives(run),
})

const consentOf = (exchange: Exchange) => seenOf(exchange).consent?.id

/** Consents for which customers were sent to the bank while the client pursued this goal. */
function visited({ exchanges }: ScenarioRun, goal: Goal): Exchange[] {
  return exchanges.filter((each) => {
    const seen = seenOf(each)
    return each.endpoint === 'authorisation' && seen.goal === goal && seen.consent
  })
}

/** The visits of a second customer; not applicable without any. */
function secondVisits(run: ScenarioRun): Exchange[] {
  const visits = visited(run, 'connect-another')
  if (visits.length > 0) return visits
  requireUnbroken(run)
  throw new NotApplicable('the client sends no second customer to the bank')
}

/** An answer with data of this goal, if none of them is under one of the consents of the visits. */
function otherData(run: ScenarioRun, goal: Goal, visits: Exchange[]): Exchange | undefined {
  const own = visits.map(consentOf)
  const got = dataIn(run.exchanges).filter((each) => seenOf(each).goal === goal)
  return got.some((each) => own.includes(consentOf(each))) ? undefined : got[0]
}

scenario({
  id: 'TCON-16/own-consent',
  title: 'a second customer connects',
  right:
    'It creates a consent for this customer, sends the customer to the bank for that one, and reads under it.',
  steps: ['connect', 'connect-another'],
  judge(run) {
    const second = secondVisits(run)
    const known = visited(run, 'connect').map(consentOf)
    const shared = second.find((visit) => known.includes(consentOf(visit)))
    if (shared) {
      throw new Nonconformance({
        message: 'a customer is sent to the bank for the consent of another customer',
        expected: 'a consent that was created for this customer',
        actual: 'an authorisation request with the intent id of the first customer’s consent',
        exchange: shared,
      })
    }
    const other = otherData(run, 'connect-another', second)
    // A job may read the data of the first customer at any time.
    if (!other || lastSaid(run).end === 'refused') return
    throw new Nonconformance({
      message: 'for a customer who connects the data of another customer are read',
      expected: 'data under the consent of this customer',
      actual: `GET ${other.endpoint} under the first customer’s consent, and nothing under the own one`,
      exchange: other,
    })
  },
})

scenario({
  id: 'TCON-19/own-data',
  title: 'a second customer has connected, and the data of the first one are read again',
  right: 'It reads them with the tokens of the first customer.',
  steps: ['connect', 'connect-another', 'read'],
  judge(run) {
    const second = secondVisits(run)
    const first = visited(run, 'connect')
    const known = first.map(consentOf)
    if (second.some((visit) => known.includes(consentOf(visit)))) {
      throw new NotApplicable('both customers have the same consent')
    }
    requireReading(run)
    const other = otherData(run, 'read', first)
    if (!other) return
    throw new Nonconformance({
      message: 'asked for the data of one customer the client reads those of another',
      expected: 'data under the consent of the customer of connect',
      actual: `GET ${other.endpoint} under the consent of the second customer, and nothing under the first one’s`,
      exchange: other,
    })
  },
})

/** Consents of the first and of a second customer; not applicable where they are the same. */
function consentsOfBoth(run: ScenarioRun): { own: unknown[]; others: unknown[] } {
  const others = secondVisits(run).map(consentOf)
  const own = visited(run, 'connect').map(consentOf)
  if (others.some((each) => own.includes(each))) {
    throw new NotApplicable('both customers have the same consent')
  }
  return { own, others }
}

scenario({
  id: 'TCON-19/own-refresh',
  title:
    'the access token of a customer expires, another one connects, and the first is read again',
  right: 'It refreshes with the refresh token of the first customer.',
  steps: ['connect', { fact: 'token-expired' }, 'connect-another', 'read'],
  judge(run) {
    const { own } = consentsOfBoth(run)
    const refreshed = run.exchanges.filter(
      (each) => seenOf(each).goal === 'read' && seenOf(each).refreshToken,
    )
    if (refreshed.length === 0) throw new NotApplicable('the client refreshes no token')
    // A job may refresh the tokens of the second customer at any time.
    if (refreshed.some((each) => own.includes(seenOf(each).refreshToken?.consentId))) return
    throw new Nonconformance({
      message: 'asked for the data of one customer the client refreshes the tokens of another',
      expected: 'a refresh with the refresh token of the customer of connect',
      actual: 'a refresh with that of the second customer, and none with the own one',
      exchange: refreshed[0],
    })
  },
})

scenario({
  id: 'CLC-20/own',
  title: 'a second customer has connected, and the first one revokes consent with the TPP',
  right: 'It deletes the consent of the first customer, and leaves that of the second.',
  steps: ['connect', 'connect-another', 'disconnect'],
  judge(run) {
    const { others } = consentsOfBoth(run)
    const gone = deletions(run).filter(({ response }) => response?.status === 204)
    if (gone.length === 0) {
      requireUnbroken(run)
      blockForDeletion()
    }
    const astray = gone.find((each) => others.includes(consentOf(each)))
    if (!astray) return
    throw new Nonconformance({
      message: 'a customer revokes consent, and the consent of another customer is deleted',
      expected: 'a deletion of the consent of the customer of connect',
      actual: 'a deletion of the consent of the second customer',
      exchange: astray,
    })
  },
})

scenario({
  id: 'TAUT-11/own-intent',
  title: 'a second customer has connected, and the first one re-confirms',
  right: 'It sends the customer to the bank with the intent id of their own consent.',
  steps: ['connect', 'connect-another', 'reconfirm'],
  judge(run) {
    const { own, others } = consentsOfBoth(run)
    const visits = visited(run, 'reconfirm')
    if (visits.some((each) => own.includes(consentOf(each)))) return
    const astray = visits.find((each) => others.includes(consentOf(each)))
    if (!astray) throw new NotApplicable('the client confirms no consent that exists')
    throw new Nonconformance({
      message: 'a customer is sent to the bank to confirm the consent of another customer',
      expected: 'an authorisation request with the intent id of the own consent',
      actual: 'the intent id of the second customer’s consent',
      exchange: astray,
    })
  },
})

scenario({
  id: 'TCON-07/funds',
  title: 'a funds confirmation consent is created and deleted',
  right:
    'It names the customer’s card by its last four digits, and deletes the consent afterwards.',
  steps: ['confirm-funds'],
  judge(run) {
    requireUnbroken(run)
    const has = (endpoint: string, status: number) =>
      run.exchanges.some((each) => each.endpoint === endpoint && each.response?.status === status)
    const created = has('create-funds-confirmation-consent', 201)
    if (created && has('delete-funds-confirmation-consent', 204)) return
    throw new Nonconformance({
      message: created ? 'the consent was not deleted' : 'no consent was created',
      expected: 'POST answered with 201, DELETE answered with 204',
      actual: `it says: ${lastSaid(run).words || lastSaid(run).end}${lastRefusal(run)}`,
      exchange: run.exchanges.at(-1),
    })
  },
})
