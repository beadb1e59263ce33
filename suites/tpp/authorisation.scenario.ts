/** Answers of the authorisation page. Requirements: specs/tpp/authorisation.yaml */

import type { ScenarioRun } from '../../engine/suite-api/certification.ts'
import { scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance } from '../../engine/suite-api/outcomes.ts'
import { type Exchange, header } from '../../engine/suite-api/responses.ts'
import {
  givesUp,
  lastSaid,
  redemptions,
  refusesTheCode,
  requireRefusal,
  requireState,
  requireUnbroken,
  survives,
} from './common/expect.ts'
import { queryOf, seenOf } from './common/messages.ts'

scenario({
  id: 'TAUT-11/same-intent',
  title: 'ninety days have passed, and the customer re-confirms',
  right: 'It sends the customer to the bank with the intent id of the consent that exists.',
  steps: ['connect', { fact: 'ninety-days-passed' }, 'reconfirm'],
  judge(run) {
    const during = run.exchanges.filter((each) => seenOf(each).goal === 'reconfirm')
    const visit = during.find(({ endpoint }) => endpoint === 'authorisation')
    const fresh = during.find(({ endpoint }) => endpoint === 'create-account-access-consent')
    const same = visit && seenOf(visit).consent?.approved === true
    if (!same) {
      if (!visit) requireUnbroken(run)
      throw new Nonconformance({
        message: fresh
          ? 'the client creates another consent instead of confirming the one that exists'
          : 'no visit names the consent that exists',
        expected: 'an authorisation request with the existing intent id',
        actual: visit ? 'an authorisation request for another intent' : 'no authorisation request',
        exchange: visit ?? fresh,
      })
    }
  },
})

for (const [id, alteration, title, steps] of [
  [
    'TAUT-12/other-state',
    'state-of-another-visit',
    'the answer carries the state of another visit',
    ['connect'],
  ],
  ['TAUT-12/no-state', 'state-missing', 'the answer carries no state', ['connect']],
  [
    'TAUT-12/state-at-reconfirmation',
    'later-state-of-another-visit',
    'the customer re-confirms, and the answer carries the state of another visit',
    ['connect', 'reconfirm'],
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It compares state with the one that it sent, and redeems no code.',
    alteration,
    steps: [...steps],
    judge(run) {
      requireState(run)
      refusesTheCode(run, 'an answer to another request')
    },
  })
}

/** After an error the visit is over: the customer is not sent to the same link again. */
function endsTheVisit({ exchanges }: ScenarioRun): void {
  const end = exchanges.findIndex((each) => /[?&#]error=/.test(header(each, 'location') ?? ''))
  if (end === -1) return
  const linkIn = (each: Exchange) =>
    each.endpoint === 'authorisation' ? queryOf(each).get('request') : null
  const before = exchanges.slice(0, end + 1).map(linkIn)
  const again = exchanges.slice(end + 1).find((each) => {
    const link = linkIn(each)
    return link !== null && before.includes(link)
  })
  if (!again) return
  throw new Nonconformance({
    message: 'the client sends the customer to the bank again by the same link, after an error',
    expected: 'the error ends the visit; another one has a request object of its own',
    actual: 'an authorisation request with the same request object',
    exchange: again,
  })
}

/** Visits with different request objects: a reloaded page is not a new visit. */
function visitsOf({ exchanges }: ScenarioRun): Exchange[] {
  const links = new Map<string, Exchange>()
  for (const each of exchanges) {
    const link = each.endpoint === 'authorisation' ? queryOf(each).get('request') : null
    if (link !== null && !links.has(link)) links.set(link, each)
  }
  return [...links.values()]
}

/** After an error the client does not send the customer to the bank more than five times, by whatever link. */
const stopsVisiting = (run: ScenarioRun) => givesUp(visitsOf(run), 5)

for (const [id, title, alteration] of [
  [
    'TAUT-13/denied',
    'the customer denies consent: the answer is the error access_denied',
    undefined,
  ],
  [
    'TAUT-13/denied-in-query',
    'the customer denies consent: the error access_denied comes in the query, not in the fragment',
    'error-in-the-query',
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It ends the visit, and says that the customer denied.',
    ...(alteration && { alteration }),
    decision: 'deny',
    unending: stopsVisiting,
    judge(run) {
      requireUnbroken(run)
      const [redeemed] = redemptions(run.exchanges)
      if (redeemed) {
        throw new Nonconformance({
          message: 'the client redeems something after an error',
          expected: 'no token request',
          actual: 'a token request of an authorization_code grant',
          exchange: redeemed,
        })
      }
      endsTheVisit(run)
      stopsVisiting(run)
      requireRefusal(run, 'the error access_denied', run.exchanges.at(-1))
    },
  })
}

scenario({
  id: 'TAUT-13/server-error',
  title: 'the answer of the authorisation page is the error server_error',
  right: 'It ends the visit, and says that the bank failed.',
  alteration: 'server-error-at-the-page',
  unending: stopsVisiting,
  judge(run) {
    endsTheVisit(run)
    stopsVisiting(run)
    refusesTheCode(run, 'the error server_error')
  },
})

scenario({
  id: 'TAUT-17/address-with-a-query',
  title: 'the address of the authorisation page already has a query',
  right: 'It keeps that query, and adds its parameters to it.',
  alteration: 'authorisation-address-with-a-query',
  // Parameters that begin with a second question mark are no parameters.
  owns: ['TAUT-01/parameters'],
  judge: (run) => survives(run),
})

scenario({
  id: 'TAUT-16/more-parameters',
  title: 'the answer of the authorisation page has parameters that the request did not ask for',
  right: 'It uses the code, and ignores the other parameters.',
  alteration: 'more-in-the-fragment',
  judge: (run) => survives(run),
})

scenario({
  id: 'TAUT-14/in-query',
  title: 'code and ID token come in the query, not in the fragment',
  right: 'Whether it takes them is recorded: no sentence forbids it.',
  alteration: 'answer-in-the-query',
  judge(run) {
    const taken = redemptions(run.exchanges).length > 0
    run.observe('an answer in the query is', taken ? 'taken' : `refused: ${lastSaid(run).words}`)
  },
})
