/** The scopes of the API: the only ones that a client_credentials grant yields. */
export const apiScopes = ['accounts', 'fundsconfirmations']

/** The grant types of the token endpoint. */
export const grantTypes = ['authorization_code', 'client_credentials', 'refresh_token']

/** Members of a registered client that OpenID Connect does not define. */
export const clientMetadata = [
  'software_id',
  'software_client_name',
  'software_on_behalf_of',
  'org_id',
  'org_name',
]
