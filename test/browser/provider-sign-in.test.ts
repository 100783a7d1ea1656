import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { doorOf } from '../harness/oauth.ts'
import { startOidcProvider } from '../harness/oidc-provider.ts'
import { providerClient } from '../harness/openid-provider.ts'
import { mailTo } from '../harness/outbox.ts'
import {
  allow,
  assertHeading,
  atPath,
  consentTitle,
  fillSignIn,
  inBrowser,
  landedText,
  visit,
} from './world.ts'

const provider = await startOidcProvider(providerClient)
after(provider.close)

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const ways: [string, BrowserContextOptions][] = [
  ['on a phone', { viewport: { width: 360, height: 740 }, javaScriptEnabled: true }],
  ['on a desktop, without JavaScript', { viewport: { width: 1280, height: 900 }, javaScriptEnabled: false }],
]

async function logIn(page: Page, user: string): Promise<void> {
  await page.waitForURL(url => url.href.startsWith(`${provider.issuer}/interaction/`))
  await page.getByLabel('User').fill(user)
  await press(page, 'Log in')
}

inBrowser(
  'signing in with oidc-provider',
  {
    env: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: providerClient.id,
      OIDC_CLIENT_SECRET: providerClient.secret,
      OIDC_NAME: 'Example Login',
    },
  },
  world => {
    test('a new person whose address the provider has not verified confirms it by our email, in the same browser', () =>
      visit(world(), { javaScriptEnabled: true }, async ({ page }) => {
        const { authUrl, service } = world()
        await page.goto(`${authUrl}/sign-in?continue=/account/data`)
        await press(page, 'Continue with Example Login')
        await logIn(page, 'unverified')
        await page.getByLabel('Email address').fill('chosen@example.org')
        await press(page, 'Create account')
        await assertHeading(page, 'Check your email')
        const { path } = await mailTo(doorOf(service), 'chosen@example.org')
        await visit(world(), async ({ page: elsewhere }) => {
          await elsewhere.goto(authUrl + path)
          await elsewhere.getByLabel('Link from the email').fill(authUrl + path)
          await press(elsewhere, 'Continue')
          await assertHeading(elsewhere, 'Open this link in your other browser')
        })
        await page.goto(authUrl + path)
        await assertHeading(page, 'Link your account')
        await press(page, 'Link Example Login')
        await atPath(page, '/account/data')
        await page.goto(`${authUrl}/account/security`)
        await page.getByText('chosen@example.org').first().waitFor()
      }))

    for (const [index, [where, options]] of ways.entries()) {
      test(`a new person consents, comes back, and confirms a dangerous act, ${where}`, () =>
        visit(world(), options, async ({ page, complaints }) => {
          const { authUrl, client } = world()
          await page.goto(client.applyUrl())
          await press(page, 'Continue with Example Login')
          await logIn(page, `nina${index}`)
          await assertHeading(page, 'You’re new here')
          await press(page, 'Create account')
          await assertHeading(page, consentTitle)
          await allow(page).click()
          await landedText(world(), page)
          await page.goto(`${authUrl}/account/security`)
          await page.getByText('With Example Login').first().waitFor()
          // It knows the person, and the browser is led through.
          await page.context().clearCookies({ name: 'dossier-session' })
          await page.goto(`${authUrl}/sign-in?continue=/account/data`)
          await press(page, 'Continue with Example Login')
          await atPath(page, '/account/data')
          await page.goto(`${authUrl}/account/confirm?continue=/account/data`)
          await press(page, 'Confirm with Example Login')
          await atPath(page, '/account/data')
          assert.deepEqual(complaints, [])
        }))

      test(`a person links an account, and what was typed is kept, ${where}`, () =>
        visit(world(), options, async ({ page, complaints }) => {
          const { authUrl } = world()
          await page.goto(`${authUrl}/sign-in?continue=/account/security`)
          await fillSignIn(page, index === 0 ? 'mary@example.com' : 'tom@example.com')
          await page.getByRole('link', { name: 'Link Example Login' }).click()
          await press(page, 'Continue with Example Login')
          await logIn(page, `linked${index}`)
          await page.getByText('It’s linked').waitFor()
          await page.goto(`${authUrl}/account/profile/about`)
          await page.getByLabel('First name').fill('Typed')
          await page.context().clearCookies({ name: 'dossier-session' })
          await page.getByRole('button', { name: 'Save' }).first().click()
          await press(page, 'Continue with Example Login')
          await assertHeading(page, 'Please send this again')
          await page.getByText('Typed').first().waitFor()
          const own = complaints.filter(line => !line.includes('status of 401'))
          assert.deepEqual(own, [])
        }))
    }
  },
)
