import assert from 'node:assert/strict'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApplicationStore } from '../../src/collect/application-store.ts'
import { createEventStore } from '../../src/events/feed/event-store.ts'
import { type EventQuery, pageRoom } from '../../src/events/feed/records.ts'
import { createLog } from '../../src/logging.ts'
import type { Replica as AskedReplica, ReplicaCounts } from '../../src/platform/database/tables.ts'
import { type Config, readConfig } from '../../src/settings.ts'
import { until } from '../harness/polling.ts'
import { type Postgres, startPostgres } from '../harness/postgres.ts'
import { type Replica, startReplica } from '../harness/postgres-replica.ts'
import { openServices, type Services } from '../harness/services.ts'
import { addTenant, draftOf, putFile, type Tenant } from '../harness/tenant.ts'

/** One database, its primary and a replica, each a server of its own. */
export interface Pair {
  primary: Postgres
  replica: Replica
  database: string
  settings: Record<string, string>
  stop(): Promise<void>
}

export async function startPair(): Promise<Pair> {
  // Reads on the replica give way at once to the replay; and cleaning up happens only when a test asks for it.
  const primary = await startPostgres({ fsync: 'off', autovacuum: 'off', max_standby_streaming_delay: '0' })
  const replica = await startReplica(primary)
  const database = await primary.createDatabase()
  await replica.caughtUp()
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  return {
    primary,
    replica,
    database,
    settings: {
      DATA_DIR: folder,
      DATABASE_URL: primary.url(database),
      DATABASE_REPLICA_URL: replica.url(database),
    },
    async stop() {
      await replica.stop()
      await primary.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type Node = Awaited<ReturnType<typeof openNode>>

/** A node in this process, with a log that the test can read. */
export async function openNode(settings: Record<string, string>, change: Partial<Config['limits']> = {}) {
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    format: 'json',
    write: text => {
      const { msg, reason } = JSON.parse(text)
      lines.push(reason === undefined ? msg : `${msg} (${reason})`)
    },
  })
  const config = readConfig(settings)
  // With no pause, each read that the replica does not answer is followed by a check. The waits are long, so that the
  // outcome of a read does not depend on how busy the machine is.
  const limits = { ...config.limits, replicaPauseMs: 0, replicaWaitMs: 20_000, ...change }
  const services = await openServices({ ...config, limits }, log)
  const store = createApplicationStore(services.database)
  const asked = services.database.replica as AskedReplica
  return {
    services,
    store,
    replica: asked,
    lines,
    /** The outcomes of the reads at the replica, if there were any. */
    async outcomes(read: () => Promise<unknown>): Promise<Partial<ReplicaCounts>> {
      const before = { ...asked.counts() }
      await read()
      const differences = Object.entries(asked.counts()).map(([outcome, count]) => [
        outcome,
        count - before[outcome as keyof ReplicaCounts],
      ])
      return Object.fromEntries(differences.filter(([, count]) => count !== 0))
    },
    /** Once a read has been answered by the replica. */
    async untilAsked(): Promise<void> {
      await until(async () => (await asked.ask(async () => true)) === true)
    },
    close: () => services.close(),
  }
}

export interface Reader extends Tenant {
  /** As every request reads it, from the primary. */
  version(): Promise<number>
  apply(serial: string | number): Promise<number>
}

export async function addReader(services: Services): Promise<Reader> {
  const tenant = await addTenant(services)
  const resume = await putFile(services, 'resume', Buffer.from('A resume.'))
  return {
    ...tenant,
    version: async () => (await services.credentials.authenticate(tenant.credential)).version,
    apply: async serial =>
      (await services.submissions.add(tenant.advertiserId, draftOf(serial, [resume]))).id,
  }
}

/** An address that can be pointed elsewhere, for later connections. */
export async function movableAddress(of: Postgres, database: string) {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-address-'))
  const link = join(folder, 'server')
  await symlink(of.folder, link)
  const url = new URL(of.url(database))
  url.searchParams.set('host', link)
  return {
    url: url.href,
    async moveTo(other: Postgres) {
      await rm(link)
      await symlink(other.folder, link)
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const everything = {
  after: 0,
  before: 2 ** 53 - 1,
  includePrimaryInfo: false,
  limit: 1000,
  head: '',
  tail: '',
}

/** The reads of version 1, each as a text that shows everything that it found. Here every event changes the list. */
export function readsOf({ store, services }: Node, { advertiserId }: Reader, id: number) {
  const events = createEventStore(services.database)
  const all = { after: 0, limit: 1000 }
  const whole = { ...all, includesApplications: true }
  const inJson = async (query: EventQuery, number?: number) => {
    const { json, ...state } = await events.jsonPage(advertiserId, query, number)
    return `${json.subarray(pageRoom, -pageRoom)}${JSON.stringify(state)}`
  }
  return {
    feed: (number?: number) => inJson(all, number),
    'feed with applications': (number?: number) => inJson(whole, number),
    'feed with applications in XML': async (number?: number) =>
      JSON.stringify(await events.page({ advertiserId }, whole, number)),
    bounds: async (version?: number) => JSON.stringify(await store.resolveBounds(advertiserId, {}, version)),
    page: async (version?: number) =>
      String((await store.page(advertiserId, { ...everything, format: 'json' }, version)).content),
    'page in XML': async (version?: number) =>
      String((await store.page(advertiserId, { ...everything, format: 'xml' }, version)).content),
    file: async (version?: number) => JSON.stringify(await store.file(advertiserId, id, 'resume', version)),
    screen: async (version?: number) => await store.screen(advertiserId, id, 'xml', version),
  }
}

/** Every read, from the replica if it is recent enough: it must return what the primary returns. */
export async function assertReads(
  node: Node,
  reader: Reader,
  id: number,
  came: object,
  except: Record<string, object> = {},
): Promise<void> {
  const version = await reader.version()
  for (const [name, read] of Object.entries(readsOf(node, reader, id))) {
    const expected = await read()
    const outcomes = await node.outcomes(async () => assert.equal(await read(version), expected, name))
    assert.deepEqual(outcomes, except[name] ?? came, name)
  }
}

export function idsIn(list: string): number[] {
  return JSON.parse(list).JobApplications.JobApplicationsList.map(({ ID }: { ID: number }) => ID)
}
