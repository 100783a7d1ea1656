import type { EndpointOwner } from '../../src/events/webhooks/ports.ts'
import type { Stores } from './stores.ts'

const at = 1_794_614_400_000

export const newEndpoint = (id: string, owner: EndpointOwner) => ({
  ...{ id, owner, url: 'https://ats.example.com/hooks', description: 'ATS', createdAt: at },
  ...{ types: ['application.created' as const], scheme: 'v1' as const },
})

/** One that gets events from now on. */
export async function addEndpoint(stores: Stores, id: string, advertiserId: number): Promise<void> {
  await stores.endpoints.add(newEndpoint(id, { advertiserId }), 10)
  await stores.endpoints.activate(id, at)
}

/** Names that are different at each call. */
export function counter(name: string): () => string {
  let number = 0
  return () => {
    number += 1
    return `${name}-${number}`
  }
}
