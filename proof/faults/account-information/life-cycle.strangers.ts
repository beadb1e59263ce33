import type { Consent, ConsentKind } from '../../../bank/state/consents.ts'
import { answeredWith, consentNamed } from '../../altering/consent-requests.ts'
import type { Fault } from '../../run/proof.ts'

/** Statuses of deletions by whoever may not delete, and of deletions in one situation. */

/** Deletions by another client are answered 404, not 403, where the consent is in this state. */
const notFound = (
  id: string,
  story: string,
  warns: string,
  isSo: (consent: Consent) => boolean,
): Fault => ({
  id,
  story,
  fails: [],
  warns: [warns],
  middleware: answeredWith('account-access', 'DELETE', (ctx) => {
    const consent = consentNamed(ctx)
    return ctx.status === 403 && consent && !consent.deleted && isSo(consent) ? 404 : undefined
  }),
})

/** Deletions of a deleted consent without a good token are answered 404, not 401. */
const lookedForFirst = (
  id: string,
  story: string,
  warns: string,
  kind: 'any' | 'funds-confirmation',
): Fault => ({
  id,
  story,
  fails: [],
  warns: [warns],
  middleware: answeredWith(kind, 'DELETE', (ctx) =>
    ctx.status === 401 && consentNamed(ctx)?.deleted ? 404 : undefined,
  ),
})

/** Deletions of a consent that another client has deleted are answered 204. */
const doneAlready = (id: string, story: string, fails: string, kind: ConsentKind): Fault => ({
  id,
  story,
  fails: [fails],
  middleware: answeredWith(kind, 'DELETE', (ctx) => {
    const consent = consentNamed(ctx)
    return ctx.status === 403 && consent?.kind === kind && consent.deleted ? 204 : undefined
  }),
})

const faults: Fault[] = [
  notFound(
    'foreign-denied-consent-is-not-found',
    'What was denied is in a table of its own, in which a client finds its own alone.',
    'CLC-22/denied',
    ({ status }) => status === 'Rejected',
  ),
  notFound(
    'foreign-revoked-consent-is-not-found',
    'What was revoked goes to an archive, in which whose it is is part of the key.',
    'CLC-22/revoked',
    ({ status }) => status === 'Revoked',
  ),
  notFound(
    'foreign-expired-consent-is-not-found',
    'A search for consents leaves out what has expired, unless its own client asks.',
    'CLC-22/expired',
    ({ status, ahead }) => status !== 'Revoked' && ahead.expiry > 0,
  ),
  lookedForFirst(
    'deletions-look-for-the-consent-first',
    'The consent is loaded by its id, and the filter for the token comes after that.',
    'CLC-28/deleted',
    'any',
  ),
  lookedForFirst(
    'funds-deletions-look-for-the-consent-first',
    'The newer of two services finds the consent before it asks for the token.',
    'FCC-30/deleted',
    'funds-confirmation',
  ),
  doneAlready(
    'deleted-consents-are-deleted-by-anybody',
    'What is gone need not be deleted again, and nobody asks whose it was.',
    'CLC-08/deleted',
    'account-access',
  ),
  doneAlready(
    'deleted-funds-consents-are-deleted-by-anybody',
    'The newer of two services looks for the date of the deletion before it looks for the owner.',
    'FCC-14/deleted',
    'funds-confirmation',
  ),
  {
    id: 'deletions-with-a-type-are-answered-200',
    story: 'Whoever names a media type is served by the newer handler, which answers in JSON.',
    fails: ['CLC-01/answers-204'],
    middleware: answeredWith('account-access', 'DELETE', (ctx) =>
      ctx.status === 204 && ctx.get('content-type') !== '' ? 200 : undefined,
    ),
  },
]

export default faults
