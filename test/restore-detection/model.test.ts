import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { idsRaisedBy } from '../../src/platform/database/id-limits.ts'
import { nodeFreshSeconds } from '../../src/platform/database/migrating/running-nodes.ts'
import { uncleanStopSeconds } from '../../src/platform/database/restore-detection/id-gate.ts'
import { plainDraft } from '../harness/applications.ts'
import { type MovableClock, movableClock } from '../harness/clock.ts'
import { engines, open } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import type { Services } from '../harness/services.ts'
import {
  type Copy,
  createDatabaseFor,
  kill,
  makeCopy,
  type ServedDatabase,
  type Way,
  waysOn,
} from './copies.ts'

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('apply' as const), which: fc.nat() }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('start', 'stop', 'kill', 'erase'),
        which: fc.nat(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('copy', 'snapshot'), which: fc.nat() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('restore' as const), which: fc.nat() }) },
  ),
  { minLength: 30, maxLength: 30 },
)
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never

/** A board whose operator restores what there is, and a poller that remembers all it ever saw. */
class World {
  readonly database: ServedDatabase
  readonly clock: MovableClock = movableClock()
  readonly advertiserId: number
  readonly seen = new Map<number, string>()
  highest = 0
  /** The highest that the database or its files know of. */
  known = 0
  serial = 0
  /** Noted beside the files that are there now. */
  erased = new Set<number>()
  nodes: Services[] = []
  readonly copies: (Copy & { isHot: boolean; at: number; erased: Set<number>; known: number })[] = []

  constructor(database: ServedDatabase, advertiserId: number) {
    this.database = database
    this.advertiserId = advertiserId
  }

  /** Several nodes on PostgreSQL, several workers on SQLite. */
  async node(which: number): Promise<Services> {
    const known = this.nodes[which % 2]
    if (known !== undefined) return known
    const services = await open(this.database.settings, this.clock)
    await services.restoreDetection.begin()
    this.nodes.push(services)
    return services
  }

  async poll(services: Services): Promise<void> {
    const rows = await services.database.writer
      .selectFrom('applications')
      .select(['id', 'job_reference as content', 'erased_at as erasedAt'])
      .where('advertiser_id', '=', this.advertiserId)
      .orderBy('id')
      .execute()
    const known = this.highest
    for (const { id, content, erasedAt } of rows) {
      const before = this.seen.get(id)
      if (before === undefined) assert.ok(id > known, `${id} appears below ${known}`)
      else assert.equal(content, before, `${id} shows two contents`)
      this.seen.set(id, String(content))
      this.highest = Math.max(this.highest, id)
      if (this.erased.has(id)) assert.notEqual(erasedAt, null, `${id} has come back`)
    }
  }

  /** As an operator does: the last sign of a killed process is old before a copy is in its place. */
  async endAll(which: number): Promise<void> {
    for (const [index, services] of this.nodes.entries()) {
      if ((which >> index) % 2 === 0) await services.close()
      else await kill(services)
    }
    this.nodes = []
    this.clock.advance((nodeFreshSeconds + (which % 600)) * 1000)
  }

  async run({ do: what, which }: Step, way: Way): Promise<void> {
    const { clock } = this
    clock.advance(which % 20_000)
    // As the timer of each process does.
    for (const services of this.nodes) await services.restoreDetection.gate.sign()
    switch (what) {
      case 'apply': {
        const services = await this.node(which)
        const jobReference = `REF-${++this.serial}`
        await services.submissions.add(this.advertiserId, plainDraft({ jobReference }))
        await this.poll(services)
        this.known = this.highest
        return
      }
      case 'start':
        await this.node(this.nodes.length)
        return
      case 'stop':
        return this.nodes.pop()?.close()
      case 'kill': {
        const services = this.nodes.pop()
        if (services !== undefined) await kill(services)
        return
      }
      case 'erase': {
        const ids = [...this.seen.keys()]
        const id = ids[which % ids.length]
        if (id === undefined) return
        const services = await this.node(which)
        const isThere = await services.erasure.erase(this.advertiserId, id).then(
          () => true,
          // Lost with a restore.
          () => false,
        )
        if (isThere) this.erased.add(id)
        return services.restoreDetection.tombstones.note().then(() => {})
      }
      case 'copy':
      case 'snapshot': {
        const name = `copy-${this.copies.length}`
        const copy = await makeCopy(this.database, way, name, what === 'snapshot')
        const isHot = this.nodes.length > 0
        // The log has all since the last checkpoint.
        const known = way === 'without log' ? 0 : this.known
        this.copies.push({ ...copy, isHot, at: clock(), erased: new Set(this.erased), known })
        return
      }
      case 'restore': {
        const copy = this.copies[which % Math.max(1, this.copies.length)]
        if (copy === undefined) return
        await this.endAll(which)
        await copy.restore()
        if (!copy.hasFiles) return
        // The tombstones are those of the snapshot.
        this.erased = new Set(copy.erased)
        clock.set(Math.max(clock(), copy.at + uncleanStopSeconds * 1000 + 1))
        // Nothing tells a snapshot of a stopped service from the service: the operator must. The operator also must if more
        // IDs were assigned since than are skipped.
        const lost = this.highest - copy.known
        this.known = copy.known
        if (copy.isHot && lost < idsRaisedBy) return
        const services = await open(this.database.settings, clock)
        await services.restoreDetection.reconcile(lost + 1)
        await services.close()
        this.known = this.highest
      }
    }
  }
}

/** Of ways that take a second for each copy. */
const runsOf: Partial<Record<Way, number>> = { 'dossier restore': 3, pg_restore: 3, 'point in time': 3 }

for (const engine of engines) {
  for (const way of waysOn(engine)) {
    describe(`databases that are set back [${engine}, ${way}]`, () => {
      test('no ID ever shows two contents or appears below one that was seen, and what was erased stays erased', async () => {
        await fc.assert(
          fc.asyncProperty(steps, async sequence => {
            const database = await createDatabaseFor(engine, way)
            const first = await open(database.settings)
            await first.schema.migrate()
            const world = new World(database, (await first.advertisers.add('Test')).id)
            await first.close()
            try {
              for (const step of sequence) await world.run(step, way)
              const last = await world.node(0)
              await world.poll(last)
            } finally {
              for (const services of world.nodes) await services.close()
              await database.remove()
            }
          }),
          { numRuns: runsOf[way] ?? times(2, 40), endOnFailure: true },
        )
      })
    })
  }
}
