import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { movableClock } from '../../../../test/harness/clock.ts'
import { withServices } from '../../../../test/harness/database.ts'
import { recordLog } from '../../../../test/harness/log.ts'
import { createBackground } from '../../core/async/background.ts'
import type { LeaseStore } from '../../core/async/leases.ts'
import type { Clock } from '../../core/clock.ts'
import { createLeaseStore } from '../../work/lease-store.ts'
import { type Slot, Slots } from './slots.ts'

const leaseSeconds = 30

function nodeOver(leases: LeaseStore, clock: Clock, perKey = 4, pause = async (_ms: number) => {}) {
  const { log, lines: lost } = recordLog()
  const background = createBackground(log)
  const slots = new Slots({ name: 'list', perKey, leases, background, clock, pause, leaseSeconds })
  /** As a request does it. */
  async function begin(key = 'key'): Promise<Slot | undefined> {
    const slot = slots.take(key)
    if (slot === undefined || (await slot.share())) return slot
    slot.release()
    return undefined
  }
  return { slots, begin, lost, settle: background.whenIdle }
}

const nobodysLeases: LeaseStore = {
  take: async () => assert.fail('slots are not shared here'),
  renew: async () => assert.fail('slots are not shared here'),
  release: async () => assert.fail('slots are not shared here'),
}

test('on one node a key never has more slots than allowed, and gets each back once', () => {
  const steps = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b'), isReleased: fc.boolean(), which: fc.nat({ max: 5 }) }),
    { maxLength: 60, size: 'max' },
  )
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (sequence, perKey) => {
      const { slots } = nodeOver(nobodysLeases, movableClock(), perKey)
      // Slots stay in the list after use: releasing one twice must not free another's.
      const taken: { key: string; slot: Slot; isOver: boolean }[] = []
      for (const { key, isReleased, which } of sequence) {
        const chosen = taken[which]
        if (isReleased && chosen !== undefined) {
          chosen.slot.release()
          chosen.isOver = true
          continue
        }
        const held = taken.filter(entry => entry.key === key && !entry.isOver).length
        const slot = slots.take(key)
        assert.equal(slot !== undefined, held < perKey)
        if (slot !== undefined) taken.push({ key, slot, isOver: false })
      }
    }),
    { numRuns: 300 },
  )
})

const clock = movableClock()

withServices('slots of two nodes', { clock }, services => {
  const twoNodes = () => {
    const leases = createLeaseStore(services().database)
    return { one: nodeOver(leases, clock), two: nodeOver(leases, clock) }
  }
  const rows = (prefix: string) =>
    services().database.reader.selectFrom('leases').selectAll().where('name', 'like', `${prefix}%`).execute()

  test('are as many as one node may have, whichever node holds them', async () => {
    const { one, two } = twoNodes()
    const begun = await Promise.all([one, two, one, two, one, two].map(node => node.begin('a')))
    const held = begun.filter(slot => slot !== undefined)
    assert.equal(held.length, 4)
    for (const node of [one, two]) assert.equal(await node.begin('a'), undefined)
    assert.notEqual(await two.begin('b'), undefined, 'another key has its own')
    held[0]?.release()
    held[0]?.release()
    await Promise.all([one.settle(), two.settle()])
    assert.notEqual(await two.begin('a'), undefined)
    assert.equal(await one.begin('a'), undefined)
  })

  test('that are released leave no rows', async () => {
    const { one } = twoNodes()
    const slots = await Promise.all([one.begin('c'), one.begin('c')])
    assert.equal((await rows('list/c/')).length, 2)
    for (const slot of slots) slot?.release()
    await one.settle()
    assert.deepEqual(await rows('list/c/'), [])
  })

  test('pass from one caller to the next on a node at once', async () => {
    const { one } = twoNodes()
    const slots = await Promise.all([1, 2, 3, 4].map(() => one.begin('g')))
    for (let turn = 0; turn < 10; turn++) {
      slots.shift()?.release()
      const next = await one.begin('g')
      assert.notEqual(next, undefined)
      slots.push(next)
    }
  })

  test('are released if their caller disconnected while they were being taken', async () => {
    const { one, two } = twoNodes()
    const slot = one.slots.take('d')
    const sharing = slot?.share()
    slot?.release()
    await sharing
    await one.settle()
    assert.deepEqual(await rows('list/d/'), [])
    for (let taken = 0; taken < 4; taken++) assert.notEqual(await two.begin('d'), undefined)
  })

  test('of a node that died are free when their lease has expired, and not before', async () => {
    const { one: dead, two } = twoNodes()
    for (let taken = 0; taken < 4; taken++) assert.notEqual(await dead.begin('e'), undefined)
    clock.advance(leaseSeconds * 1000 - 1)
    assert.equal(await two.begin('e'), undefined)
    clock.advance(1)
    for (let taken = 0; taken < 4; taken++) assert.notEqual(await two.begin('e'), undefined)
  })

  test('last as long as the requests they are for', async t => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { one, two } = twoNodes()
    const slots = await Promise.all([1, 2, 3, 4].map(() => one.begin('f')))
    for (let third = 0; third < 9; third++) {
      clock.advance((leaseSeconds * 1000) / 3)
      t.mock.timers.tick((leaseSeconds * 1000) / 3)
      await one.settle()
    }
    assert.equal(await two.begin('f'), undefined)
    for (const slot of slots) slot?.release()
    await one.settle()
    assert.notEqual(await two.begin('f'), undefined)
  })
})

describe('when the database is unavailable', () => {
  test('a slot that cannot be renewed continues, and the failure is logged', async t => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const gone = async () => {
      throw new Error('the database is gone')
    }
    const leases = { take: async () => true, renew: gone, release: gone }
    const clock = movableClock()
    const node = nodeOver(leases, clock, 1, async ms => clock.advance(ms))
    const slot = await node.begin()
    t.mock.timers.tick(leaseSeconds * 1000)
    await node.settle()
    assert.equal(node.lost.length, 3)
    assert.equal(node.slots.take('key'), undefined, 'it is still under way')
    slot?.release()
    await node.settle()
    assert.equal(node.lost.length, 4)
    assert.notEqual(node.slots.take('key'), undefined)
  })

  test('a slot is released when the database is back, and the next caller waits for neither', async () => {
    const clock = movableClock()
    const back = Promise.withResolvers<void>()
    let isAway = true
    const released: string[] = []
    const leases: LeaseStore = {
      take: async () => true,
      renew: async () => true,
      async release(name) {
        if (isAway) throw new Error('the database is gone')
        released.push(name)
      },
    }
    const node = nodeOver(leases, clock, 1, () => back.promise)
    const first = await node.begin()
    first?.release()
    assert.notEqual(await node.begin(), undefined)
    isAway = false
    back.resolve()
    await node.settle()
    assert.deepEqual([released, node.lost], [['list/key/1'], []])
  })
})
