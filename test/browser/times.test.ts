import assert from 'node:assert/strict'
import { test } from 'node:test'
import { behindTheScenes, harbourId } from '../contract/apply-form.ts'
import { longTest } from '../harness/effort.ts'
import { inBrowser, signIn, visit, type World } from './world.ts'

const exact = '2026-09-30T23:12:00.000Z'

/** When Mary applied, as her receipt says it. */
async function submittedAt(world: World, options: { javaScriptEnabled: boolean; timezoneId: string }) {
  let told = { text: '', title: '' }
  await visit(world, options, async ({ page }) => {
    await signIn(world, page)
    await page.goto(`${world.authUrl}/account/applications/1`)
    const time = page.locator('time').first()
    told = {
      text: (await time.textContent()) ?? '',
      title: (await time.getAttribute('title')) ?? '',
    }
  })
  return told
}

inBrowser('times', world => {
  test("are in the reader's time zone, with the exact time behind", async () => {
    const inAuckland = { javaScriptEnabled: true, timezoneId: 'Pacific/Auckland' }
    const { text, title } = await submittedAt(world(), inAuckland)
    // Their summer time had begun three days before.
    assert.equal(text, '1 October 2026 at 12:12 pm')
    assert.match(title, /^Thursday,? 1 October 2026 at 12:12:00 pm NZDT \(2026-09-30T23:12:00\.000Z\)$/)
    const inHonolulu = { javaScriptEnabled: true, timezoneId: 'Pacific/Honolulu' }
    assert.equal((await submittedAt(world(), inHonolulu)).text, '30 September 2026 at 1:12 pm')
  })

  longTest('of reads are in the same zone as that of the application', () =>
    visit(world(), { javaScriptEnabled: true, timezoneId: 'Australia/Brisbane' }, async ({ page }) => {
      const reads = [1, 100].map(minutes => Date.parse(exact) + minutes * 60_000)
      await behindTheScenes(world().service, async ({ database }) => {
        const read = {
          advertiser_id: harbourId,
          application_id: 1,
          reader: 'member:1',
          way: 'view',
        } as const
        const rows = reads.map(at => ({
          ...read,
          first_at: at,
          last_at: at,
          day: new Date(at).toISOString().slice(0, 10),
        }))
        await database.writer.insertInto('application_reads').values(rows).execute()
      })
      await signIn(world(), page)
      for (const path of ['/account/applications/1', '/account/sharing']) {
        await page.goto(`${world().authUrl}${path}`)
        const line = page.locator('li', { hasText: 'opened it' }).first()
        const told = 'opened it, first on 1 October 2026 at 9:13 am, last on 1 October 2026 at 10:52 am'
        assert.equal((await line.innerText()).trim(), `Harbour Coffee Roasters ${told}`)
        assert.doesNotMatch(await page.locator('main').innerText(), /30 September/)
      }
    }),
  )

  longTest("are in the reader's time zone in a form that comes back with errors", () =>
    visit(world(), { javaScriptEnabled: true, timezoneId: 'Pacific/Auckland' }, async ({ page }) => {
      await signIn(world(), page)
      await page.goto(`${world().authUrl}/jobs/32/apply`)
      const times = page.locator('form[data-apply] time')
      const before = await times.allTextContents()
      assert.notEqual(before.length, 0)
      const notPdf = { name: 'resume.pdf', mimeType: 'application/pdf', buffer: Buffer.from('plain text') }
      await page.getByLabel('Resume file').setInputFiles(notPdf)
      await page.getByRole('button', { name: 'Send application' }).click()
      await page.getByText('Not sent yet.').waitFor()
      assert.deepEqual(await times.allTextContents(), before)
    }),
  )

  test('say that they are in UTC without JavaScript, wherever the reader is', async () => {
    const plain = { javaScriptEnabled: false, timezoneId: 'Pacific/Auckland' }
    const { text, title } = await submittedAt(world(), plain)
    assert.equal(text, '30 September 2026 at 11:12 pm UTC')
    assert.equal(title, exact)
  })
})
