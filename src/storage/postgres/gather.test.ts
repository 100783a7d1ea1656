import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gather, gatherByKey } from './gather.ts'

/** Answers when it is told to. */
function slowDatabase() {
  const calls: { asks: number[]; answer(): void; fail(error: Error): void }[] = []
  const answerAll = (asks: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      calls.push({ asks, answer: () => resolve(asks.map(ask => ask * 10)), fail: reject })
    })
  return { calls, answerAll }
}

test('what is asked in one turn is one call, and each gets its own answer', async () => {
  const { calls, answerAll } = slowDatabase()
  const ask = gather(answerAll)
  const answers = Promise.all([ask(1), ask(2), ask(3)])
  await nextTurn()
  assert.deepEqual(
    calls.map(({ asks }) => asks),
    [[1, 2, 3]],
  )
  calls[0]?.answer()
  assert.deepEqual(await answers, [10, 20, 30])
})

test('what comes while a call is under way shares the next one, and never that one', async () => {
  const { calls, answerAll } = slowDatabase()
  const ask = gather(answerAll, { patienceMs: 60_000 })
  const first = ask(1)
  await nextTurn()
  const later = Promise.all([ask(2), ask(3)])
  await nextTurn()
  assert.equal(calls.length, 1)
  calls[0]?.answer()
  assert.equal(await first, 10)
  await nextTurn()
  assert.deepEqual(calls[1]?.asks, [2, 3])
  calls[1]?.answer()
  assert.deepEqual(await later, [20, 30])
})

test('a call takes so many at most, and the others follow', async () => {
  const ask = gather(async (asks: number[]) => [...asks.keys()], { most: 2 })
  assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(ask)), [0, 1, 0, 1, 0])
})

test('who is held up holds up nobody for long', async () => {
  const { calls, answerAll } = slowDatabase()
  const ask = gather(answerAll, { patienceMs: 1 })
  const stuck = ask(1)
  await nextTurn()
  const next = ask(2)
  while (calls.length < 2) await nextTurn()
  calls[1]?.answer()
  assert.equal(await next, 20)
  calls[0]?.answer()
  assert.equal(await stuck, 10)
  // And the one that was late has not started anything twice.
  const last = ask(3)
  while (calls.length < 3) await nextTurn()
  assert.deepEqual(calls[2]?.asks, [3])
  calls[2]?.answer()
  assert.equal(await last, 30)
})

test('a failure is told to those who shared the call, and to nobody else', async () => {
  const { calls, answerAll } = slowDatabase()
  const ask = gather(answerAll)
  const failed = Promise.allSettled([ask(1), ask(2)])
  await nextTurn()
  const after = ask(3)
  calls[0]?.fail(new Error('lost'))
  assert.deepEqual(
    (await failed).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  while (calls.length < 2) await nextTurn()
  calls[1]?.answer()
  assert.equal(await after, 30)
})

test('a key that several ask for is looked for once; what is not there is undefined', async () => {
  const looked: string[][] = []
  const find = gatherByKey(async keys => {
    looked.push(keys)
    return keys.filter(key => key !== 'nobody').map(key => ({ key, name: key.toUpperCase() }))
  })
  const found = await Promise.all(['a', 'nobody', 'b', 'a'].map(find))
  assert.deepEqual(looked, [['a', 'nobody', 'b']])
  assert.deepEqual(found, [{ name: 'A' }, undefined, { name: 'B' }, { name: 'A' }])
})
