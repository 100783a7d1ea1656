import assert from 'node:assert/strict'
import { Problem } from '../../src/platform/core/problems.ts'
import { asking } from '../events/nodes.ts'
import { longTest } from '../harness/effort.ts'
import { pullThePlug } from '../harness/postgres-outage.ts'
import { draftOf } from '../harness/tenant.ts'
import { addReader, movableAddress, type Node, openNode, readsOf, startPair } from './replicated.ts'

/** A lost connection is reported to its next user. */
async function applyAtLast(node: Node, advertiserId: number, serial: string): Promise<number> {
  for (;;) {
    try {
      return (await node.services.submissions.add(advertiserId, draftOf(serial))).id
    } catch (error) {
      assert.ok(error instanceof Problem && error.code === 'unavailable', String(error))
      assert.notEqual(
        (error.cause as { code?: string }).code,
        '40P01',
        'those who notice it wait in one order',
      )
    }
  }
}

longTest(
  'after a failover that lost applications, no ID is given twice, and none below one that was seen',
  async t => {
    const pair = await startPair()
    t.after(() => pair.stop())
    const address = await movableAddress(pair.primary, pair.database)
    t.after(() => address.remove())
    const { DATABASE_REPLICA_URL: _, ...rest } = pair.settings
    const settings = { ...rest, DATABASE_URL: address.url }
    const old = await openNode(settings)
    t.after(() => old.close())
    await old.services.schema.migrate()
    const readers = [await addReader(old.services), await addReader(old.services)] as const
    for (const reader of readers) await reader.apply('kept')
    const { cursor: atFirst } = await asking(old.services)(readers[0], '')
    await pair.replica.caughtUp()
    await pullThePlug(pair.replica)
    const seen: number[] = []
    for (let serial = 0; serial < 40; serial += 1) seen.push(await readers[0].apply(`lost-${serial}`))
    const ahead = await asking(old.services)(readers[0], `cursor=${atFirst}&limit=1000`)
    assert.equal(ahead.events.length, 40)

    await pullThePlug(pair.primary)
    await pair.replica.start()
    await pair.replica.promote()
    await address.moveTo(pair.replica)
    const fresh = await openNode(settings)
    t.after(() => fresh.close())
    const added = readers.map(({ advertiserId }) =>
      Promise.all(
        [old, fresh, old, fresh].map((node, index) => applyAtLast(node, advertiserId, `new-${index}`)),
      ),
    )
    const [ofFirst = [], ofSecond = []] = await Promise.all(added)
    const ids = [...ofFirst, ...ofSecond]
    assert.equal(new Set(ids).size, 8)
    assert.ok(Math.min(...ids) > Math.max(...seen), `${ids} after ${seen}`)
    const page = await readsOf(fresh, readers[0], 0).page()
    for (const id of ofFirst) assert.ok(page.includes(`"ID":${id},`), page)

    // A follower who has seen what was lost is told so, and sees everything new; no number comes back.
    const restored = await asking(fresh.services)(readers[0], `cursor=${ahead.cursor}&limit=1000`)
    const [notice, ...events] = restored.events
    assert.equal(notice?.type, 'stream.restored')
    assert.deepEqual(
      events.map(({ data }) => data['applicationId']),
      ofFirst.toSorted((a, b) => a - b),
    )
    const numberOf = ({ id }: { id: string }) => Number(id.split('_').at(-1))
    assert.ok(Math.min(...events.map(numberOf)) > Math.max(...ahead.events.map(numberOf)))
    const next = await asking(fresh.services)(readers[0], `cursor=${restored.cursor}`)
    assert.deepEqual(next.events, [])

    const raised = [...old.lines, ...fresh.lines].filter(line => line.startsWith('IDs are raised'))
    assert.equal(raised.length, 1, 'and it is logged once')
    for (const name of ['job_ad_ids', 'screen_ids']) {
      const [{ id } = {}] = await pair.replica.query(`select nextval('${name}')::int as id`, pair.database)
      assert.equal(id, 1_001 + 100_000, name)
    }

    const third = await openNode(settings)
    t.after(() => third.close())
    const nextId = await applyAtLast(third, readers[1].advertiserId, 'third')
    assert.equal(nextId, Math.max(...ids) + 1, 'a history that is known is no news')
  },
)
