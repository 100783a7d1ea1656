import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Dossier } from '../../sdk/typescript/src/index.ts'
import { samplePath } from '../../src/site/docs/sample-list.ts'
import { pdfOf } from '../harness/documents.ts'
import { doorOf, mary, tom } from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { mailsTo, mailTo, readOutbox } from '../harness/outbox.ts'
import { until } from '../harness/polling.ts'
import { root } from '../harness/repository.ts'
import { assertHeading, inBrowser, signIn, visit, type World } from './world.ts'

const credential = 'sws_demo_harbour'

/** The sample program of an ATS: it reports each new application back with this state. */
async function startSample(t: TestContext, { service }: World, state: string): Promise<void> {
  const store = await mkdtemp(join(tmpdir(), 'dossier-ats-'))
  const sample = spawn(process.execPath, [join(root, samplePath('typescript', 'follow'))], {
    env: { DOSSIER_URL: service.baseUrl, SWS_CREDENTIAL: credential, STORE: store, REPORT: state },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(sample, 'close')
  t.after(async () => {
    sample.kill()
    await ended
    await rm(store, { recursive: true })
  })
  // From its first answer on, it sees each application.
  await until(async () => {
    assert.equal(sample.exitCode, null, 'the sample has ended')
    return existsSync(join(store, '1.json'))
  })
}

/** Returns the ID of the application, whose page the browser then shows. */
async function apply(world: World, page: Page, email: string, jobAdId = 32): Promise<number> {
  await signIn(world, page, email)
  await page.goto(`${world.authUrl}/jobs/${jobAdId}/apply`)
  // Otherwise a saved one is chosen already.
  if ((await page.getByLabel('Upload another').count()) === 0)
    await page
      .getByLabel('Resume file')
      .setInputFiles({ name: 'resume.pdf', mimeType: 'application/pdf', buffer: pdfOf(1000) })
  await page.getByRole('button', { name: 'Send application' }).click()
  await page.waitForURL(/\/account\/applications\/\d+/)
  return Number(/(\d+)(\?.*)?$/.exec(page.url())?.[1])
}

async function assertShown(page: Page, status: string, explanation: string): Promise<void> {
  await assertHeading(page, 'Your application')
  const words = await page.getByRole('main').innerText()
  for (const part of [`${status} ${explanation}`, `${status} on `])
    assert.ok(words.replace(/\s+/g, ' ').includes(part), `${part} is not in ${words}`)
}

inBrowser('from the report of an ATS to the candidate', { engines: oneEngine }, world => {
  test('the sample reports an interview: the candidate gets an email, and its link shows the page', t =>
    visit(world(), async ({ page, complaints }) => {
      await startSample(t, world(), 'interview')
      const id = await apply(world(), page, mary)
      const link = `/account/applications/${id}`
      // The first email is about the application that was sent.
      const mails = await mailsTo(doorOf(world().service), mary, 2, link)
      // Both are sent at once.
      const { text, path } =
        mails.find(({ subject }) => subject === 'Interview: Production roaster') ?? assert.fail()
      assert.match(
        text,
        /The status of your application for Production roaster at Harbour Coffee Roasters is now “Interview”\./,
      )
      assert.match(text, /The company wants to interview you\. It will contact you to arrange it\./)
      await page.goto(world().authUrl + path)
      await assertShown(page, 'Interview', 'Harbour Coffee Roasters wants to interview you.')
      assert.deepEqual(complaints, [])
    }))

  test('a report that keeps the email back changes the page alone', () =>
    visit(world(), async ({ page, complaints }) => {
      const applicationId = await apply(world(), page, tom)
      const dossier = new Dossier({ baseUrl: world().service.baseUrl, credential })
      const entry = {
        applicationId,
        state: 'interview',
        at: new Date().toISOString(),
        tell: false,
      } as const
      assert.deepEqual(await dossier.progress.report([entry]), [{ applicationId, result: 'applied' }])
      await page.reload()
      await assertShown(page, 'Interview', 'Harbour Coffee Roasters wants to interview you.')

      // An email that was queued later arrives, and none about the interview.
      const door = doorOf(world().service)
      const link = `/account/applications/${applicationId}`
      await mailTo(door, tom, 1, link)
      await mailTo(door, tom, 1, `/account/applications/${await apply(world(), page, tom, 42)}`)
      const mails = (await readOutbox(door)).filter(({ path }) => path === link)
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        ['Application sent: Production roaster'],
      )
      assert.deepEqual(complaints, [])
    }))
})
