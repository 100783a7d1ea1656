import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sha256OfNothing } from '../../src/platform/core/hashing.ts'
import { eicar } from '../../src/platform/scanning/probes.ts'
import { type Clamd, soundSettings, startClamd } from '../harness/clamd.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { longTest } from '../harness/effort.ts'
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts'
import { formTo } from '../harness/html-form.ts'
import { call, harbour } from '../harness/http.ts'
import {
  applicationOf,
  applicationPart,
  file,
  idOf,
  intakeToken,
  multipart,
  post,
} from '../harness/intake.ts'
import { Browser, doorOf, localPath } from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { until } from '../harness/polling.ts'
import { storedBlobs } from '../harness/s3.ts'
import { type Service, startServiceHere } from '../harness/service.ts'
import { runHere } from '../process/support.ts'
import { apply as applyByForm, roasterAd, signedIn } from './apply-form.ts'
import { sha256 } from './reading.ts'

/** A real clamd behind a proxy that can lose, delay and cut its responses. */
let clamd: Clamd
let proxy: FaultProxy
before(async () => {
  clamd = await startClamd()
  proxy = await startFaultProxy(clamd.path)
})
after(async () => {
  await proxy.close()
  await clamd.remove()
})

/** Rescans are requested, not waited for. */
const settings = () => ({ CLAMD_URL: proxy.url, WORK: 'elsewhere' })
/** The time that an impatient caller calls slow. */
const impatient = { SCAN_MS: '1000' }

for (const engine of oneEngine) {
  describe(`files and a real clamd [${engine}]`, () => {
    let database: TestDatabase
    let service: Service
    let token: string
    before(async () => {
      database = await createTestDatabase(engine, 'demo')
      service = await startServiceHere(database, { env: settings() })
      token = await intakeToken(doorOf(service))
    })
    after(async () => {
      await service.stop()
      await database.remove()
    })

    async function apply(resume: string | Buffer, to = service): Promise<number> {
      const parts = [applicationPart(applicationOf()), file('resume', 'resume.txt', resume)]
      return idOf(await post(doorOf(to), token, parts))
    }

    /** What version 1 says about the resume, in both its forms, which must agree. */
    async function shown(id: number): Promise<{ hasVirus: boolean | null; hash: string; size: number }> {
      const path = `/v1/advertiser/applications?afterid=${id - 1}&beforeid=${id + 1}`
      const json = (await call(service, path, { headers: harbour })).json()
      const [resume] = json.JobApplications.JobApplicationsList[0].Attachments
      const xml = (await call(service, path, { headers: { ...harbour, accept: 'application/xml' } })).text
      const verdict =
        resume.HasVirus === null ? '<HasVirus xsi:nil="true"/>' : `<HasVirus>${resume.HasVirus}</HasVirus>`
      assert.ok(xml.includes(`${verdict}<Hash>${resume.Hash}</Hash>`), xml)
      return { hasVirus: resume.HasVirus, hash: resume.Hash, size: resume.Size }
    }

    const download = (id: number) =>
      call(service, `/v1/advertiser/applications/resume/${id}`, { headers: harbour })

    async function assertClean(id: number, content: string): Promise<void> {
      assert.deepEqual(await shown(id), {
        hasVirus: false,
        hash: sha256(Buffer.from(content)),
        size: content.length,
      })
      const answer = await download(id)
      assert.deepEqual([answer.status, answer.text], [200, content])
    }

    async function assertInfected(id: number): Promise<void> {
      assert.deepEqual(await shown(id), { hasVirus: true, hash: sha256OfNothing, size: 0 })
      const answer = await download(id)
      assert.deepEqual([answer.status, answer.text, answer.headers.get('x-has-virus')], [200, '', 'true'])
    }

    async function assertHeld(id: number): Promise<void> {
      assert.equal((await shown(id)).hasVirus, null)
      assert.equal((await download(id)).status, 503)
    }

    /** Withheld permanently: the caller is not asked to wait. */
    async function assertNotJudged(id: number): Promise<void> {
      assert.equal((await shown(id)).hasVirus, null)
      const answer = await download(id)
      const told = [answer.status, answer.json().code, answer.headers.get('retry-after')]
      assert.deepEqual(told, [403, 'file-not-judged', null])
    }

    async function rescan(): Promise<void> {
      const outcome = await runHere(['work', '--once'], { ...database.settings, ...settings() })
      assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr)
    }

    async function storedFiles(): Promise<number> {
      return (await storedBlobs(database.settings).names()).length
    }

    test('a clean file is marked clean, an infected one is discarded, both at once', async () => {
      const before = await storedFiles()
      await assertInfected(await apply(eicar))
      assert.equal(await storedFiles(), before, 'nothing of it is kept')
      await assertClean(await apply('an honest resume'), 'an honest resume')
    })

    test('a resume with a virus is marked and never delivered', async () => {
      const browser = await Browser.signedIn(doorOf(service))
      const before = await storedFiles()
      const list = await browser.get('/account/resumes')
      const [[, formToken] = ['', '']] = formTo('/account/resumes/upload', list.text).fields
      const { body, type } = multipart([
        { name: 'form_token', content: formToken },
        file('file', 'bad.txt', eicar),
      ])
      const answer = await browser.send('POST', '/account/resumes/upload', {
        headers: { 'content-type': type },
        body,
      })
      const page = await browser.get(localPath(answer))
      assert.match(page.text, /We found a virus in this file/)
      assert.match(page.text, /bad\.txt.*share this file/s)
      assert.equal(await storedFiles(), before)
    })

    test('an application sent by the form is accepted, and its receipt says which file had a virus', async () => {
      const browser = await signedIn(service, 'tom@example.com')
      const files = {
        resumeFile: { name: 'bad.txt', content: eicar },
        coverLetter: { name: 'fine.txt', content: 'Dear Harbour' },
      }
      const id = await applyByForm(service, browser, roasterAd, { fields: { resume: 'upload' }, files })
      await assertInfected(id)
      const receipt = await browser.get(`/account/applications/${id}`)
      assert.match(receipt.text, /virus.*bad\.txt|bad\.txt.*virus/s)
      assert.doesNotMatch(receipt.text, /fine\.txt[^<]*virus/)
      assert.equal((await browser.get(`/account/applications/${id}/files/resume`)).status, 404)
      assert.equal((await browser.get(`/account/applications/${id}/files/coverLetter`)).status, 200)
    })

    const faults: [what: string, begin: () => unknown, end: () => unknown][] = [
      ['is stopped', () => clamd.stop(), () => clamd.start()],
      [
        'resets the connection in the middle of the stream',
        () => {
          proxy.fault = { resetAfter: 100_000 }
        },
        () => {
          proxy.fault = 'none'
        },
      ],
    ]
    for (const [what, begin, end] of faults) {
      longTest(`while clamd ${what}, files are withheld, and judged once it is back`, async () => {
        const text = 'a resume of some length '.repeat(20_000)
        await begin()
        const clean = await apply(text)
        const infected = await apply(eicar)
        await assertHeld(clean)
        // A file that still gets through may be judged: never as clean.
        assert.notEqual((await shown(infected)).hasVirus, false)
        await end()
        await rescan()
        await assertClean(clean, text)
        await assertInfected(infected)
      })
    }

    test('while clamd does not answer in time, files are withheld, and judged once it does', async t => {
      const waiting = await startServiceHere(database, { env: { ...settings(), ...impatient } })
      t.after(() => waiting.stop())
      proxy.fault = 'mute'
      const id = await apply('an unread resume', waiting)
      await assertHeld(id)
      proxy.fault = 'none'
      await rescan()
      await assertClean(id, 'an unread resume')
    })

    // `npm test` has its parts in src/platform/scanning/scanner, src/operator/upkeep/rescan-service and not-judged.
    longTest('a file beyond its limits stays unjudged and withheld, until they are raised', async () => {
      const text = 'a resume of more than a megabyte '.repeat(40_000)
      await clamd.stop()
      await clamd.start({ ...soundSettings, MaxFileSize: '1M', MaxScanSize: '1M' })
      const id = await apply(text)
      // On a busy machine a restarted clamd is not proven in time for an upload.
      await until(async () => {
        await rescan()
        return (await download(id)).status !== 503
      })
      await assertNotJudged(id)
      await clamd.stop()
      await clamd.start(soundSettings)
      await rescan()
      await assertClean(id, text)
    })
  })
}

describe('the start with a clamd', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase('sqlite', 'empty')
  })
  after(() => database.remove())

  test('whose verdicts cannot be used is refused, and the doctor says so', async t => {
    const unsound = await startClamd({ ...soundSettings, AlertExceedsMax: 'no' })
    t.after(() => unsound.remove())
    const env = { ...database.settings, CLAMD_URL: unsound.url, PORT: '0', ADMIN_PORT: '0' }
    for (const command of ['serve', 'doctor']) {
      const { code, stdout, stderr } = await runHere([command], env)
      assert.notEqual(code, 0)
      assert.match(stdout + stderr, /AlertExceedsMax yes/)
    }
  })

  test('or without one logs one line that files are not scanned', async () => {
    const service = await startServiceHere(database)
    const lines = service.log().split('\n')
    assert.equal(lines.filter(line => line.includes('no CLAMD_URL: files are not scanned')).length, 1)
    await service.stop()
  })

  test('that is unavailable succeeds, and logs one line', async () => {
    const env = { CLAMD_URL: 'unix:///nowhere/clamd.ctl' }
    const service = await startServiceHere(database, { env })
    const warned = service
      .log()
      .split('\n')
      .filter(line => line.includes('until clamd is back'))
    assert.equal(warned.length, 1)
    await service.stop()
  })
})
