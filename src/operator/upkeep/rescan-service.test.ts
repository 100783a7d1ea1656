import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { addCandidate, plainDraft, uploaded } from '../../../test/harness/applications.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { withFileStores } from '../../../test/harness/database.ts'
import { noLog, recordLog } from '../../../test/harness/log.ts'
import { storedBlobs } from '../../../test/harness/s3.ts'
import { createApplicationStore } from '../../collect/application-store.ts'
import type { ApplicationFile } from '../../model/application.ts'
import { createCandidateStore } from '../../people/profile/candidate-store.ts'
import type { Scanner } from '../../platform/blobs/ports.ts'
import type { ScanState } from '../../platform/blobs/scan-state.ts'
import { sha256OfNothing } from '../../platform/core/hashing.ts'
import type { Log } from '../../platform/core/log.ts'
import { defaultLimits as limits } from '../../settings-limits.ts'
import { createRescan, rescansAtOnce } from './rescan-service.ts'
import { createScanningStore } from './scanning-store.ts'

const clock = movableClock()
const person = 'person'

/** Returns the verdict that the file's text names, and records each scan. The real scanner has tests of its own. */
function scannerThat(prove: () => Promise<void> = async () => {}) {
  const asked: string[] = []
  let proofs = 0
  const scanner: Scanner = {
    async scan(file) {
      const text = Buffer.from(await file.read(0, file.size)).toString()
      asked.push(text)
      return text.startsWith('virus') ? 'infected' : text.startsWith('huge') ? 'unscanned' : 'clean'
    },
    prove() {
      proofs += 1
      return prove()
    },
  }
  return { scanner, asked, proofs: () => proofs }
}

withFileStores('scanning again', { clock }, (services, settings) => {
  let advertiserId: number
  let serial = 0
  before(async () => {
    advertiserId = (await services().advertisers.add('Harbour Coffee Roasters')).id
    await addCandidate(services(), person)
  })
  const candidates = () => createCandidateStore(services().database)

  function rescan(
    scanner: Scanner,
    log: Log = noLog,
    steadyClock = movableClock(),
    bounds: typeof limits = limits,
  ) {
    const { database, blobs } = services()
    const applications = createApplicationStore(database)
    return createRescan({
      store: createScanningStore(database),
      applications,
      blobs,
      scanner,
      clock,
      steadyClock,
      limits: bounds,
      log,
    }).run
  }

  const upload = (text: string, scan: ScanState = 'unscanned') =>
    uploaded(services(), { type: 'resume', scan }, text)

  async function applyWith(...files: ApplicationFile[]): Promise<number> {
    return (await services().submissions.add(advertiserId, plainDraft({ files }))).id
  }

  async function addResume(file: ApplicationFile): Promise<string> {
    const id = `resume-${++serial}`
    assert.ok(await candidates().addResume(person, { id, ...file }, 100))
    return id
  }

  const resumeIs = async (id: string) => {
    const resume = await candidates().findResume(person, id)
    return (
      resume && {
        scan: resume.scan,
        hasBlob: resume.blob !== null,
        size: resume.size,
        sha256: resume.sha256,
      }
    )
  }

  /** As version 1 delivers it, in both formats. */
  async function hasVirus(applicationId: number): Promise<unknown> {
    const query = {
      includePrimaryInfo: false,
      afterId: String(applicationId - 1),
      beforeId: String(applicationId + 1),
    }
    const owner = { advertiserId, agentId: null }
    const [json, xml] = await Promise.all(
      (['json', 'xml'] as const).map(async format =>
        String((await services().applications.listPage(owner, format, query, 1)).content),
      ),
    )
    const found = JSON.parse(json ?? '').JobApplications.JobApplicationsList[0].Attachments[0].HasVirus
    assert.ok(
      xml?.includes(found === null ? '<HasVirus xsi:nil="true"' : `<HasVirus>${found}</HasVirus>`),
      xml,
    )
    return found
  }

  async function loose(): Promise<string[]> {
    const rows = await services().database.writer.selectFrom('loose_blobs').select('blob').execute()
    return rows.map(({ blob }) => blob)
  }

  test('scans the bytes once, for the resume and for every application that uses it', async () => {
    const file = await upload('a resume')
    const resume = await addResume(file)
    const ids = [await applyWith(file), await applyWith(file)]
    const other = await applyWith(await upload('another'))
    const judged = await applyWith(await upload('judged before', 'clean'))
    const { scanner, asked } = scannerThat()
    assert.deepEqual(await rescan(scanner)(), {
      did: { clean: 2, infected: 0 },
      left: { unscanned: 0, unreadable: 0 },
    })
    assert.deepEqual(asked.toSorted(), ['a resume', 'another'])
    for (const id of [...ids, other, judged]) assert.equal(await hasVirus(id), false)
    const { sha256, size } = file
    assert.deepEqual(await resumeIs(resume), { scan: 'clean', hasBlob: true, size, sha256 })
    assert.deepEqual(await rescan(scanner)(), {
      did: { clean: 0, infected: 0 },
      left: { unscanned: 0, unreadable: 0 },
    })
    assert.equal(asked.length, 2, 'what has a verdict is not scanned again')
  })

  test('discards infected files everywhere, and releases the bytes', async () => {
    const file = await upload('virus')
    const resume = await addResume(file)
    const id = await applyWith(file)
    // Infected bytes are infected for every owner, whatever the earlier verdict.
    const sooner = await applyWith({ ...file, scan: 'clean' })
    const { scanner } = scannerThat()
    assert.deepEqual((await rescan(scanner)()).did, { clean: 0, infected: 1 })
    assert.deepEqual([await hasVirus(id), await hasVirus(sooner)], [true, true])
    assert.deepEqual(await resumeIs(resume), {
      scan: 'infected',
      hasBlob: false,
      size: 0,
      sha256: sha256OfNothing,
    })
    assert.ok((await loose()).includes(String(file.blob)))
    await services().cleanUp.run()
    await assert.rejects(services().blobs.open(file))
  })

  test('retries files without a verdict, and continues with the others while the scanner is available', async () => {
    const huge = await Promise.all([1, 2, 3, 4, 5].map(number => upload(`huge ${number}`)))
    const ids = await Promise.all(huge.map(file => applyWith(file)))
    const normal = await applyWith(await upload('normal'))
    const { scanner, asked, proofs } = scannerThat()
    assert.deepEqual(await rescan(scanner)(), {
      did: { clean: 1, infected: 0 },
      left: { unscanned: 5, unreadable: 0 },
    })
    assert.equal(asked.length, 6)
    assert.ok(proofs() <= 2, 'a proof is dear')
    assert.equal(await hasVirus(normal), false)
    for (const id of ids) assert.equal(await hasVirus(id), null)
    // The scanner has been improved.
    const { did } = await rescan({ ...scanner, scan: async () => 'clean' })()
    assert.equal(did['clean'], 5)
    for (const id of ids) assert.equal(await hasVirus(id), false)
  })

  test('reports a file that the scanner will not judge as not judged, until it is judged after all', async () => {
    const file = await upload('a bomb')
    const resume = await addResume(file)
    const id = await applyWith(file)
    const judged = await applyWith({ ...file, scan: 'clean' })
    const states = async () => {
      const rows = services().database.reader.selectFrom('application_files')
      const all = await rows.select(['application_id', 'scan', 'not_judged']).execute()
      return [id, judged].map(each => {
        const row = all.find(({ application_id }) => application_id === each)
        return [row?.scan, row?.not_judged]
      })
    }
    const refusing: Scanner = { ...scannerThat().scanner, scan: async () => 'not-judged' }
    assert.deepEqual(await rescan(refusing)(), {
      did: { clean: 0, infected: 0 },
      left: { unscanned: 1, unreadable: 0 },
    })
    assert.equal((await resumeIs(resume))?.scan, 'not-judged')
    assert.deepEqual(await states(), [
      ['unscanned', 1],
      ['clean', 0],
    ])
    assert.equal(await hasVirus(id), null)
    // Its limits were raised.
    assert.deepEqual((await rescan(scannerThat().scanner)()).did, { clean: 1, infected: 0 })
    assert.equal((await resumeIs(resume))?.scan, 'clean')
    assert.deepEqual(await states(), [
      ['clean', 0],
      ['clean', 0],
    ])
  })

  test('retries files that stay without a verdict after pauses that grow to an hour', async () => {
    const id = await applyWith(await upload('huge for long'))
    const steadyClock = movableClock(0)
    const { scanner, asked } = scannerThat()
    const run = rescan(scanner, undefined, steadyClock)
    const minutes: number[] = []
    for (let minute = 0; minute < 250; minute += 0.5) {
      steadyClock.set(minute * 60_000)
      const before = asked.length
      assert.equal((await run()).left?.['unscanned'], 1)
      if (asked.length > before) minutes.push(minute)
    }
    assert.deepEqual(minutes, [0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 123.5, 183.5, 243.5])
    // Another file does not wait because of it, and a new process starts without the old one's memory.
    await applyWith(await upload('normal size'))
    assert.equal((await run()).did['clean'], 1)
    assert.equal((await rescan({ ...scanner, scan: async () => 'clean' })()).did['clean'], 1)
    assert.equal(await hasVirus(id), false)
  })

  test('does not postpone files that could not be scanned because the scanner was unavailable', async () => {
    const id = await applyWith(await upload('in the meantime'))
    let isAway = true
    const scanner: Scanner = {
      scan: async () => (isAway ? 'unscanned' : 'clean'),
      prove: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
    }
    const run = rescan(scanner, undefined, movableClock(0))
    assert.equal((await run()).left?.['unscanned'], 1)
    isAway = false
    assert.equal((await run()).did['clean'], 1)
    assert.equal(await hasVirus(id), false)
  })

  for (const { scansAtOnce, max } of [
    { scansAtOnce: limits.scansAtOnce, max: rescansAtOnce },
    { scansAtOnce: 2, max: 1 },
    { scansAtOnce: 1, max: 1 },
  ]) {
    test(`of ${scansAtOnce} concurrent scans it uses ${max}, and leaves the others to uploads`, async () => {
      for (let index = 0; index < 5; index++) await applyWith(await upload(`one of five ${index}`))
      let [now, peak] = [0, 0]
      const allThere = Promise.withResolvers<void>()
      const scanner: Scanner = {
        async scan() {
          now += 1
          peak = Math.max(peak, now)
          // The first ones wait for each other: they run concurrently, or never end.
          if (peak === max) allThere.resolve()
          await allThere.promise
          await turnOfTheLoop()
          now -= 1
          return 'clean'
        },
        prove: async () => {},
      }
      const run = rescan(scanner, undefined, movableClock(0), { ...limits, scansAtOnce })
      assert.equal((await run()).did['clean'], 5)
      assert.equal(peak, max)
    })
  }

  test('ends early when the scanner is unavailable', async () => {
    const files = await Promise.all(Array.from({ length: 10 }, (_, index) => upload(`waiting ${index}`)))
    for (const file of files) await applyWith(file)
    let asked = 0
    const away: Scanner = {
      async scan() {
        asked += 1
        return 'unscanned'
      },
      prove: () => Promise.reject(new Error('away')),
    }
    const { did, left } = await rescan(away)()
    assert.deepEqual(did, { clean: 0, infected: 0 })
    assert.equal(asked, rescansAtOnce)
    assert.equal(left?.['unscanned'], rescansAtOnce)
    assert.equal((await rescan(scannerThat().scanner)()).did['clean'], 10)
  })

  test('skips unreadable files, reports them once, and continues', async () => {
    const missing = await upload('lost')
    const [lost, fine] = [await applyWith(missing), await applyWith(await upload('fine'))]
    await storedBlobs(settings()).remove(String(missing.blob))
    const { log, lines } = recordLog()
    const { scanner } = scannerThat()
    const round = await rescan(scanner, log)()
    assert.deepEqual(round, { did: { clean: 1, infected: 0 }, left: { unscanned: 0, unreadable: 1 } })
    assert.deepEqual(
      lines.map(({ fields: { files, first } }) => [files, first]),
      [[1, missing.blob]],
    )
    assert.deepEqual([await hasVirus(lost), await hasVirus(fine)], [null, false])
    await services().applications.recordVerdict(advertiserId, lost, 'resume', 'infected')
  })

  test('does not report a file that is deleted while it is being read', async () => {
    const file = await upload('deleted')
    const resume = await addResume(file)
    const { scanner } = scannerThat()
    const { database, blobs } = services()
    const run = createRescan({
      store: createScanningStore(database),
      applications: createApplicationStore(database),
      blobs: {
        async examine(kept, look) {
          await candidates().removeResume(person, resume, clock())
          await services().cleanUp.run()
          return blobs.examine(kept, look)
        },
      },
      scanner,
      clock,
      limits,
      log: noLog,
    }).run
    assert.deepEqual(await run(), { did: { clean: 0, infected: 0 }, left: { unscanned: 0, unreadable: 0 } })
  })

  test('is harmless when two processes run it at once', async () => {
    const files = await Promise.all(
      Array.from({ length: 8 }, (_, index) => upload(index % 2 === 0 ? `virus ${index}` : `good ${index}`)),
    )
    const resumes = await Promise.all(files.map(addResume))
    const ids = await Promise.all(files.map(file => applyWith(file)))
    const { scanner } = scannerThat()
    await Promise.all([rescan(scanner, recordLog().log)(), rescan(scanner, recordLog().log)()])
    for (const [index, id] of ids.entries()) {
      assert.equal(await hasVirus(id), index % 2 === 0)
      assert.equal((await resumeIs(resumes[index] ?? ''))?.scan, index % 2 === 0 ? 'infected' : 'clean')
    }
    assert.deepEqual(
      (await loose()).toSorted(),
      files
        .filter((_, index) => index % 2 === 0)
        .map(({ blob }) => String(blob))
        .toSorted(),
    )
  })
})
