import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { demoFile } from '../harness/documents.ts'
import { longTest } from '../harness/effort.ts'
import { doorOf } from '../harness/oauth.ts'
import { mailTo } from '../harness/outbox.ts'
import { stepTo } from './keyboard.ts'
import {
  assertHeading,
  atPath,
  consentTitle,
  fillSignIn,
  inBrowser,
  landedText,
  visit,
  type World,
} from './world.ts'

const password = 'a few words that fit'

async function press(page: Page, name: string): Promise<void> {
  await stepTo(page, name)
  await page.keyboard.press('Enter')
}

async function write(page: Page, name: string, text: string): Promise<void> {
  await stepTo(page, name)
  await page.keyboard.type(text)
}

/** From the sign-in page on. */
async function signUp(page: Page, email: string): Promise<void> {
  await press(page, 'Sign up')
  await assertHeading(page, 'Sign up')
  await write(page, 'First name', 'Nia')
  await write(page, 'Last name', 'Comer')
  await write(page, 'Email address', email)
  await write(page, 'Password', password)
  await page.keyboard.press('Enter')
  await assertHeading(page, 'Check your email')
}

async function linkTo(world: World, email: string): Promise<string> {
  return world.authUrl + (await mailTo(doorOf(world.service), email)).path
}

/** As the email program opens it: in another tab, without a script to read the part after the #. */
async function openLink(world: World, page: Page, email: string): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(await linkTo(world, email))
  await assertHeading(tab, 'Open your link')
  await write(tab, 'Link from the email', tab.url())
  await tab.keyboard.press('Enter')
  return tab
}

inBrowser('newcomers, with the keyboard alone and without scripts', world => {
  test('from a job to the receipt', () =>
    visit(world(), async ({ page, complaints }) => {
      await page.goto(`${world().baseUrl}/jobs/32`)
      await press(page, 'Apply')
      await assertHeading(page, 'Sign in')
      await signUp(page, 'nia.job@example.net')
      const tab = await openLink(world(), page, 'nia.job@example.net')
      await atPath(tab, '/jobs/32/apply')
      const chosen = tab.waitForEvent('filechooser')
      await stepTo(tab, 'Resume file')
      await tab.keyboard.press('Enter')
      const buffer = demoFile('mary-nguyen-trainer-letter.pdf')
      await (await chosen).setFiles({ name: 'resume.pdf', mimeType: 'application/pdf', buffer })
      await press(tab, 'Send application')
      await tab.waitForURL(url => /^\/account\/applications\/\d+$/.test(url.pathname))
      assert.deepEqual(complaints, [])
    }))

  longTest('from a job to the sign-in of the header, and back to the job', () =>
    visit(world(), async ({ page }) => {
      await page.goto(`${world().baseUrl}/jobs/31?from=newsletter`)
      await press(page, 'Sign in')
      await fillSignIn(page)
      await atPath(page, '/jobs/31')
      assert.equal(page.url(), `${world().authUrl}/jobs/31?from=newsletter`)
      await page.getByRole('link', { name: 'Apply', exact: true }).first().click()
      await atPath(page, '/jobs/31/apply')
    }),
  )

  longTest('from a careers page back to it', () =>
    visit(world(), async ({ page, complaints }) => {
      await page.goto(world().client.applyUrl())
      await assertHeading(page, `Sign in to share your profile with ${world().clientName}`)
      await signUp(page, 'nia.careers@example.net')
      const tab = await openLink(world(), page, 'nia.careers@example.net')
      await assertHeading(tab, consentTitle)
      await press(tab, 'Allow')
      const { prefill } = JSON.parse(await landedText(world(), tab))
      assert.equal(prefill.applicantInfo.emailAddress, 'nia.careers@example.net')
      assert.deepEqual(complaints, [])
    }),
  )

  longTest('from a careers page, with the email opened in another browser', () =>
    visit(world(), async ({ page }) => {
      const email = 'nia.elsewhere@example.net'
      await page.goto(world().client.applyUrl())
      await signUp(page, email)
      await visit(world(), async ({ page: other, complaints }) => {
        const tab = await openLink(world(), other, email)
        await assertHeading(tab, 'Confirm your email address')
        await write(tab, 'Password', password)
        await tab.keyboard.press('Enter')
        await assertHeading(tab, consentTitle)
        assert.deepEqual(complaints, [])
      })
      await press(page, 'Sign in here')
      await assertHeading(page, /^Sign in/)
      await write(page, 'Email address', email)
      await write(page, 'Password', password)
      await page.keyboard.press('Enter')
      await assertHeading(page, consentTitle)
      await press(page, 'Decline')
      assert.equal(await landedText(world(), page), 'access_denied')
    }),
  )

  test('with scripts, the link does the rest, and its secret is stored nowhere', () =>
    visit(world(), { javaScriptEnabled: true }, async ({ context, page, complaints }) => {
      const email = 'nia.scripts@example.net'
      await page.goto(`${world().authUrl}/jobs/32/apply`)
      await signUp(page, email)
      const link = await linkTo(world(), email)
      const secret = link.split('#')[1] ?? ''
      const told: string[] = []
      context.on('request', request => {
        told.push(request.url().split('#')[0] ?? '', JSON.stringify(request.headers()))
      })
      await page.goto(link)
      await atPath(page, '/jobs/32/apply')
      assert.ok(!told.join().includes(secret))
      assert.deepEqual(complaints, [])
    }))
})
