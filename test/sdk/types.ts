// Compiled by `npm run check`, never run: what callers of the SDK rely on at compile time.
import {
  type Batch,
  type ClientEvent,
  Dossier,
  type DossierEvent,
  type JobApplication,
  type KnownClientEvent,
  type KnownEvent,
} from '../../sdk/typescript/src/index.ts'
import type { ClientEventType, EventType } from '../../src/model/events.ts'

type Same<A, B> = [A, B] extends [B, A] ? true : false

/** The catalogue of the service, and what a stream says about itself. */
export const hasEveryType: Same<KnownEvent['type'], EventType | 'stream.restored'> = true
export const hasEveryClientType: Same<KnownClientEvent['type'], ClientEventType | 'stream.restored'> = true

/** The type decides what `data` is; a type that is newer than the package is left to the default. */
export function describe(event: DossierEvent): string {
  switch (event.type) {
    case 'application.created':
      return `${event.data.applicationId} ${event.data.jobAdId satisfies number | null}`
    case 'attachment.scanned':
      return event.data.to
    case 'prefill.completed':
      // @ts-expect-error: it is about no application
      return event.data.applicationId
    default: {
      const { type }: { type: string } = event
      return type
    }
  }
}

export function describeForClient(event: ClientEvent): readonly string[] {
  return event.type === 'consent.withdrawn' ? event.data.prefilledApplicationIds : []
}

const baseUrl = 'https://jobs.example.com'
export const own = new Dossier({ baseUrl, credential: 'sws_x' })
export const agent = new Dossier({ baseUrl, client: { id: 'a', secret: 'b' }, advertiserId: '10000001' })
// @ts-expect-error: a credential or a client
export const neither = new Dossier({ baseUrl })
// @ts-expect-error: not both
export const both = new Dossier({ baseUrl, credential: 'sws_x', client: { id: 'a', secret: 'b' } })

export const batches: AsyncIterable<Batch<DossierEvent>> = own.events.follow({
  types: ['application.created'],
})
export const handled: Promise<void> = own.events.follow({
  cursorStore: { load: () => undefined, save: () => {} },
  onEvent: event => void describe(event),
})
// @ts-expect-error: a misspelt type would follow nothing
export const misspelt = own.events.follow({ types: ['application.create'] })
export const one: Promise<JobApplication> = own.applications.get(1)
