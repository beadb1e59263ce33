/** What a bank stores for a client, as far as messages depend on it, and the rest as it came. */
export interface RegisteredClient {
  client_id: string
  redirect_uris: string[]
  scope?: string
  client_secret?: string
  [member: string]: unknown
}

/**
 * Reads a registration response leniently: whatever it lacks but the client_id, the client's own
 * values stand in.
 *
 * @throws TypeError when there is no client_id to go on with.
 */
export function registeredClient(json: unknown): RegisteredClient {
  const members = typeof json === 'object' && json !== null ? { ...json } : {}
  const { client_id, redirect_uris, scope, client_secret, ...rest } = members as Record<
    string,
    unknown
  >
  if (typeof client_id !== 'string' || client_id === '') {
    throw new TypeError('the registration response has no client_id')
  }
  return {
    ...rest,
    client_id,
    redirect_uris: Array.isArray(redirect_uris)
      ? redirect_uris.filter((uri): uri is string => typeof uri === 'string' && URL.canParse(uri))
      : [],
    ...(typeof scope === 'string' && { scope }),
    ...(typeof client_secret === 'string' && { client_secret }),
  }
}
