import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { longTest } from '../harness/effort.ts'
import { inBrowser, visit, type World } from './world.ts'

const withScripts = { javaScriptEnabled: true, acceptDownloads: true } as const
const opened = async (page: Page, { baseUrl }: World, call: string) => {
  await page.goto(`${baseUrl}/docs/reference/${call}`)
  return formOf(page, call)
}
const formOf = (page: Page, call: string) => page.locator(`form.try[data-call="${call}"]`)

/** Presses Send, and returns what the page shows of the response. */
async function sent(page: Page, call: string): Promise<{ line: string; body: string }> {
  const form = formOf(page, call)
  await form.getByRole('button', { name: 'Send request' }).click()
  await form.locator('.outcome', { hasText: /\d ms|No response/ }).waitFor()
  return {
    line: (await form.locator('.outcome').textContent()) ?? '',
    body: await form.locator('.outcome-body').innerText(),
  }
}

/** The code of the request, which is written by a module that loads with the first change. */
async function assertCode(page: Page, call: string, part: string): Promise<void> {
  await page.locator(`#request-${call}`, { hasText: part }).waitFor()
}

inBrowser('the interactive reference', { isOneOrigin: true }, world => {
  test('sends a request, shows the response, and writes the same as curl', () =>
    visit(world(), withScripts, async ({ page, complaints, origins }) => {
      const call = await opened(page, world(), 'listApplications')
      await call.getByLabel('limit', { exact: true }).fill('1')
      await call.getByLabel('Accept').selectOption('application/xml')
      await assertCode(page, 'listApplications', '?afterid=0&limit=1')
      await assertCode(page, 'listApplications', "-H 'Accept: application/xml'")
      const { line, body } = await sent(page, 'listApplications')
      assert.match(line, /^200 OK in \d+ ms, 1\.\d kB\.$/)
      assert.match(body, /<JobApplications /)
      await call.getByText('Response headers').click()
      assert.match(await call.locator('.outcome-body').innerText(), /content-type: application\/xml/)
      assert.deepEqual(complaints, [])
      assert.deepEqual([...origins], [world().baseUrl])
    }))

  longTest('describes every parameter at the full width of its column, and shows no patterns', () =>
    visit(world(), async ({ page }) => {
      await opened(page, world(), 'listApplications')
      const list = page.locator('dl.parameters')
      const { width = 0 } = (await list.boundingBox()) ?? {}
      const descriptions = await list.locator('dd').all()
      assert.equal(descriptions.length, 6)
      for (const description of descriptions) {
        assert.equal((await description.boundingBox())?.width, width)
        assert.match(await description.innerText(), /^[A-Z].*\.$/)
      }
      assert.doesNotMatch(await page.locator('main').innerText(), /\^|\\d/)
      const { paths } = JSON.parse(readFileSync(new URL('../../spec/openapi.json', import.meta.url), 'utf8'))
      type Parameters = { parameters?: { name: string; description?: string }[] }
      const calls = Object.values<Record<string, Parameters>>(paths).flatMap(each => Object.values(each))
      const silent = calls.flatMap(({ parameters = [] }) => parameters).filter(each => !each.description)
      assert.deepEqual(silent, [])
    }),
  )

  test('an obtained token is used by the call that needs one, and is not stored', () =>
    visit(world(), withScripts, async ({ page }) => {
      await opened(page, world(), 'createJobAd')
      await page.getByText('Get a token', { exact: true }).click()
      assert.match((await sent(page, 'token')).body, /"access_token": "dat_/)
      await assertCode(page, 'createJobAd', 'Authorization: Bearer dat_')
      assert.match((await sent(page, 'createJobAd')).line, /^201 Created/)
      const token = await page.getByLabel('Bearer token').inputValue()
      const call = await opened(page, world(), 'intake-application')
      await call.getByLabel('Bearer token').fill(token)
      const resume = { name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('Casey Lim') }
      await call.getByLabel('File resume').setInputFiles(resume)
      await assertCode(page, 'intake-application', '-F resume=@cv.txt')
      assert.match((await sent(page, 'intake-application')).body, /"fileName": "cv\.txt"/)
      const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
      assert.equal(stored, '[{},{}]')
    }))

  longTest('typed values stay in the code when the language changes', () =>
    visit(world(), withScripts, async ({ page, complaints }) => {
      const call = await opened(page, world(), 'listApplications')
      await call.getByLabel('limit', { exact: true }).fill('7')
      await assertCode(page, 'listApplications', 'limit=7')
      await page.getByRole('link', { name: 'Python' }).click()
      await assertCode(page, 'listApplications', 'urlopen')
      await assertCode(page, 'listApplications', 'limit=7')
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Python')
      assert.equal(await call.getByLabel('limit', { exact: true }).inputValue(), '7')
      assert.deepEqual(complaints, [])
    }),
  )

  longTest('a file is offered for saving; a missing response is reported', () =>
    visit(world(), withScripts, async ({ page }) => {
      const call = await opened(page, world(), 'resume')
      assert.match((await sent(page, 'resume')).line, /^200 OK/)
      const waiting = page.waitForEvent('download')
      await call.getByRole('link', { name: /^Save file \(\d+\.\d kB\)$/ }).click()
      assert.match((await waiting).suggestedFilename(), /\.pdf$/)
      await page.route('**/v1/advertiser/**', route => route.abort())
      assert.match((await sent(page, 'resume')).line, /^No response/)
    }),
  )

  longTest('the page writes the same code as the server', () =>
    visit(world(), withScripts, async ({ page }) => {
      for (const call of ['listApplications', 'token', 'intake-application', 'replaceJobAd', 'closeScreen']) {
        for (const language of ['curl', 'typescript', 'python', 'csharp', 'php']) {
          await page.goto(`${world().baseUrl}/docs/reference/${call}?lang=${language}`)
          const code = page.locator(`#request-${call}`)
          const written = await code.textContent()
          await page.evaluate(
            `document.querySelector('form.try[data-call="${call}"]').dispatchEvent(new Event('change'))`,
          )
          // Markup has been replaced by plain text; a page cannot choose a file for its reader.
          await page.locator(`#request-${call}:not(:has(span))`).waitFor()
          const isWithFile = call === 'intake-application'
          if (!isWithFile) assert.equal(await code.textContent(), written)
        }
      }
    }),
  )

  longTest('the keyboard alone finds a call, fills it in and sends it', () =>
    visit(world(), withScripts, async ({ page }) => {
      await page.goto(`${world().baseUrl}/docs/reference`)
      await page.keyboard.press('ControlOrMeta+K')
      await page.keyboard.type('problem code means')
      await page.getByRole('option', { name: 'What a problem code means' }).first().waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/reference/problem')
      await page.locator('[data-path=code]').focus()
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('not-found')
      await page.keyboard.press('Enter')
      await page.locator('.outcome', { hasText: '200 OK' }).waitFor()
      assert.match(await page.locator('.outcome-body').innerText(), /Not found/)
    }),
  )

  longTest('links to where calls and schemas used to be lead to their pages', () =>
    visit(world(), withScripts, async ({ page }) => {
      await page.goto(`${world().baseUrl}/docs/reference#createJobAd`)
      await page.waitForURL('**/docs/reference/createJobAd')
      await page.goto(`${world().baseUrl}/docs/reference#schema-Prefill`)
      await page.waitForURL('**/docs/reference/schemas#schema-Prefill')
    }),
  )

  test('without JavaScript it is a reference, and offers nothing that would not work', () =>
    visit(world(), async ({ page }) => {
      await page.goto(`${world().baseUrl}/docs/reference#listApplications`)
      await page.locator('#listApplications a').click()
      await page.waitForURL('**/docs/reference/listApplications')
      assert.match(await page.locator('#request-listApplications').innerText(), /^curl /)
      await page.getByRole('link', { name: 'TypeScript' }).click()
      assert.match(await page.locator('#request-listApplications').innerText(), /await fetch/)
      await page.getByRole('link', { name: 'Revoke a token (RFC 7009)' }).click()
      assert.match(await page.locator('#request-revoke').innerText(), /await fetch/)
      assert.equal(await page.locator('form.try:visible, button[data-copy]:visible').count(), 0)
    }))
})
