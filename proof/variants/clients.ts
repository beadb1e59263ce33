import { currentRequest } from '../../bank/listeners/request-context.ts'
import { tokenForm } from '../altering/jwt-rewrites.ts'
import type { Variant } from '../run/proof.ts'

/** Freedoms of a bank with its registered clients. */

const variants: Variant[] = [
  {
    id: 'refresh-tokens-are-not-offered',
    story:
      'The bank issues no refresh tokens, does not advertise the grant, and refuses a registration that asks for it. "A refresh token, if issued".',
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
      'The configuration does not list refresh_token, but each client gets this grant. The configuration lists the words of the response type in another order.',
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
      'The authorisation endpoint gives a code and a refresh token to every client, and the token endpoint refuses a grant type that is not registered. "A client can call the token endpoint only with a registered grant type".',
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
      'Each registration of a software statement creates a new client and ends the earlier one with its tokens. How often one software statement can be registered is not said (AMB-35).',
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
    story:
      'Each software has one client; a second registration with its software statement changes that client.',
    policies: (_correct, { fired }) => ({
      clientIdFor({ software_id }) {
        fired()
        return String(software_id)
      },
    }),
  },
]

export default variants
