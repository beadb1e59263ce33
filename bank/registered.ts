/** The scopes of the API: a client_credentials grant yields these and no other. */
export const apiScopes = ['accounts', 'fundsconfirmations']

/** Members of a registered client that OpenID Connect does not know. */
export const clientMetadata = [
  'software_id',
  'software_client_name',
  'software_on_behalf_of',
  'org_id',
  'org_name',
]
