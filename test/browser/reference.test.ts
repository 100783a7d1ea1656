import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser, visit, type World } from './world.ts'

const withScripts = { javaScriptEnabled: true, acceptDownloads: true } as const
const opened = async (page: Page, { baseUrl }: World, call: string) => {
  await page.goto('about:blank')
  await page.goto(`${baseUrl}/docs/reference#${call}`)
  return page.locator(`#${call}`)
}

/** Presses Send, and returns what the page says of the answer. */
async function sent(page: Page, call: string): Promise<{ line: string; body: string }> {
  const form = page.locator(`#${call} form.try`)
  await form.getByRole('button', { name: 'Send request' }).click()
  await form.locator('.outcome', { hasText: /\d ms|No response/ }).waitFor()
  return {
    line: (await form.locator('.outcome').textContent()) ?? '',
    body: await form.locator('.outcome-body').innerText(),
  }
}

const curlOf = (page: Page, call: string) => page.locator(`#curl-${call}`).textContent()

inBrowser(
  'the interactive reference',
  world => {
    test('sends a request, shows the answer, and writes the same as curl', () =>
      visit(
        world(),
        async ({ page, complaints, origins }) => {
          const call = await opened(page, world(), 'listApplications')
          await call.getByLabel('limit', { exact: true }).fill('1')
          await call.getByLabel('Accept').selectOption('application/xml')
          assert.equal(
            await curlOf(page, 'listApplications'),
            `curl '${world().baseUrl}/v1/advertiser/applications?afterid=0&limit=1' -H 'Authorization: SWS sws_demo_harbour' -H 'Accept: application/xml'`,
          )
          const { line, body } = await sent(page, 'listApplications')
          assert.match(line, /^200 OK in \d+ ms, 1\.\d kB\.$/)
          assert.match(body, /<JobApplications /)
          await call.getByText('Response headers').click()
          assert.match(await call.locator('.outcome-body').innerText(), /content-type: application\/xml/)
          assert.deepEqual(complaints, [])
          assert.deepEqual([...origins], [world().baseUrl])
        },
        withScripts,
      ))

    test('a token that was got is used by the calls that need one', () =>
      visit(
        world(),
        async ({ page }) => {
          await opened(page, world(), 'token')
          assert.match((await sent(page, 'token')).body, /"access_token": "dat_/)
          await page.locator('#createJobAd > summary').click()
          assert.match(await curlOf(page, 'createJobAd').then(String), /Authorization: Bearer dat_/)
          assert.match((await sent(page, 'createJobAd')).line, /^201 Created/)
          await page.locator('#intake-application > summary').click()
          const resume = { name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('Casey Lim') }
          await page.locator('#intake-application').getByLabel('File resume').setInputFiles(resume)
          assert.match(await curlOf(page, 'intake-application').then(String), / -F resume=@cv\.txt$/)
          assert.match((await sent(page, 'intake-application')).body, /"fileName": "cv\.txt"/)
          const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
          assert.equal(stored, '[{},{}]')
        },
        withScripts,
      ))

    test('a file is offered to be saved; an answer that does not come is told', () =>
      visit(
        world(),
        async ({ page }) => {
          const call = await opened(page, world(), 'resume')
          assert.match((await sent(page, 'resume')).line, /^200 OK/)
          const waiting = page.waitForEvent('download')
          await call.getByRole('link', { name: /^Save file \(\d+\.\d kB\)$/ }).click()
          assert.match((await waiting).suggestedFilename(), /\.pdf$/)
          await page.route('**/v1/advertiser/**', route => route.abort())
          assert.match((await sent(page, 'resume')).line, /^No response/)
        },
        withScripts,
      ))

    test('the script writes the commands that the server has written', () =>
      visit(
        world(),
        async ({ page }) => {
          await page.goto(`${world().baseUrl}/docs/reference`)
          const commands = page.locator('pre[id^=curl-]')
          const written = await commands.allTextContents()
          await page.evaluate(
            "for (const form of document.querySelectorAll('form.try')) form.dispatchEvent(new Event('change'))",
          )
          // A page cannot choose a file for its reader.
          const withoutFile = written.map(command => command.replace(' -F resume=@resume.pdf', ''))
          assert.deepEqual(await commands.allTextContents(), withoutFile)
          assert.ok(written.length > 30)
        },
        withScripts,
      ))

    test('the keyboard alone finds a call, fills it in and sends it', () =>
      visit(
        world(),
        async ({ page }) => {
          await page.goto(`${world().baseUrl}/docs/reference`)
          await page.getByLabel('Filter calls').focus()
          await page.keyboard.type('get problem')
          await page.getByText('Calls shown: 1').waitFor()
          // The heading of the one section that is left is a link, too.
          await page.keyboard.press('Tab')
          await page.keyboard.press('Tab')
          await page.keyboard.press('Enter')
          await page.keyboard.press('Tab')
          await page.keyboard.press('ControlOrMeta+A')
          await page.keyboard.type('not-found')
          await page.keyboard.press('Enter')
          await page.locator('#problem .outcome', { hasText: '200 OK' }).waitFor()
          assert.match(await page.locator('#problem .outcome-body').innerText(), /Not found/)
        },
        withScripts,
      ))

    test('without JavaScript it is a reference, and offers nothing that would not work', () =>
      visit(world(), async ({ page }) => {
        await page.goto(`${world().baseUrl}/docs/reference`)
        await page.locator('#listApplications > summary').click()
        assert.ok(await page.locator('#curl-listApplications').isVisible())
        assert.equal(await page.locator('form.try:visible, #filter:visible').count(), 0)
      }))
  },
  { isOneOrigin: true },
)
