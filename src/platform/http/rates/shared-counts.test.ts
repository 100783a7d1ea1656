import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { movableClock } from '../../../../test/harness/clock.ts'
import { CountTable, nodeOver } from '../../../../test/harness/rate-counts.ts'
import type { Usage } from './rate-limit.ts'

const minute = 60_000
const passed = (usages: readonly Usage[]) => usages.filter(({ isExceeded }) => !isExceeded).length

/** A gate at which a statement waits until the test opens it. */
function gate() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return { wait: () => promise, open: resolve, fail: () => reject(new Error('the database is gone')) }
}

describe('a small limit', () => {
  test('is exact on any number of nodes, however they are hit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ node: fc.nat({ max: 2 }), times: fc.integer({ min: 1, max: 4 }) }), {
          maxLength: 20,
        }),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        async (hits, most, isTogether) => {
          const table = new CountTable()
          // Statements of one node overtake those of another.
          table.before = table.after = () => new Promise(resolve => setImmediate(resolve))
          const limits = [0, 1, 2].map(() => nodeOver(table, movableClock()).limit(most))
          const usages: (Usage | Promise<Usage>)[] = []
          for (const { node, times } of hits) {
            for (let time = 0; time < times; time++) usages.push(limits[node]?.hit('key') as Usage)
            if (!isTogether) await Promise.all(usages)
          }
          const all = await Promise.all(usages)
          assert.equal(passed(all), Math.min(most, all.length))
          // Each request that passed got a different remaining number.
          const left = all.filter(({ isExceeded }) => !isExceeded).map(({ remaining }) => remaining)
          assert.deepEqual(
            left.toSorted((a, b) => b - a),
            left.map((_, index) => most - 1 - index),
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  test('is refused without another statement once it is known to be exceeded', async () => {
    const table = new CountTable()
    const clock = movableClock()
    const [one, two] = [nodeOver(table, clock).limit(3), nodeOver(table, clock).limit(3)]
    for (let hit = 0; hit < 3; hit++) await one.hit('key')
    assert.equal((await two.hit('key')).isExceeded, true)
    const { length } = table.statements
    for (const limit of [one, two]) {
      const usage = limit.hit('key')
      assert.ok(!(usage instanceof Promise))
      assert.deepEqual([usage.isExceeded, usage.remaining], [true, 0])
    }
    assert.equal(table.statements.length, length)
  })

  test('counts a hit in the window of its arrival, even if the response comes in the next', async () => {
    const table = new CountTable()
    const clock = movableClock()
    const [one, two] = [nodeOver(table, clock).limit(2), nodeOver(table, clock).limit(2)]
    await two.hit('key')
    await two.hit('key')
    const slow = gate()
    table.before = slow.wait
    const late = one.hit('key')
    clock.advance(minute)
    // Meanwhile, the first hit of the next minute.
    const early = one.hit('key')
    slow.open()
    assert.equal((await late).isExceeded, true)
    assert.deepEqual([(await early).isExceeded, (await early).remaining], [false, 1])
    const windows = table.statements.map(statement => statement.map(({ window }) => window))
    const first = windows[0]?.[0] as number
    assert.deepEqual(windows, [[first], [first], [first], [first + 1]])
  })

  test('hits that arrive during a statement are sent together in the next one', async () => {
    const table = new CountTable()
    const limit = nodeOver(table, movableClock()).limit(10)
    const slow = gate()
    table.before = slow.wait
    const usages = ['a', 'b', 'a', 'c', 'a'].map(key => limit.hit(key))
    assert.equal(table.statements.length, 1)
    slow.open()
    const left = (await Promise.all(usages)).map(({ remaining }) => remaining)
    assert.deepEqual(left, [9, 9, 8, 9, 7])
    const hits = table.statements.map(statement => statement.map(count => count.hits))
    assert.deepEqual(hits, [[1], [1, 2, 1]])
  })

  test('many keys are sent in several statements, each key once', async () => {
    const table = new CountTable()
    const limit = nodeOver(table, movableClock(), 3).limit(10)
    const keys = Array.from({ length: 8 }, (_, index) => `key ${index}`)
    const usages = await Promise.all(keys.map(key => limit.hit(key)))
    assert.ok(usages.every(({ remaining }) => remaining === 9))
    assert.deepEqual(
      table.statements.map(({ length }) => length),
      [1, 3, 3, 1],
    )
  })

  test('shares the common count of further keys among the nodes too', async () => {
    const table = new CountTable()
    const nodes = [0, 1].map(() => nodeOver(table, movableClock()).limit(3, { maxKeys: 1 }))
    const usages: Usage[] = []
    for (const [index, limit] of nodes.entries()) {
      for (const key of ['known', 'stranger', 'other']) usages.push(await limit.hit(`${key} ${index}`))
    }
    assert.deepEqual(
      usages.map(({ remaining }) => remaining),
      [2, 2, 1, 2, 0, 0],
    )
    assert.deepEqual(
      usages.map(({ isExceeded }) => isExceeded),
      [false, false, false, false, false, true],
    )
  })
})

describe('a large limit', () => {
  test('hardly waits in its first half, rarely writes, and ends exactly at the limit', async () => {
    const table = new CountTable()
    table.before = table.after = () => new Promise(resolve => setImmediate(resolve))
    const clock = movableClock()
    const limits = [0, 1, 2, 3].map(() => nodeOver(table, clock).limit(5000))
    const usages: Usage[] = []
    let waited = 0
    for (let round = 0; round < 200; round++) {
      // Eight at once on each of four nodes.
      const hits = limits.flatMap(limit => Array.from({ length: 8 }, () => limit.hit('key')))
      waited += hits.filter(usage => usage instanceof Promise).length
      usages.push(...(await Promise.all(hits)))
      await new Promise(resolve => setImmediate(resolve))
    }
    assert.equal(passed(usages), 5000)
    assert.ok(waited <= 2600, `${waited} have waited`)
    // 100 of half a percent until it is half-way, and then one for eight.
    assert.ok(table.statements.length < 800, `${table.statements.length} statements`)
  })

  for (const most of [200, 600, 6000]) {
    const nodesOver = (table: CountTable, count: number) => {
      table.before = table.after = () => new Promise(resolve => setImmediate(resolve))
      const clock = movableClock()
      return Array.from({ length: count }, () => nodeOver(table, clock).limit(most))
    }

    test(`of ${most} is exact on 25 nodes whose callers wait for their responses`, async () => {
      const limits = nodesOver(new CountTable(), 25)
      const usages: Usage[] = []
      const calls = limits.flatMap(limit => [limit, limit, limit])
      while (usages.length < most * 1.5)
        usages.push(...(await Promise.all(calls.map(limit => limit.hit('key')))))
      assert.equal(passed(usages), most)
    })

    test(`of ${most} is within a tenth on 8 nodes that get all requests at once`, async () => {
      const limits = nodesOver(new CountTable(), 8)
      const hits = limits.flatMap(limit => Array.from({ length: most / 2 }, () => limit.hit('key')))
      const count = passed(await Promise.all(hits))
      assert.ok(count >= most && count <= most * 1.1, `${count} have passed`)
    })
  }

  test('a few hits are sent within a second, and no statement without hits', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const table = new CountTable()
    const clock = movableClock()
    const [one, two] = [nodeOver(table, clock).limit(1000), nodeOver(table, clock).limit(1000)]
    one.hit('key')
    one.hit('key')
    one.hit('other')
    assert.equal(table.statements.length, 0)
    t.mock.timers.tick(1000)
    assert.deepEqual(
      table.statements.map(statement => statement.map(({ hits }) => hits)),
      [[2, 1]],
    )
    await new Promise(resolve => setImmediate(resolve))
    t.mock.timers.tick(10_000)
    assert.equal(table.statements.length, 1)
    two.hit('key')
    t.mock.timers.tick(1000)
    await new Promise(resolve => setImmediate(resolve))
    assert.equal((await two.hit('key')).remaining, 996)
  })

  test('keeps no address and no ID in the table', async () => {
    const table = new CountTable()
    await nodeOver(table, movableClock()).limit(3).hit('192.0.2.1')
    const [[row] = []] = table.statements
    assert.match(row?.key ?? '', /^[0-9a-f]{64}$/)
  })
})

describe('when the database is unreachable', () => {
  test('each node counts for itself, logs that once, and sends all its hits when the database is back', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const table = new CountTable()
    const clock = movableClock()
    const { limit: make, logged } = nodeOver(table, clock)
    const limit = make(5)
    await limit.hit('key')
    table.before = async () => {
      throw new Error('the database is gone')
    }
    assert.deepEqual(await limit.hit('key'), { remaining: 3, resetSeconds: 60, isExceeded: false })
    // Requests no longer wait; one statement a second checks whether the database is back.
    const { length } = table.statements
    for (const remaining of [2, 1, 0]) {
      const usage = limit.hit('key')
      assert.ok(!(usage instanceof Promise))
      assert.deepEqual([usage.remaining, usage.isExceeded], [remaining, false])
    }
    assert.equal((await limit.hit('key')).isExceeded, true)
    for (let second = 1; second <= 3; second++) {
      t.mock.timers.tick(1000)
      await new Promise(resolve => setImmediate(resolve))
      assert.equal(table.statements.length, length + second)
    }
    assert.deepEqual(logged(), ['warn: the database is gone'])
    table.before = async () => {}
    t.mock.timers.tick(1000)
    await new Promise(resolve => setImmediate(resolve))
    assert.deepEqual(logged(), ['warn: the database is gone', 'info'])
    const other = nodeOver(table, clock).limit(6)
    assert.deepEqual([(await other.hit('key')).remaining, (await other.hit('key')).isExceeded], [0, true])
  })

  test('a statement without a response releases the requests that wait for it and for the next one', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const table = new CountTable()
    const { limit: make, logged } = nodeOver(table, movableClock())
    const limit = make(5)
    const frozen = gate()
    table.before = frozen.wait
    const usages = [limit.hit('key'), limit.hit('key'), limit.hit('other')]
    t.mock.timers.tick(3000)
    const left = (await Promise.all(usages)).map(({ remaining }) => remaining)
    assert.deepEqual(left, [4, 3, 4])
    assert.deepEqual(logged(), ['warn: no response within 3000 ms'])
    assert.ok(!(limit.hit('key') instanceof Promise))
    assert.equal(table.statements.length, 1, 'one at a time, also when it hangs')
    frozen.open()
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(logged().at(-1), 'info')
    assert.equal((await limit.hit('key')).remaining, 1)
  })

  test('a table lost with its server does not erase the counts of a node', async () => {
    const table = new CountTable()
    const clock = movableClock()
    const [one, two] = [nodeOver(table, clock).limit(5), nodeOver(table, clock).limit(5)]
    for (const limit of [one, two, one]) await limit.hit('key')
    assert.equal((await one.hit('key')).remaining, 1)
    table.lose()
    assert.equal((await one.hit('key')).remaining, 0)
    assert.equal((await one.hit('key')).isExceeded, true)
  })

  test('counts of expired windows are no longer sent', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const table = new CountTable()
    const clock = movableClock()
    const { limit: make, shared } = nodeOver(table, clock)
    table.before = async () => {
      throw new Error('the database is gone')
    }
    await make(5).hit('key')
    table.before = async () => {}
    clock.advance(2 * minute)
    await shared.close()
    assert.equal(table.statements.length, 1)
  })

  test('a node sends its counts before it ends', async () => {
    const table = new CountTable()
    const clock = movableClock()
    const { limit: make, shared } = nodeOver(table, clock)
    const limit = make(1000)
    for (let hit = 0; hit < 7; hit++) limit.hit('key')
    await shared.close()
    const other = nodeOver(table, clock).limit(8)
    assert.equal((await other.hit('key')).remaining, 0)
  })
})
