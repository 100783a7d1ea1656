import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, type TestContext, test } from 'node:test'
import { type Clamd, soundSettings, startClamd } from '../../../test/harness/clamd.ts'
import { type MovableClock, movableClock } from '../../../test/harness/clock.ts'
import { startFaultProxy } from '../../../test/harness/fault-proxy.ts'
import { deepZip, readerOf } from './probes.ts'
import { type ClamdScanner, createClamdScanner } from './scanner.ts'

// Detects another clamd in place of the proven one, with two real ones, of which only the first is sound.
const { AlertExceedsMax: _, ...silentAboutLimits } = soundSettings
const limits = {
  fileBytes: 1_000,
  // Enough to prove a clamd on a busy machine.
  scanMs: 60_000,
  scanConnectMs: 20_000,
  scansAtOnce: 8,
  scannerProofSeconds: 600,
  scannerRetrySeconds: 0,
}
const text = readerOf(Buffer.from('Dear Sir or Madam'))
/** Beyond the limits of both. The second one reports it as clean. */
const beyond = readerOf(deepZip())

let proven: Clamd
let other: Clamd
let faults: string[]
let scanner: ClamdScanner | undefined

function scannerOf(url: string, changed: Partial<typeof limits> = {}, clock?: MovableClock): ClamdScanner {
  scanner = createClamdScanner({
    url,
    limits: { ...limits, ...changed },
    ...(clock === undefined ? {} : { clock }),
    onFault: error => faults.push(error.message),
    onWarning: warning => assert.fail(warning),
  })
  return scanner
}

function eachHasTwoClamd(): void {
  beforeEach(async () => {
    faults = []
    ;[proven, other] = await Promise.all([startClamd(), startClamd(silentAboutLimits)])
  })
  afterEach(async () => {
    scanner?.close()
    await Promise.all([proven.remove(), other.remove()])
  })
}

describe('another clamd at the same address', () => {
  eachHasTwoClamd()

  test('is not trusted while the proven one still runs', async () => {
    const { scan } = scannerOf(proven.url)
    assert.equal(await scan(text), 'clean')
    await rename(other.path, proven.path)
    assert.equal(await scan(beyond), 'unscanned')
    // It must pass the proof, and cannot.
    assert.equal(await scan(text), 'unscanned')
    assert.match(faults.join(), /AlertExceedsMax/)
  })

  test('is not trusted while the proven one hangs, or its machine vanishes', async () => {
    const proxy = await startFaultProxy(proven.path)
    const { scan } = scannerOf(proxy.url, { scanMs: 8_000, scanConnectMs: 2_000 })
    assert.equal(await scan(text), 'clean')
    proven.freeze()
    await rename(other.path, proven.path)
    assert.equal(await scan(beyond), 'unscanned')
    assert.equal(await scan(text), 'unscanned')
    assert.match(faults.join(), /AlertExceedsMax/)
    await proxy.close()
  })

  test('is trusted once it has been proven itself', async () => {
    const { scan } = scannerOf(proven.url)
    assert.equal(await scan(text), 'clean')
    await other.stop()
    await other.start(soundSettings)
    await rename(other.path, proven.path)
    assert.equal(await scan(text), 'unscanned')
    assert.equal(await scan(text), 'clean')
    assert.deepEqual(faults, [])
  })

  test('is not used if the host name now resolves to another machine', async (t: TestContext) => {
    const proxy = await startFaultProxy(proven.path)
    const port = Number(new URL(proxy.url).port)
    let visitors = 0
    const elsewhere = createServer(socket => {
      visitors += 1
      socket.destroy()
    }).listen(port, '127.0.0.2')
    await once(elsewhere, 'listening')
    let address = '127.0.0.1'
    t.mock.method(
      dns,
      'lookup',
      (_: string, { all }: dns.LookupOptions, done: (...answer: unknown[]) => void) =>
        all === true ? done(null, [{ address, family: 4 }]) : done(null, address, 4),
    )
    const { scan } = scannerOf(`tcp://clamd.test:${port}`)
    assert.equal(await scan(text), 'clean')
    address = '127.0.0.2'
    assert.equal(await scan(text), 'clean')
    assert.equal(visitors, 0)
    elsewhere.close()
    await proxy.close()
  })
})

describe('a clamd that is proven again', () => {
  eachHasTwoClamd()

  test('is reported if it cannot be trusted, however often another caller proves it in between', async () => {
    const clock = movableClock()
    const { scan, prove } = scannerOf(proven.url, { scannerRetrySeconds: 5 }, clock)
    await proven.stop()
    assert.equal(await scan(text), 'unscanned')
    await proven.start(silentAboutLimits)
    for (let round = 0; round < 3; round++) {
      clock.advance(3_000)
      await assert.rejects(prove(), /AlertExceedsMax/)
      assert.equal(await scan(text), 'unscanned')
    }
    assert.equal(faults.length, 2)
    assert.match(faults[1] ?? '', /AlertExceedsMax/)
  })

  test('is timed by elapsed time, whatever the system clock is set to', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-14') })
    const { scan } = scannerOf(proven.url)
    await proven.stop()
    assert.equal(await scan(text), 'unscanned')
    await proven.start()
    t.mock.timers.setTime(Date.parse('2026-11-13'))
    assert.equal(await scan(text), 'clean')
  })
})
