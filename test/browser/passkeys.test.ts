import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { longTest } from '../harness/effort.ts'
import { mary } from '../harness/oauth.ts'
import { assertHeading, atPath, fillSignIn, inBrowser, signIn, visit } from './world.ts'

const twoStep = '/account/security/two-step'
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** A device of Chromium's own that says yes to everything. */
async function addDevice(
  page: Page,
  isVerifying = true,
): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: isVerifying,
      isUserVerified: isVerifying,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

inBrowser('passkeys in Chromium', { isOneOrigin: true }, world => {
  test('are added, sign in, confirm, take the second step, are renamed and removed', () =>
    visit(world(), { javaScriptEnabled: true }, async ({ page, complaints, context }) => {
      const { authUrl } = world()
      await signIn(world(), page)
      const { cdp, authenticatorId } = await addDevice(page)
      await page.goto(`${authUrl}${twoStep}`)
      await page.getByRole('link', { name: 'Add passkey' }).click()
      await page.getByLabel('Name').fill('Laptop ש')
      await press(page, 'Create passkey')
      await assertHeading(page, 'Save your recovery codes')
      const [code = ''] = await page.locator('.recovery-codes code').allTextContents()
      await page.getByRole('link', { name: 'I’ve saved them' }).click()
      await page.getByText('Laptop ש').first().waitFor()

      // The same device is not added twice.
      await page.goto(`${authUrl}${twoStep}/passkey`)
      await press(page, 'Create passkey')
      await page.getByText('This device already has a passkey').waitFor()

      // Chosen among the suggestions for the address, which is what the device does by itself.
      await context.clearCookies()
      await page.goto(`${authUrl}/sign-in`)
      await atPath(page, '/account')

      // The only step, in a browser that suggests none: the device would be faster than the button.
      await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
      const pressToSignIn = async () => {
        await context.clearCookies()
        await page.goto(`${authUrl}/sign-in`)
        await press(page, 'Sign in with a passkey')
      }
      await pressToSignIn()
      await atPath(page, '/account')
      await page.goto(`${authUrl}/account/security`)
      await page.getByText('With passkey').first().waitFor()

      // The proof of what is dangerous.
      await page.goto(`${authUrl}/account/confirm?continue=/account/data`)
      await press(page, 'Confirm with a passkey')
      await atPath(page, '/account/data')

      // A device that does not verify its user: after the password only.
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
      await pressToSignIn()
      await page.getByText('That didn’t work, or it was cancelled').waitFor()
      await fillSignIn(page, mary)
      await assertHeading(page, 'Use your passkey')
      await press(page, 'Use a passkey')
      await atPath(page, '/account')
      await page.goto(`${authUrl}/account/security`)
      await page.getByText('With password and passkey').first().waitFor()

      await page.goto(`${authUrl}${twoStep}`)
      await page.getByText('Rename').click()
      await page.getByLabel('Name').fill('Old laptop')
      await press(page, 'Save name')
      await page.getByText('The passkey has its new name').waitFor()
      await press(page, 'Remove passkey Old laptop')
      await page.getByText('The passkey is removed').waitFor()
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
      await pressToSignIn()
      await page.getByText('This passkey isn’t known here').waitFor()
      assert.notEqual(code, '')
      // The page of the refusal is a 401, which Chromium mentions.
      assert.deepEqual(
        complaints.filter(text => !/status of 401/.test(text)),
        [],
      )
    }))

  longTest('without scripts there is no button, and a recovery code still signs in', () =>
    visit(world(), async ({ page }) => {
      await page.goto(`${world().authUrl}/sign-in`)
      assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0)
      await signIn(world(), page, 'rae@example.com')
      await page.goto(`${world().authUrl}${twoStep}/passkey`)
      await page.getByText('scripts are switched off').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Create passkey' }).count(), 0)
    }),
  )
})
