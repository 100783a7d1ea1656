import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, signIn, visit, type World } from './world.ts'

const exact = '2026-09-30T23:12:00.000Z'

/** When Mary applied, as her receipt says it. */
async function submittedAt(world: World, options: { javaScriptEnabled: boolean; timezoneId: string }) {
  let told = { text: '', title: '' }
  await visit(
    world,
    async ({ page }) => {
      await signIn(world, page)
      await page.goto(`${world.authUrl}/account/applications/1`)
      const time = page.locator('time').first()
      told = {
        text: (await time.textContent()) ?? '',
        title: (await time.getAttribute('title')) ?? '',
      }
    },
    options,
  )
  return told
}

inBrowser('times', world => {
  test("are in the reader's time zone, with the exact time behind", async () => {
    const inAuckland = { javaScriptEnabled: true, timezoneId: 'Pacific/Auckland' }
    const { text, title } = await submittedAt(world(), inAuckland)
    // Their summer time had begun three days before.
    assert.equal(text, '1 October 2026 at 12:12')
    assert.match(title, /^Thursday,? 1 October 2026 at 12:12:00 GMT\+13 \(2026-09-30T23:12:00\.000Z\)$/)
    const inHonolulu = { javaScriptEnabled: true, timezoneId: 'Pacific/Honolulu' }
    assert.equal((await submittedAt(world(), inHonolulu)).text, '30 September 2026 at 13:12')
  })

  test("are in the reader's time zone in a form that comes back with errors", () =>
    visit(
      world(),
      async ({ page }) => {
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
      },
      { javaScriptEnabled: true, timezoneId: 'Pacific/Auckland' },
    ))

  test('say that they are in UTC without JavaScript, wherever the reader is', async () => {
    const plain = { javaScriptEnabled: false, timezoneId: 'Pacific/Auckland' }
    const { text, title } = await submittedAt(world(), plain)
    assert.equal(text, '30 September 2026 at 23:12 UTC')
    assert.equal(title, exact)
  })
})
