import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Problem } from '../../core/problems.ts'
import { circuitBreaker } from './replica.ts'

const pauseMs = 5_000

/** A replica of which the test says what comes of each look and each read. */
function staged() {
  let now = 0
  const looks: PromiseWithResolvers<void>[] = []
  const changes: string[] = []
  const replica = circuitBreaker(
    {
      clock: () => now,
      pauseMs,
      onChange: change =>
        changes.push(change.isAsked ? 'asked' : `away: ${(change.reason as Error).message}`),
    },
    () => {
      const look = Promise.withResolvers<void>()
      looks.push(look)
      return look.promise
    },
  )
  return {
    ...replica,
    changes,
    looks,
    pass(ms: number) {
      now += ms
    },
    /** The look that was begun last ends like this, and everybody knows. */
    async found(error?: Error) {
      const look = looks.at(-1)
      if (error === undefined) look?.resolve()
      else look?.reject(error)
      await look?.promise.catch(() => {})
    },
  }
}

const answer = async () => 'it'
const nothing = async () => undefined
const failing = (error: Error) => async () => {
  throw error
}

async function following() {
  const replica = staged()
  await replica.ask(answer)
  await replica.found()
  return replica
}

const lost = new Problem('unavailable', 'The database cannot be reached.', { cause: new Error('cut') })
const conflict = new Problem('unavailable', 'The database is busy.', {
  cause: Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' }),
})

describe('a replica', () => {
  test('is asked once it has proved to be one, and nobody waits for that', async () => {
    const replica = staged()
    assert.deepEqual([await replica.ask(answer), await replica.ask(answer)], [undefined, undefined])
    assert.equal(replica.looks.length, 1)
    await replica.found()
    assert.equal(await replica.ask(answer), 'it')
    assert.deepEqual(replica.changes, ['asked'])
    assert.deepEqual(replica.counts(), { answered: 1, behind: 0, failed: 0, away: 2 })
  })

  test('that is none is told once, and looked at again after each pause', async () => {
    const replica = staged()
    for (let look = 1; look <= 3; look += 1) {
      assert.equal(await replica.ask(answer), undefined)
      await replica.found(new Error('it follows no other server'))
      assert.equal(await replica.ask(answer), undefined)
      assert.equal(replica.looks.length, look)
      replica.pass(pauseMs)
    }
    assert.deepEqual(replica.changes, ['away: it follows no other server'])
  })

  test('that fails is left alone for the pause, and told once in each direction', async () => {
    const replica = await following()
    replica.pass(pauseMs)
    assert.equal(await replica.ask(failing(lost)), undefined)
    replica.pass(pauseMs - 1)
    assert.equal(await replica.ask(answer), undefined)
    assert.equal(replica.looks.length, 1)
    replica.pass(1)
    assert.equal(await replica.ask(answer), undefined)
    assert.equal(replica.looks.length, 2)
    await replica.found()
    assert.equal(await replica.ask(answer), 'it')
    assert.deepEqual(replica.changes, ['asked', `away: ${lost.message}`, 'asked'])
    assert.deepEqual(replica.counts(), { answered: 1, behind: 0, failed: 1, away: 3 })
  })

  test('is asked on after a conflict with what it replays', async () => {
    const replica = await following()
    assert.equal(await replica.ask(failing(conflict)), undefined)
    assert.equal(await replica.ask(answer), 'it')
    assert.deepEqual(replica.changes, ['asked'])
    assert.deepEqual(replica.counts(), { answered: 1, behind: 0, failed: 1, away: 1 })
  })

  test('that is behind is asked on, and looked at once a pause, since it may have been promoted', async () => {
    const replica = await following()
    replica.pass(pauseMs)
    for (let read = 0; read < 3; read += 1) assert.equal(await replica.ask(nothing), undefined)
    assert.equal(replica.looks.length, 2)
    assert.equal(await replica.ask(answer), 'it')
    await replica.found(new Error('it follows no other server'))
    assert.equal(await replica.ask(answer), undefined)
    assert.deepEqual(replica.changes, ['asked', 'away: it follows no other server'])
    assert.deepEqual(replica.counts(), { answered: 1, behind: 3, failed: 0, away: 2 })
  })
})
