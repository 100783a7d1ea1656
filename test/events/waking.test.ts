import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HintSource } from '../../src/events/feed/hints-adapter.ts'
import { movableClock } from '../harness/clock.ts'
import { createTestDatabase, engines, open, type TestDatabase } from '../harness/database.ts'
import { isLongRun, times } from '../harness/effort.ts'
import { importLine } from '../harness/import-lines.ts'
import { day, importing } from '../harness/importing.ts'
import { until } from '../harness/polling.ts'
import { seeded } from '../harness/random.ts'
import { addTenant, draftOf, type Tenant } from '../harness/tenant.ts'
import { addFollowed, assertHistories, change, followers, story } from './changes.ts'
import { type Node, neverMs, openNodes } from './nodes.ts'
import { createScene } from './webhook-scene.ts'

const random = seeded()

const writers = 8
const writesPerWriter = times(2, 60)
const lookMs = 20

const hintSets: Record<string, HintSource[]> = {
  'every hint': ['local', 'worker', 'notify'],
  'no hint': [],
  'hints of the same process alone': ['local'],
  'messages between workers alone': ['worker'],
  'hints of the database alone': ['notify'],
}

for (const engine of engines) {
  describe(`followers of 8 writers on 3 nodes [${engine}]`, () => {
    let database: TestDatabase
    let opened: Awaited<ReturnType<typeof openNodes>>
    before(async () => {
      database = await createTestDatabase(engine, 'empty')
      const services = await open(database.settings)
      await services.schema.migrate()
      await services.close()
      opened = await openNodes(database.settings, 3)
    })
    after(async () => {
      await opened?.close()
      await database.remove()
    })
    let nodes: Node[] = []
    const some = () => nodes[Math.floor(random() * nodes.length)] as Node
    const history = importing(() => some().services)

    for (const [name, ways] of Object.entries(hintSets)) {
      // In the short run, what does not depend on the database runs on one.
      if (engine === 'postgres' && !isLongRun && !['no hint', 'hints of the database alone'].includes(name))
        continue
      test(`with ${name}, all of them see every change once, in the same order`, async () => {
        nodes = opened.nodesWith(ways, lookMs)
        const tenant = await addFollowed(some().services)
        const { cursor } = await some().ask(tenant, '')
        let isOver = false
        const following = followers.map(({ limit, types }) =>
          follow(tenant, cursor, `limit=${limit}&types=${types}`, () => isOver),
        )
        const lines = Array.from({ length: 4 }, (_, each) => importLine(tenant.advertiserId, each, day(each)))
        assert.deepEqual((await history.run({ path: await history.fileOf(...lines) })).told, [])
        const written = await Promise.all(
          Array.from({ length: writers }, (_, writer) =>
            change(tenant, writer, writesPerWriter, () => some().services),
          ),
        )
        isOver = true
        assertHistories(await Promise.all(following), written.flat(), lines.length)
      })
    }

    /** A client that asks one node after the other, with or without waiting, until no more can come. */
    async function follow(
      tenant: Tenant,
      from: string,
      search: string,
      isOver: () => boolean,
    ): Promise<string[]> {
      const seen: string[] = []
      for (let cursor = from; ; ) {
        const wasOver = isOver()
        const waitMs = wasOver || random() < 0.3 ? 0 : 1 + random() * 300
        const answer = await some().ask(tenant, `cursor=${cursor}&${search}`, waitMs)
        seen.push(...answer.events.map(story))
        if (wasOver && !answer.more && answer.events.length === 0) return seen
        cursor = answer.cursor
      }
    }

    describe('each hint wakes a request that would wait for ever', () => {
      const cases: [way: HintSource, writer: number][] = [
        ['local', 0],
        ['worker', 1],
        ['notify', 1],
      ]
      for (const [way, writer] of cases) {
        test(way, async () => {
          const [node, other] = opened.nodesWith([way], neverMs) as [Node, Node]
          const tenant = await addTenant(node.services)
          let { cursor } = await node.ask(tenant, '')
          for (let round = 0; round < times(3, 100); round++) {
            const answer = node.ask(tenant, `cursor=${cursor}`, neverMs)
            if (round === 0) {
              await until(async () => node.waiting.count() === 1)
              // Not before: a process that listens is told of what happens from then on.
              if (way === 'notify') await until(async () => node.services.hints.isHeard())
            }
            const { services } = writer === 0 ? node : other
            const { id } = await services.submissions.add(tenant.advertiserId, draftOf(round))
            const { events, ...rest } = await answer
            assert.deepEqual(
              events.map(({ data }) => data['applicationId']),
              [id],
            )
            cursor = rest.cursor
          }
        })
      }
    })

    test('a process that sends webhooks hears of what others write, while there are endpoints', async t => {
      const opening = async () => {
        const services = await open(database.settings)
        t.after(() => services.close())
        await services.webhookSender.runOnce(60_000)
        return services
      }
      const writer = await opening()
      assert.equal(writer.hints.isHeard(), false)
      const { advertiserId } = await addTenant(writer)
      await createScene(writer, movableClock()).addEndpoint({ advertiserId })
      const { hints, webhookSender } = await opening()
      await until(async () => hints.isHeard() && hints.counts().notify > 0)
      const before = hints.counts().notify
      await writer.submissions.add(advertiserId, draftOf('x'))
      await until(async () => hints.counts().notify > before)
      await webhookSender.stop(0)
      if (engine === 'sqlite') assert.equal(hints.isHeard(), false)
    })
  })
}
