import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { admit, decoded } from '../../altering/jwt-rewrites.ts'
import type { Json } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

/** Registrations: answers with data of another client, and checks that are missing for a new statement. */

/** Changes the answer to a registration. */
function answersWith(change: (stored: Json) => Json | undefined): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    registrationView(stored) {
      const view = correct.registrationView(stored)
      const changed = change(view)
      if (changed) fired()
      return changed ?? view
    },
  })
}

/** Registers each software statement once; a second registration is refused, which is lawful. */
function once(wrong: Fault['policies']): NonNullable<Fault['policies']> {
  return (correct, tools) => {
    const policies = wrong?.(correct, tools) ?? {}
    const registered = new Set<unknown>()
    return {
      ...policies,
      clientIdFor(statement) {
        registered.add(statement.software_id)
        return correct.clientIdFor(statement)
      },
      registrationValueRefusal(claims, advertised) {
        const { software_id: id } = decoded(claims.software_statement).claims
        if (registered.has(id)) return 'the software statement was used before'
        return correct.registrationValueRefusal(claims, advertised)
      },
    }
  }
}

/** Is the second client registering now? */
function registersSecond(): boolean {
  const ctx = currentRequest()
  if (!ctx) return false
  const { bank, transport } = stateOf(ctx)
  return transport?.organisationId === bank.services.directory.clients.second.organisationId
}

const faults: Fault[] = [
  {
    id: 'statements-of-the-second-client-not-verified',
    story: "The bank does not verify the signature of the second client's software statement.",
    fails: ['REG-03/second-client'],
    policies: (correct, { fired }) => ({
      softwareStatementSigned(verified) {
        if (verified || !registersSecond()) return correct.softwareStatementSigned(verified)
        fired()
        return true
      },
    }),
  },
  {
    id: 'registrations-of-the-second-client-not-verified',
    story: "The bank does not verify the signature of the second client's registration JWT.",
    fails: [],
    warns: ['REG-24/second-client'],
    policies: (correct, { fired }) => ({
      registrationSigned(verified) {
        if (verified || !registersSecond()) return correct.registrationSigned(verified)
        fired()
        return true
      },
    }),
  },
  {
    id: 'second-client-registers-any-redirect-uri',
    story: 'The second client can register redirect URIs that are not in its software statement.',
    fails: ['REG-04/second-client'],
    policies: (correct, { fired }) => ({
      redirectUrisAcceptable(wanted, stated) {
        const right = correct.redirectUrisAcceptable(wanted, stated)
        if (right || !registersSecond()) return right
        fired()
        return true
      },
      redirectUrisStored(requested, stated) {
        return registersSecond() && requested
          ? requested
          : correct.redirectUrisStored(requested, stated)
      },
    }),
  },
  {
    id: 'redirect-uris-of-the-group',
    story:
      'The registration response also has a redirect URI of another software of the same group.',
    fails: ['REG-04/redirect-uris'],
    policies: answersWith((stored) => ({
      ...stored,
      redirect_uris: [...(stored.redirect_uris as string[]), 'https://group.example/callback'],
    })),
  },
  {
    id: 'jwks-uri-of-the-group',
    story: 'The registration response has the jwks_uri of another software of the organisation.',
    fails: [],
    warns: ['REG-31/jwks-uri'],
    policies: answersWith((stored) => ({ ...stored, jwks_uri: 'https://group.example/jwks' })),
  },
  {
    id: 'on-behalf-of-not-stored',
    story: 'The registration response has no software_on_behalf_of.',
    fails: [],
    warns: ['REG-31/on-behalf-of'],
    policies: answersWith(({ software_on_behalf_of: name, ...stored }) =>
      name === undefined ? undefined : stored,
    ),
  },
  {
    id: 'new-statements-under-any-media-type',
    story:
      'The registration endpoint also accepts Content-Type text/plain. Each software statement can be registered once.',
    stops: true,
    fails: [],
    warns: ['REG-27/text-plain'],
    policies: once((_correct, { fired }) => ({
      registrationMediaType(type) {
        if (type === 'text/plain') fired()
        return type === 'application/jwt' || type === 'text/plain'
      },
    })),
  },
  {
    id: 'new-statements-without-certificate',
    story: 'The first registration of a software statement needs no transport certificate.',
    stops: true,
    fails: ['REG-01/no-certificate'],
    settings: { tlsRefusal: 'status' },
    policies: once(undefined),
    async middleware(ctx, next) {
      const { listener, transport, bank } = stateOf(ctx)
      const registers = listener.roles.includes('registration')
      const path = ctx.path === bank.services.endpoints.paths.registration
      if (registers && path && transport.thumbprint === undefined) admit(ctx)
      await next()
    },
  },
]

export default faults
