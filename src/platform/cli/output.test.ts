import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutput } from './output.ts'

/** A stream that accepts nothing while it has a fault. */
function createStream() {
  const written: string[] = []
  const disk = { fault: null as NodeJS.ErrnoException | null }
  const stream = {
    on() {},
    write(text: string, done: (error: NodeJS.ErrnoException | null) => void) {
      const { fault } = disk
      if (fault === null) written.push(text)
      process.nextTick(done, fault)
    },
  }
  return { written, disk, stream }
}

const faultOf = (code: string) => Object.assign(new Error(code), { code })
/** Resolves when everything printed has been written, or has failed. */
const turn = () => new Promise(resolve => setImmediate(resolve))

test('a service learns how many lines were lost as soon as lines can be written again', async () => {
  const { written, disk, stream } = createStream()
  const output = createOutput(stream, false)
  const heard: number[] = []
  output.onLinesLost(lines => heard.push(lines))
  output.print('one\n')
  await turn()
  disk.fault = faultOf('ENOSPC')
  output.print('two\n')
  output.print('three\n')
  await turn()
  output.print('four\n')
  await turn()
  assert.deepEqual(heard, [])
  disk.fault = null
  output.print('five\n')
  await turn()
  output.print('six\n')
  await turn()
  assert.deepEqual(heard, [3])
  // The beginning of a lost line may have been written, so the next line starts on its own line.
  assert.equal(written.join(''), 'one\n\nfive\nsix\n')
  assert.equal(await output.failure(), undefined)
})

for (const [code, isFailure] of [
  ['ENOSPC', true],
  ['EPIPE', false],
] as const) {
  test(`${code} is ${isFailure ? 'a' : 'no'} failure of a command`, async () => {
    const { disk, stream } = createStream()
    const output = createOutput(stream, false)
    disk.fault = faultOf(code)
    output.print('its result\n')
    assert.equal(await output.failure(), isFailure ? disk.fault : undefined)
  })
}
