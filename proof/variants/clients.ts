import { currentRequest } from '../../bank/listeners/request-context.ts'
import { tokenForm } from '../altering/jwt-rewrites.ts'
import type { Variant } from '../run/proof.ts'

/** Freedoms of a bank with its registered clients. */

const variants: Variant[] = [
  {
    id: 'refresh-tokens-are-not-offered',
    story:
      '"A refresh token, if issued": a bank that issues none does not advertise the grant, and ' +
      'refuses a registration that asks for it.',
    settings: {
      refreshTokens: 'none',
      discovery: { grant_types_supported: ['authorization_code', 'client_credentials'] },
    },
    policies: (correct, { fired }) => ({
      registrationValueRefusal(claims, advertised) {
        fired()
        const grantTypes = advertised.grantTypes.filter((grant) => grant !== 'refresh_token')
        return correct.registrationValueRefusal(claims, { ...advertised, grantTypes })
      },
    }),
  },
  {
    id: 'refresh-tokens-come-unasked',
    story:
      'Whether refresh_token is listed is open, and so is what the service adds: each client has it. The words of a response type may be listed in another order than they are stored.',
    settings: {
      discovery: {
        grant_types_supported: ['authorization_code', 'client_credentials'],
        response_types_supported: ['id_token code'],
      },
    },
    policies: (correct, { fired }) => ({
      grantTypesStored(requested) {
        fired()
        return [...new Set([...correct.grantTypesStored(requested), 'refresh_token'])]
      },
    }),
  },
  {
    id: 'grants-are-asked-late',
    story:
      '"A client can call the token endpoint only with a registered grant type": the authorisation page ' +
      'gives a code to every client, and a refresh token comes with every code; the next call is refused.',
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        const grants = (seen?.grant_types ?? []) as string[]
        const ctx = currentRequest()
        const form = ctx && tokenForm(ctx)
        const asked = form?.get('grant_type')
        if (model !== 'Client' || !seen || (asked && asked !== 'authorization_code')) return seen
        if (asked && !grants.includes(asked)) return seen
        if (grants.includes('refresh_token')) return seen
        fired()
        const grant_types = [...grants, 'authorization_code', 'refresh_token', 'implicit']
        return { ...seen, grant_types, response_types: ['code id_token'] }
      },
    }),
  },
  {
    id: 'later-registrations-replace-the-client',
    story:
      'How often one software statement can be registered is not said (AMB-35): each time makes a new client, and ends the one before, its tokens included.',
    policies: (correct, { fired }) => {
      const newest = new Map<unknown, string>()
      const ended = new Set<unknown>()
      return {
        clientIdFor(statement) {
          const id = correct.clientIdFor(statement)
          const before = newest.get(statement.software_id)
          if (before !== undefined && before !== id) ended.add(before)
          newest.set(statement.software_id, id)
          return id
        },
        stored(model, id, record) {
          const gone = ended.has(model === 'Client' ? id : record?.clientId)
          if (gone) fired()
          return gone ? undefined : correct.stored(model, id, record)
        },
      }
    },
  },
  {
    id: 'one-client-for-each-software',
    story: 'A software statement has one client; a second registration changes it.',
    policies: (_correct, { fired }) => ({
      clientIdFor({ software_id }) {
        fired()
        return String(software_id)
      },
    }),
  },
]

export default variants
