import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { demoFile } from '../harness/documents.ts'
import { isLongRun } from '../harness/effort.ts'
import { mary } from '../harness/oauth.ts'
import { go, signInByKeys, tab, tabTo, write } from './keyboard.ts'
import { assertHeading, inBrowser, landedText, visit } from './world.ts'

const desktop = { javaScriptEnabled: true, viewport: { width: 1280, height: 800 } } as const
const darkPhone = {
  javaScriptEnabled: true,
  viewport: { width: 360, height: 640 },
  colorScheme: 'dark',
} as const

const at = (page: Page, path: RegExp) => page.waitForURL(url => path.test(`${url.pathname}${url.search}`))

/** `npm test` has the parts of these journeys: applying in to-the-end and newcomers, sharing and withdrawing in keyboard. */
if (isLongRun)
  inBrowser('whole journeys with the keyboard alone', world => {
    test('a candidate, on a narrow screen in dark mode: finds a job, applies, manages the data', () =>
      visit(world(), darkPhone, async ({ page, complaints }) => {
        const { authUrl, client, clientName } = world()
        await page.goto(`${authUrl}/sign-in`)
        await signInByKeys(page, mary)
        await at(page, /^\/account$/)
        await go(page, 'Mary, menu')
        await go(page, 'Jobs')
        await at(page, /^\/jobs$/)
        await write(page, 'Find a job', 'roaster')
        await page.keyboard.press('Enter')
        await at(page, /\?q=roaster&/)
        await go(page, 'Production roaster')
        await at(page, /^\/jobs\/32$/)
        await go(page, 'Apply')
        await at(page, /apply$/)
        // Requested before the navigation, which waits for responses of the page: it must be known before the key
        // arrives.
        const chosen = page.waitForEvent('filechooser')
        await tabTo(page, 'Resume file')
        await page.keyboard.press('Enter')
        const chooser = await chosen
        const buffer = demoFile('mary-nguyen-trainer-letter.pdf')
        await chooser.setFiles({ name: 'by hand.pdf', mimeType: 'application/pdf', buffer })
        await go(page, 'Send application')
        await at(page, /^\/account\/applications\/\d+/)
        await page.getByText('by hand.pdf').first().waitFor()
        await go(page, 'Applications')
        await at(page, /^\/account\/applications$/)
        await go(page, 'Production roaster')
        await page.getByText('This is what you sent').waitFor()

        await page.goto(client.applyUrl({ prompt: 'consent' }))
        await go(page, 'Allow')
        await landedText(world(), page)
        await page.goto(`${authUrl}/account`)
        await go(page, 'Who has my data')
        await at(page, /sharing$/)
        await go(page, `Withdraw from ${clientName}`)
        await go(page, `Yes, withdraw from ${clientName}`)
        await page.getByRole('status').waitFor()
        await go(page, 'Your data')
        await at(page, /data$/)
        await tabTo(page, 'Download my data')
        const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
        assert.match(download.suggestedFilename(), /\.zip$/)
        assert.deepEqual(complaints, [])
      }))

    test('an admin: writes a questionnaire and an ad, creates a credential, invites a colleague', () =>
      visit(
        world(),
        { ...desktop, permissions: ['clipboard-read', 'clipboard-write'] },
        async ({ page, complaints }) => {
          await page.goto(`${world().authUrl}/sign-in`)
          await signInByKeys(page, 'rae@example.com')
          await at(page, /^\/account$/)
          await go(page, 'Rae, menu')
          await go(page, 'Console')
          await at(page, /^\/console$/)
          await go(page, 'Harbour Coffee Roasters')
          await at(page, /^\/console\/\d+$/)
          await go(page, 'Questionnaires')
          await at(page, /screens$/)
          await go(page, 'New questionnaire')
          await at(page, /screens\/new$/)
          await write(page, '#name', 'Night roasters')
          await write(page, '#q-0-text', 'Do you work at night?')
          await write(page, '#q-0-o-0-text', 'Yes')
          await tab(page)
          await page.keyboard.press('Space')
          await write(page, '#q-0-o-1-text', 'No')
          await go(page, '#add-Text')
          await page.locator('#q-1-text:focus').waitFor()
          await page.keyboard.type('Why at night?')
          await tab(page, 'Shift+Tab')
          await tab(page, 'Shift+Tab')
          await page.keyboard.press('Enter')
          await page.locator('#q-0-text:focus').waitFor()
          assert.equal(await page.locator('#q-0-text').inputValue(), 'Why at night?')
          await go(page, 'Save questionnaire')
          await at(page, /screens\/\d+\?done=made$/)
          assert.ok(await page.locator('[name=q-1-o-0-passes]').isChecked())
          assert.ok(!(await page.locator('[name=q-1-o-1-passes]').isChecked()))
          await go(page, 'Use in a new ad')
          await at(page, /jobs\/new/)
          await write(page, '#title', 'Night roaster')
          await write(page, '#location', 'Carrington NSW')
          await write(page, '#description', 'Roast while others sleep.')
          await go(page, 'Publish ad')
          await page.getByText('Ad published').waitFor()

          await go(page, 'API access')
          await at(page, /access$/)
          await go(page, 'Create a credential')
          await at(page, /new-credential$/)
          await write(page, '#label', 'Night import')
          await go(page, 'Create credential')
          await page.getByText('Copy it now.').waitFor()
          await tabTo(page, 'Credential')
          await go(page, 'Copy')
          await page.getByRole('button', { name: 'Copied' }).waitFor()
          const copied = await page.evaluate<string>('navigator.clipboard.readText()')
          assert.equal(copied, await page.getByLabel('Credential').inputValue())
          await go(page, 'I’ve copied it')
          await at(page, /access$/)

          await go(page, 'People')
          await at(page, /people$/)
          await write(page, 'Email address', 'nia@example.org')
          await go(page, 'Send invitation')
          await page.getByText('Invitation sent.').waitFor()
          assert.deepEqual(complaints, [])
        },
      ))

    test('a recruiter: finds a candidate, reads on, and exports the list', () =>
      visit(world(), { ...desktop, acceptDownloads: true }, async ({ page, complaints }) => {
        await page.goto(`${world().authUrl}/sign-in`)
        await signInByKeys(page, 'rex@example.com')
        await at(page, /^\/account$/)
        await go(page, 'Rex, menu')
        await go(page, 'Console')
        await at(page, /^\/console\/\d+$/)
        await go(page, 'Applications')
        await at(page, /applications$/)
        await write(page, 'Search', 'hcr-9')
        await page.keyboard.press('Enter')
        await at(page, /q=hcr-9/)
        await go(page, 'Daniel Kowalczyk')
        await assertHeading(page, 'Daniel Kowalczyk')
        await write(page, 'Note for your team', 'Call him')
        await go(page, 'Shortlist')
        await at(page, /done=[\w-]+\.status/)
        await page.getByText('Status changed from Seen to Shortlisted.').waitFor()
        // The next match, not the next application.
        await go(page, 'Next')
        await assertHeading(page, 'Chloe Abernethy')
        await go(page, 'Applications')
        await at(page, /applications$/)
        await tabTo(page, 'Export as CSV')
        const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
        const rows = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
        assert.match(rows[0] ?? '', /^\uFEFF?"?ID"?,/)
        assert.ok(rows.length > 10)
        assert.deepEqual(complaints, [])
      }))

    test('a developer: from the docs to the reference, and to a response', () =>
      visit(world(), desktop, async ({ page, complaints }) => {
        // The home page is not on the origin of the API, which must not matter to the reference.
        await page.goto(`${world().authUrl}/`)
        await go(page, 'Developers')
        await at(page, /^\/docs$/)
        await go(page, 'API reference')
        await at(page, /reference$/)
        await write(page, 'Search docs', 'problem code means')
        await page.getByRole('option').first().waitFor()
        await page.keyboard.press('Enter')
        await at(page, /reference\/problem$/)
        await write(page, 'code *', 'not-found')
        await page.keyboard.press('Enter')
        await page.locator('.outcome', { hasText: '200 OK' }).waitFor()
        assert.match(await page.locator('.outcome-body').innerText(), /Not found/)
        assert.deepEqual(complaints, [])
      }))
  })
