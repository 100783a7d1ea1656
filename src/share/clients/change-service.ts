import { checkLogo } from '../../platform/core/brand/logo.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import { type ClientChange, type WantedChange, wantedOf } from './change-rules.ts'
import type { ClientChangeStore } from './client-change-store.ts'
import type { Clients } from './service.ts'

export type ClientChanges = ReturnType<typeof createClientChanges>

/**
 * Changes that agents request to details that candidates trust: where they are sent back to, and whose name and notice
 * they see. The operator confirms each change, unless the board lets agents make them themselves.
 */
export function createClientChanges(deps: {
  store: ClientChangeStore
  clients: Clients
  isSelfService: boolean
  clock: Clock
}) {
  const { store, clients, clock } = deps

  /** Throws unless the change could be applied. */
  function checkedValue(clientId: string, scopes: readonly string[], change: WantedChange): string {
    if (change.kind === 'redirect-uris') return JSON.stringify(clients.checkUris(scopes, change.uris))
    if (change.kind === 'privacy')
      return JSON.stringify(change.url === undefined ? null : clients.checkPrivacyUrl(change.url))
    try {
      if (change.bytes !== undefined) checkLogo(change.bytes)
    } catch (error) {
      throw invalidField('logo', 'not-allowed', `The logo of ${clientId} ${(error as Error).message}.`)
    }
    return JSON.stringify(change.bytes?.toString('base64') ?? null)
  }

  async function apply(clientId: string, change: WantedChange): Promise<'applied'> {
    if (change.kind === 'redirect-uris') await clients.setRedirectUris(clientId, change.uris)
    else if (change.kind === 'privacy') await clients.setPrivacyUrl(clientId, change.url)
    else await clients.setLogo(clientId, change.bytes)
    return 'applied'
  }

  /** Throws unless the change is waiting. */
  async function waiting(changeId: string): Promise<ClientChange> {
    const found = (await store.list()).find(({ id }) => id === changeId)
    if (found === undefined) throw new Problem('not-found', `No change ${changeId} waits to be confirmed.`)
    return found
  }

  return {
    isSelfService: deps.isSelfService,
    listOf: store.listOf,
    list: store.list,
    find: waiting,
    apply,

    /** The caller has checked that the agent owns the client. */
    async ask(clientId: string, change: WantedChange, by: string): Promise<'applied' | 'waiting'> {
      const client = await clients.find(clientId)
      if (client === undefined || client.disabledAt !== null) throw new Problem('not-found')
      const value = checkedValue(clientId, client.scopes, change)
      if (deps.isSelfService) return apply(clientId, wantedOf({ kind: change.kind, value }))
      const added = { id: newUuid(), kind: change.kind, value, requestedBy: by, requestedAt: clock() }
      if (!(await store.add(clientId, added))) throw new Problem('not-found')
      return 'waiting'
    },

    withdraw: (clientId: string, changeId: string): Promise<boolean> =>
      store.end(clientId, changeId, 'withdrawn'),

    /** Applies the change before ending it: if the process stops in between, it can be confirmed again. */
    async confirm(changeId: string): Promise<ClientChange> {
      const change = await waiting(changeId)
      await apply(change.clientId, wantedOf(change))
      await store.end(change.clientId, change.id, 'confirmed')
      return change
    },

    async refuse(changeId: string): Promise<ClientChange> {
      const change = await waiting(changeId)
      await store.end(change.clientId, change.id, 'refused')
      return change
    },
  }
}
