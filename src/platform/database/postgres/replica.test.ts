import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Problem } from '../../core/problems.ts'
import { circuitBreaker } from './replica.ts'

const pauseMs = 5_000

/** A replica whose checks and reads end as the test decides. */
function staged() {
  let now = 0
  const checks: PromiseWithResolvers<void>[] = []
  const changes: string[] = []
  const replica = circuitBreaker(
    {
      clock: () => now,
      pauseMs,
      onChange: change =>
        changes.push(change.isAsked ? 'asked' : `away: ${(change.reason as Error).message}`),
    },
    () => {
      const check = Promise.withResolvers<void>()
      checks.push(check)
      return check.promise
    },
  )
  return {
    ...replica,
    changes,
    checks,
    pass(ms: number) {
      now += ms
    },
    /** Ends the latest check with this result. */
    async found(error?: Error) {
      const check = checks.at(-1)
      if (error === undefined) check?.resolve()
      else check?.reject(error)
      await check?.promise.catch(() => {})
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
  test('is used once its check succeeds, and no read waits for that', async () => {
    const replica = staged()
    assert.deepEqual([await replica.ask(answer), await replica.ask(answer)], [undefined, undefined])
    assert.equal(replica.checks.length, 1)
    await replica.found()
    assert.equal(await replica.ask(answer), 'it')
    assert.deepEqual(replica.changes, ['asked'])
    assert.deepEqual(replica.counts(), { answered: 1, behind: 0, failed: 0, away: 2 })
  })

  test('whose check fails is reported once and checked again after each pause', async () => {
    const replica = staged()
    for (let check = 1; check <= 3; check += 1) {
      assert.equal(await replica.ask(answer), undefined)
      await replica.found(new Error('it follows no other server'))
      assert.equal(await replica.ask(answer), undefined)
      assert.equal(replica.checks.length, check)
      replica.pass(pauseMs)
    }
    assert.deepEqual(replica.changes, ['away: it follows no other server'])
  })

  test('that fails is not used during the pause, and each change is reported once', async () => {
    const replica = await following()
    replica.pass(pauseMs)
    assert.equal(await replica.ask(failing(lost)), undefined)
    replica.pass(pauseMs - 1)
    assert.equal(await replica.ask(answer), undefined)
    assert.equal(replica.checks.length, 1)
    replica.pass(1)
    assert.equal(await replica.ask(answer), undefined)
    assert.equal(replica.checks.length, 2)
    await replica.found()
    assert.equal(await replica.ask(answer), 'it')
    assert.deepEqual(replica.changes, ['asked', `away: ${lost.message}`, 'asked'])
    assert.deepEqual(replica.counts(), { answered: 1, behind: 0, failed: 1, away: 3 })
  })

  test('stays in use after a recovery conflict', async () => {
    const replica = await following()
    assert.equal(await replica.ask(failing(conflict)), undefined)
    assert.equal(await replica.ask(answer), 'it')
    assert.deepEqual(replica.changes, ['asked'])
    assert.deepEqual(replica.counts(), { answered: 1, behind: 0, failed: 1, away: 1 })
  })

  test('that lags stays in use and is checked once per pause, because it may have been promoted', async () => {
    const replica = await following()
    replica.pass(pauseMs)
    for (let read = 0; read < 3; read += 1) assert.equal(await replica.ask(nothing), undefined)
    assert.equal(replica.checks.length, 2)
    assert.equal(await replica.ask(answer), 'it')
    await replica.found(new Error('it follows no other server'))
    assert.equal(await replica.ask(answer), undefined)
    assert.deepEqual(replica.changes, ['asked', 'away: it follows no other server'])
    assert.deepEqual(replica.counts(), { answered: 1, behind: 3, failed: 0, away: 2 })
  })
})
