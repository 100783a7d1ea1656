import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { createProgress } from './progress.ts'

function watch(isTerminal: boolean) {
  const clock = movableClock()
  const written: string[] = []
  const context = {
    environment: {},
    user: 'tester',
    print: () => {},
    complain: (text: string) => written.push(text),
    isTerminal,
    untilStopRequested: async () => '',
    onRestartRequested: () => {},
    openWorkers: () => Promise.reject(new Error('no workers here')),
  }
  return { clock, written, progress: createProgress(context, clock) }
}

test('a terminal gets a bar with count, speed and time left, which makes room for messages', () => {
  const { clock, written, progress } = watch(true)
  progress.show('lines done', 0, 10_000)
  clock.advance(50)
  progress.show('lines done', 500, 10_000)
  clock.advance(1_950)
  progress.show('lines done', 5_000, 10_000)
  progress.say('line 7: no')
  progress.end()
  assert.deepEqual(written, [
    '\r\u001B[Klines done [........................] 0/10,000',
    // Not immediately: no reader is that fast.
    '\r\u001B[Klines done [############............] 5,000/10,000, 2,500/s, 0:02 left',
    '\r\u001B[K',
    'line 7: no\n',
  ])
})

test('elsewhere there is a line every ten seconds or ten thousand lines', () => {
  const { clock, written, progress } = watch(false)
  progress.show('lines done', 40_000, 100_000)
  clock.advance(5_000)
  progress.show('lines done', 49_999, 100_000)
  progress.show('lines done', 50_000, 100_000)
  clock.advance(10_000)
  progress.show('lines done', 50_500, 100_000)
  progress.say('line 7: no')
  progress.end()
  assert.deepEqual(written, [
    'lines done: 50,000 of 100,000, 2,000/s, 0:25 left\n',
    'lines done: 50,500 of 100,000, 700/s, 1:11 left\n',
    'line 7: no\n',
  ])
})
