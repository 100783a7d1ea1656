import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { removeEvents } from '../../src/events/feed/remove-events-store.ts'
import { Problem } from '../../src/platform/core/problems.ts'
import { plainDraft } from '../harness/applications.ts'
import { type MovableClock, movableClock } from '../harness/clock.ts'
import { createTestDatabase, engines, open } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import type { Services } from '../harness/services.ts'
import { addTenant, type Tenant } from '../harness/tenant.ts'
import { asking, neverMs } from './nodes.ts'

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('apply', 'erase', 'agent'), which: fc.nat() }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom('read', 'wait'),
        which: fc.nat(),
        limit: fc.integer({ min: 1, max: 5 }),
        isFiltered: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('prune', 'restart', 'fail over'), which: fc.nat() }),
    },
  ),
  { minLength: 40, maxLength: 40 },
)
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never

interface Happened {
  /** As the feed names it. */
  id: string
  type: string
}

/** A cursor from any moment: everything before `index` was handed out by it. */
interface Kept {
  cursor: string
  index: number
  histories: number
}

/** The feed of one advertiser, and an array of what must be in it. */
class World {
  readonly settings: Record<string, string>
  readonly clock: MovableClock
  services: Services
  tenant: Tenant
  readonly happened: Happened[] = []
  /** Of these, the first ones that were removed. */
  removed = 0
  histories = 0
  readonly kept: Kept[] = []
  readonly applications: number[] = []
  readonly erased = new Set<number>()

  constructor(settings: Record<string, string>, clock: MovableClock, services: Services, tenant: Tenant) {
    this.settings = settings
    this.clock = clock
    this.services = services
    this.tenant = tenant
  }

  async play(step: Step): Promise<void> {
    this.clock.advance(1)
    if ('limit' in step) {
      const kept = this.kept[step.which % this.kept.length] as Kept
      if (step.do === 'read') await this.read(kept, step)
      else await this.wait(step)
    } else if (step.do === 'prune') await this.prune(step.which)
    else if (step.do === 'restart') await this.restart()
    else if (step.do === 'fail over') await this.failOver(step.which)
    else await this.write(step.do, step.which)
  }

  /** What the newest event is, as the ledger says. */
  async #note(type: string): Promise<void> {
    const { eventNumber } = await this.services.credentials.authenticate(this.tenant.credential)
    this.happened.push({ id: `evt_${this.tenant.advertiserId}_${eventNumber}`, type })
  }

  async write(what: string, which: number): Promise<void> {
    const { services, applications } = this
    const { advertiserId } = this.tenant
    const chosen = applications[which % Math.max(1, applications.length)]
    if (what === 'agent') {
      const { id } = await services.agents.add('Agent')
      await services.agents.authorise(advertiserId, id)
      await this.#note('agent.authorised')
    } else if (what === 'erase' && chosen !== undefined) {
      await services.erasure.erase(advertiserId, chosen)
      if (!this.erased.has(chosen)) await this.#note('application.erased')
      this.erased.add(chosen)
    } else {
      applications.push((await services.submissions.add(advertiserId, plainDraft())).id)
      await this.#note('application.created')
    }
  }

  async read(kept: Kept, { limit, isFiltered }: { limit: number; isFiltered: boolean }): Promise<void> {
    const types = isFiltered ? '&types=application.erased,agent.authorised' : ''
    const asked = asking(this.services)(this.tenant, `cursor=${kept.cursor}&limit=${limit}${types}`)
    if (kept.index < this.removed) {
      await assert.rejects(
        asked,
        (error: unknown) => error instanceof Problem && error.code === 'cursor-too-old',
      )
      return
    }
    const { events, cursor, more } = await asked
    const [first, ...rest] = events
    const isRestored = kept.histories !== this.histories && kept.cursor !== 'start'
    const isTold = first?.type === 'stream.restored'
    // Where the last event is the one of the cursor, nothing is lost: the notice comes with the next event.
    if (isRestored && !isTold) {
      assert.deepEqual([events, cursor, kept.index], [[], kept.cursor, this.happened.length])
      return
    }
    assert.equal(isTold, isRestored)
    const wanted = this.happened
      .map((event, index) => ({ ...event, index }))
      .filter(({ index, type }) => index >= kept.index && (!isFiltered || type !== 'application.created'))
    const page = wanted.slice(0, limit)
    assert.deepEqual(
      (isRestored ? rest : events).map(({ id, type }) => ({ id, type })),
      page.map(({ id, type }) => ({ id, type })),
    )
    assert.equal(more, page.length < wanted.length)
    // The last page also passes the hidden events behind it.
    const index = more ? (page.at(-1)?.index ?? 0) + 1 : this.happened.length
    this.kept.push({ cursor, index, histories: this.histories })
  }

  /** A request that waits at the end of the stream is answered with the next event. */
  async wait(step: { which: number }): Promise<void> {
    const { cursor } = await asking(this.services)(this.tenant, '')
    const answer = asking(this.services)(this.tenant, `cursor=${cursor}`, neverMs)
    await this.write('apply', step.which)
    const { events, ...rest } = await answer
    assert.deepEqual(
      events.map(({ id }) => id),
      [this.happened.at(-1)?.id],
    )
    this.kept.push({ cursor: rest.cursor, index: this.happened.length, histories: this.histories })
  }

  async prune(which: number): Promise<void> {
    const left = this.happened.length - this.removed
    if (left === 0) return
    this.removed += which % (left + 1)
    const oldest = this.happened[this.removed]
    const before = oldest === undefined ? this.clock() + 1000 : Number(oldest.id.split('_').at(-1))
    await removeEvents(this.services.database, before, 500)
  }

  async restart(): Promise<void> {
    await this.services.close()
    this.services = await open(this.settings, this.clock)
  }

  /** The newest events are lost, as by a standby that was behind; it takes a while until it is the primary. */
  async failOver(which: number): Promise<void> {
    const { advertiserId } = this.tenant
    const lost = Math.min(which % 4, this.happened.length - this.removed)
    const isLeft = this.happened.length - lost
    const last = Number(this.happened[isLeft - 1]?.id.split('_').at(-1) ?? 0)
    const { writer } = this.services.database
    if (lost > 0) {
      await writer
        .deleteFrom('events')
        .where('advertiser_id', '=', advertiserId)
        .where('number', '>', last)
        .execute()
      await writer
        .updateTable('advertiser_ledger')
        .set({ event_number: last })
        .where('advertiser_id', '=', advertiserId)
        .execute()
      this.happened.length = isLeft
      for (const kept of this.kept) kept.index = Math.min(kept.index, isLeft)
    }
    this.clock.advance(60_000)
    await this.services.raiseIds(1000)
    // On the clock of the database, by which two in the same millisecond are one.
    await new Promise(resolve => setTimeout(resolve, 2))
    this.histories += 1
  }
}

for (const engine of engines) {
  describe(`the feed and its model [${engine}]`, () => {
    test('cursors from any moment go on right, or are told that they are too old', async t => {
      const database = await createTestDatabase(engine, 'empty')
      t.after(() => database.remove())
      const clock = movableClock(Date.now())
      const first = await open(database.settings, clock)
      await first.schema.migrate()
      let current = first
      t.after(() => current.close())
      await fc.assert(
        fc.asyncProperty(steps, async sequence => {
          const tenant = await addTenant(current)
          const world = new World(database.settings, clock, current, tenant)
          const { cursor } = await asking(current)(tenant, '')
          world.kept.push({ cursor, index: 0, histories: 0 }, { cursor: 'start', index: 0, histories: 0 })
          try {
            for (const step of sequence) {
              await world.play(step)
              const start = world.kept[1] as Kept
              Object.assign(start, { index: world.removed, histories: world.histories })
            }
          } finally {
            current = world.services
          }
        }),
        { numRuns: times(4, 150), endOnFailure: true },
      )
    })
  })
}
