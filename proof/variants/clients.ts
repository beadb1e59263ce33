import type { Variant } from '../proof.ts'

/** What a bank is free to do with the clients that it registers. */

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
