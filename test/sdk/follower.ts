import { appendFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type CursorStore, Dossier, DossierError, type Gap } from '../../sdk/typescript/src/index.ts'
import { fileCursorStore } from '../../sdk/typescript/src/node.ts'
import type { Follow, Told } from './following.ts'

export interface Surroundings {
  tell(told: Told): void
  signal: AbortSignal
  /** A moment at which the process may be killed. */
  point(): void
}

/** Follows the feed with the TypeScript SDK, and tells everything that happens. `follower.py` is the same in Python. */
export async function follow(settings: Follow, { tell, signal, point }: Surroundings): Promise<void> {
  const { how, url, store, wait, limit } = settings
  const dossier = settings.isAgent
    ? new Dossier({
        baseUrl: url,
        client: { id: 'demo-ats', secret: 'demo-ats-secret' },
        advertiserId: 10000001,
      })
    : new Dossier({ baseUrl: url, credential: settings.credential ?? 'sws_demo_harbour' })
  const options = {
    wait,
    limit,
    signal,
    onRetry: ({ error }: { error: DossierError }) => tell({ retry: error.code }),
    ...(settings.onGap ? { onGap: ({ reason }: Gap) => tell({ gap: reason }) } : {}),
  }

  /** The user's own transaction holds the effects and the cursor. */
  async function inTransactions(): Promise<void> {
    const database = new DatabaseSync(store)
    database.exec(`
      create table if not exists effects (place integer primary key, event text);
      create table if not exists position (cursor text)`)
    const stored = database.prepare('select cursor from position').get()
    const cursor = String(stored?.['cursor'] ?? 'start')
    for await (const batch of dossier.events.follow({ ...options, cursor })) {
      point()
      database.exec('begin immediate')
      for (const { id } of batch.events) {
        database.prepare('insert into effects (event) values (?)').run(id)
        point()
      }
      database.exec('delete from position')
      database.prepare('insert into position values (?)').run(batch.cursor)
      point()
      database.exec('commit')
      for (const { id } of batch.events) tell({ event: id })
      point()
    }
    database.close()
  }

  /** A store of cursors, and effects without a transaction. */
  function withStore(): Promise<void> {
    const file = fileCursorStore(`${store}.json`)
    const cursorStore: CursorStore = {
      ...file,
      async save(cursor) {
        point()
        await file.save(cursor)
        tell({ saved: cursor })
        point()
      },
    }
    return dossier.events.follow({
      ...options,
      cursorStore,
      from: 'start',
      onEvent({ id }) {
        appendFileSync(store, `${id}\n`)
        tell({ event: id })
        point()
      },
    })
  }

  async function inBatches(): Promise<void> {
    for await (const { events, cursor } of dossier.events.follow({ ...options, cursor: settings.cursor })) {
      tell({ batch: events.map(({ id }) => id), cursor })
    }
  }

  function applications(): Promise<void> {
    return dossier.applications.follow({
      ...options,
      cursorStore: fileCursorStore(`${store}.json`),
      onApplication: ({ ID, PrimaryJobSeekingInfo }) =>
        tell({ application: ID, job: PrimaryJobSeekingInfo?.JobTitle }),
      onErased: id => tell({ erased: id }),
      onWithdrawn: id => tell({ withdrawn: id }),
      onFile: ({ type, isInfected }, { ID }) => tell({ file: ID, type, isInfected }),
    })
  }

  try {
    await { batches: inBatches, transactions: inTransactions, store: withStore, applications }[how]()
    tell({ ended: true })
  } catch (error) {
    if (!(error instanceof DossierError)) throw error
    tell({ error: error.code })
  }
}
