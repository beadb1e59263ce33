import type { Adapter, AdapterPayload } from 'oidc-provider'

/**
 * What is stored for the authorisation server: tokens, codes, grants, clients, sessions. `view` gets each record that
 * is read and may return another one, or undefined for "not found"; the stored record does not change.
 */
export interface Records {
  /** The factory that oidc-provider asks for. */
  adapter: (model: string) => Adapter
  /** The stored record, without `view`. */
  peek(model: string, id: string): AdapterPayload | undefined
  revokeGrant(grantId: string): void
  /** Every record by model and id, to restore the state later. */
  all(): [key: string, record: AdapterPayload][]
}

export type View = (
  model: string,
  id: string,
  record: AdapterPayload | undefined,
) => AdapterPayload | undefined

/** Records in memory: one Map per bank, without the limit of the library's own adapter. */
export function createRecords(
  view: View,
  kept: [key: string, record: AdapterPayload][] = [],
): Records {
  const records = new Map<string, AdapterPayload>(kept)
  const grants = new Map<string, Set<string>>()
  for (const [key, { grantId }] of kept) {
    if (grantId) grants.set(grantId, (grants.get(grantId) ?? new Set()).add(key))
  }
  const sessions = new Map<string, string>()

  function revokeGrant(grantId: string) {
    for (const key of grants.get(grantId) ?? []) records.delete(key)
    grants.delete(grantId)
    records.delete(`Grant ${grantId}`)
  }

  let roomy = 4096

  /** From time to time, deletes records that expired more than an hour ago. */
  function sweep() {
    if (records.size < roomy) return
    const limit = Date.now() / 1000 - 3600
    for (const [key, { exp }] of records) if (exp !== undefined && exp < limit) records.delete(key)
    roomy = Math.max(4096, records.size * 2)
  }

  const adapter = (model: string): Adapter => {
    const at = (id: string) => `${model} ${id}`
    const found = (id: string) => {
      const seen = view(model, id, records.get(at(id)))
      // The library changes the object that it gets. A copy, because only upsert and consume may change a record.
      return seen && { ...seen }
    }
    return {
      async upsert(id, payload) {
        sweep()
        records.set(at(id), payload)
        if (payload.uid) sessions.set(payload.uid, id)
        if (!payload.grantId) return
        const members = grants.get(payload.grantId) ?? new Set()
        grants.set(payload.grantId, members.add(at(id)))
      },
      async find(id) {
        return found(id)
      },
      async findByUid(uid) {
        return found(sessions.get(uid) ?? '')
      },
      async findByUserCode() {
        return undefined
      },
      async consume(id) {
        const record = records.get(at(id))
        if (record) record.consumed = Math.floor(Date.now() / 1000)
      },
      async destroy(id) {
        records.delete(at(id))
      },
      async revokeByGrantId(grantId) {
        revokeGrant(grantId)
      },
    }
  }
  return {
    adapter,
    peek: (model, id) => records.get(`${model} ${id}`),
    revokeGrant,
    all: () => [...records],
  }
}
