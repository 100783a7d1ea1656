import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { type Clamd, type ClamdSettings, soundSettings, startClamd } from '../../../test/harness/clamd.ts'
import { type MovableClock, movableClock } from '../../../test/harness/clock.ts'
import { some } from '../../../test/harness/effort.ts'
import { type FaultProxy, startFaultProxy } from '../../../test/harness/fault-proxy.ts'
import type { RandomReader } from '../core/random-reader.ts'
import { deepZip, eicar, eicarZip, largeZip, readerOf } from './probes.ts'
import { type ClamdScanner, createClamdScanner } from './scanner.ts'

const mebibyte = 1024 * 1024
const limits = {
  fileBytes: mebibyte,
  scanMs: 20_000,
  scanConnectMs: 20_000,
  scansAtOnce: 8,
  scannerProofSeconds: 600,
  scannerRetrySeconds: 5,
}
const text = readerOf(Buffer.from('Dear Sir or Madam'))
const deepZipReader = readerOf(deepZip())
const { AlertExceedsMax: _, ...silentAboutLimits } = soundSettings

let clamd: Clamd
let proxy: FaultProxy
let clock: MovableClock
let faults: string[]
let warnings: string[]
let scanners: ClamdScanner[]

function scannerOf(url: string, changed: Partial<typeof limits> = {}): ClamdScanner {
  const scanner = createClamdScanner({
    url,
    limits: { ...limits, ...changed },
    clock,
    onFault: error => faults.push(error.message),
    onWarning: warning => warnings.push(warning),
  })
  scanners.push(scanner)
  return scanner
}

/** A new file each time, because clamd remembers files that it found clean. */
function fresh(size: number): RandomReader {
  const seed = Buffer.from(`${performance.now()} ${Math.random()}`)
  return readerOf(Buffer.alloc(size, seed))
}

async function restart(settings = soundSettings): Promise<void> {
  await clamd.stop()
  await clamd.start(settings)
}

before(async () => {
  clamd = await startClamd()
  proxy = await startFaultProxy(clamd.path)
})

function eachHasItsScanners(): void {
  beforeEach(() => {
    clock = movableClock()
    faults = []
    warnings = []
    scanners = []
    proxy.fault = 'none'
  })
  afterEach(() => {
    for (const scanner of scanners) scanner.close()
  })
}

after(async () => {
  await proxy.close()
  await clamd.remove()
})

describe('verdicts of a sound clamd', () => {
  eachHasItsScanners()

  before(() => restart())

  test('a clean file is clean; EICAR is infected, also in an archive and at the maximum size', async () => {
    const scanner = scannerOf(clamd.url, { fileBytes: 10 * mebibyte })
    await scanner.prove()
    const files = [text, readerOf(eicar), readerOf(eicarZip()), largeZip(10 * mebibyte), fresh(10 * mebibyte)]
    const verdicts = await Promise.all(
      [...files, readerOf(new Uint8Array(0))].map(file => scanner.scan(file)),
    )
    assert.deepEqual(verdicts, ['clean', 'infected', 'infected', 'infected', 'clean', 'clean'])
    assert.deepEqual([faults, warnings], [[], []])
  })

  test('are the same over TCP and IPv6', async () => {
    const ipv6 = await startFaultProxy(clamd.path, '::1')
    for (const { url } of [proxy, ipv6]) {
      const scanner = scannerOf(url)
      assert.equal(await scanner.scan(text), 'clean')
      assert.equal(await scanner.scan(readerOf(eicar)), 'infected')
      scanner.close()
    }
    await ipv6.close()
  })

  test('a file nested too deeply is not judged, and other verdicts are trusted', async () => {
    const scanner = scannerOf(clamd.url)
    assert.equal(await scanner.scan(readerOf(deepZip())), 'not-judged')
    assert.equal(await scanner.scan(text), 'clean')
  })

  test('of twenty concurrent files, two at a time, all are judged', async () => {
    const scanner = scannerOf(clamd.url, { scansAtOnce: 2 })
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => scanner.scan(text)))
    assert.deepEqual(new Set(verdicts), new Set(['clean']))
  })

  test('a file that cannot be read rejects', async () => {
    const scanner = scannerOf(clamd.url)
    const broken = { size: 10, read: () => Promise.reject(new Error('the disk is gone')) }
    await assert.rejects(scanner.scan(broken), /the disk is gone/)
    const short = { size: 10, read: async () => new Uint8Array(0) }
    await assert.rejects(scanner.scan(short), /ends at byte 0 of 10/)
    assert.equal(await scanner.scan(text), 'clean')
  })
})

describe('limits of clamd', () => {
  eachHasItsScanners()

  const limiting: ClamdSettings[] = [
    { MaxFileSize: '1M', MaxScanSize: '1M' },
    { StreamMaxLength: '1M' },
    { MaxScanSize: '1M' },
  ]
  for (const settings of some(2, limiting)) {
    const names = Object.keys(settings).join(' and ')
    test(`a file beyond ${names} is not judged, one below is, and the operator is warned once`, async () => {
      await restart({ ...soundSettings, ...settings })
      const scanner = scannerOf(clamd.url, { fileBytes: 2 * mebibyte })
      await scanner.prove()
      // clamd closes the connection on a stream that is too long, and its reason may be lost.
      const isTold = settings['StreamMaxLength'] === undefined ? ['not-judged'] : ['not-judged', 'unscanned']
      for (const file of [fresh(2 * mebibyte), largeZip(2 * mebibyte)])
        assert.ok(isTold.includes(await scanner.scan(file)))
      assert.equal(await scanner.scan(text), 'clean')
      assert.equal(await scanner.scan(readerOf(eicar)), 'infected')
      await scanner.prove()
      assert.deepEqual(faults, [])
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', /StreamMaxLength .* 2097152, .*MaxFileSize and MaxScanSize .* 4194304 /)
    })
  }

  const unsound: [what: string, settings: ClamdSettings, advice: RegExp][] = [
    ['does not report its limits', silentAboutLimits, /"AlertExceedsMax yes"/],
    ['does not open archives', { ...soundSettings, ScanArchive: 'no' }, /"ScanArchive yes"/],
    [
      'unpacks only part of an archive',
      { ...soundSettings, MaxFileSize: '8M' },
      /MaxFileSize .* MaxScanSize/,
    ],
    ['opens archives too deep', { ...soundSettings, MaxRecursion: '200' }, /MaxRecursion/],
    // The defaults of Debian.
    ['has the limits of Debian', { MaxFileSize: '25M', MaxScanSize: '100M' }, /"AlertExceedsMax yes"/],
    ['does not open PDFs', { ...soundSettings, ScanPDF: 'no' }, /"ScanPDF yes"/],
    ['does not open Word documents', { ...soundSettings, ScanOLE2: 'no' }, /"ScanOLE2 yes"/],
    ['does not open web pages', { ...soundSettings, ScanHTML: 'no' }, /"ScanHTML yes"/],
    ['does not open XML', { ...soundSettings, ScanXMLDOCS: 'no' }, /"ScanXMLDOCS yes"/],
  ]
  for (const [what, settings, advice] of some(4, unsound)) {
    test(`a clamd that ${what} is never trusted, and the operator learns how to fix it`, async () => {
      await restart(settings)
      const scanner = scannerOf(clamd.url)
      await assert.rejects(scanner.prove(), advice)
      clock.advance(5_000)
      for (const file of [text, deepZipReader, text]) assert.equal(await scanner.scan(file), 'unscanned')
      clock.advance(5_000)
      assert.equal(await scanner.scan(text), 'unscanned')
      assert.equal(faults.length, 1)
      assert.match(faults[0] ?? '', advice)
      await restart()
      clock.advance(5_000)
      assert.equal(await scanner.scan(text), 'clean')
    })
  }

  test('a restart with unsound settings is noticed before the next verdict', async () => {
    await restart()
    for (const { url } of [clamd, proxy]) {
      const scanner = scannerOf(url)
      assert.equal(await scanner.scan(text), 'clean')
      await restart(silentAboutLimits)
      // Also for files that arrive while the new clamd is being proven.
      const states = [scanner.scan(text)]
      const proof = scanner.prove().catch(() => 'refused')
      while ((await Promise.race([proof, turnOfTheLoop()])) !== 'refused') states.push(scanner.scan(text))
      assert.deepEqual(new Set(await Promise.all(states)), new Set(['unscanned']))
      assert.match(faults.pop() ?? '', /AlertExceedsMax/)
      await restart()
    }
  })

  test('a proof is repeated when it expires', async () => {
    await restart()
    const scanner = scannerOf(proxy.url)
    await scanner.scan(text)
    const connections = async () => {
      const before = proxy.count
      assert.equal(await scanner.scan(text), 'clean')
      return proxy.count - before
    }
    clock.advance(599_000)
    assert.equal(await connections(), 1)
    clock.advance(1_000)
    assert.equal(await connections(), 4)
    assert.equal(await connections(), 1)
  })
})

describe('a clamd that fails', () => {
  eachHasItsScanners()

  before(() => restart())
  // Enough for a proof with a small file on a busy machine.
  const quick = { fileBytes: 1_000, scanMs: 8_000 }

  test('stopped: files are unscanned, logged once, without an attempt per file; started again: files are judged', async () => {
    const scanner = scannerOf(clamd.url)
    assert.equal(await scanner.scan(text), 'clean')
    await clamd.stop()
    assert.equal(await scanner.scan(text), 'unscanned')
    clock.advance(5_000)
    assert.equal(await scanner.scan(text), 'unscanned')
    assert.equal(faults.length, 1)
    assert.match(faults[0] ?? '', /cannot be reached .*: start it, or correct CLAMD_URL$/)
    await assert.rejects(scanner.prove(), /cannot be reached/)
    await clamd.start()
    // The last attempt was just now.
    assert.equal(await scanner.scan(text), 'unscanned')
    clock.advance(5_000)
    assert.equal(await scanner.scan(text), 'clean')
    await clamd.stop()
    assert.equal(await scanner.scan(text), 'unscanned')
    assert.equal(faults.length, 2)
    await clamd.start()
  })

  test('no answer in time: the file is unscanned, and the next is judged once it answers again', async () => {
    const scanner = scannerOf(proxy.url, quick)
    await scanner.prove()
    proxy.fault = 'mute'
    assert.equal(await scanner.scan(text), 'unscanned')
    proxy.fault = 'none'
    assert.equal(await scanner.scan(text), 'clean')
    assert.deepEqual(faults, [])
  })

  test('it hangs: files are unscanned and do not wait for long', async () => {
    const scanner = scannerOf(proxy.url, { ...quick, scanConnectMs: 1_000 })
    clamd.freeze()
    await assert.rejects(scanner.prove(), /no answer within 8000 ms/)
    clock.advance(5_000)
    const proof = scanner.prove()
    let isOver = false
    proof.catch(() => {
      isOver = true
    })
    assert.equal(await scanner.scan(text), 'unscanned')
    assert.equal(isOver, false)
    clamd.thaw()
    await proof
    assert.equal(await scanner.scan(text), 'clean')
  })

  test('connection reset half-way: the file is unscanned, and the next is judged', async () => {
    const scanner = scannerOf(proxy.url)
    await scanner.prove()
    proxy.fault = { resetAfter: mebibyte }
    assert.equal(await scanner.scan(fresh(4 * mebibyte)), 'unscanned')
    proxy.fault = 'none'
    assert.equal(await scanner.scan(text), 'clean')
  })
})
