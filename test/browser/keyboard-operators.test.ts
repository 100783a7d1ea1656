import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { longTest } from '../harness/effort.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
import { mustOperate } from '../oauth/registering.ts'
import { stepTo } from './keyboard.ts'
import { assertHeading, inBrowser, visit } from './world.ts'

/** Tabs to a link or a button and presses it, which leads to another page. */
async function press(page: Page, name: string): Promise<void> {
  await stepTo(page, name)
  const loaded = page.waitForEvent('domcontentloaded')
  await page.keyboard.press('Enter')
  await loaded
}

async function write(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) {
    await stepTo(page, name)
    await page.keyboard.type(text)
  }
}

const newcomer = { 'Last name': 'Orr', Password: 'a few words that fit' }

/** Without scripts the link has to be pasted, since browsers do not send what follows the #. */
async function openLink(page: Page, authUrl: string, link: string): Promise<void> {
  await page.goto(`${authUrl}${new URL(link).pathname}`)
  await write(page, { 'Link from the email': link })
  await press(page, 'Continue')
}

async function enrol(page: Page, authUrl: string): Promise<void> {
  await page.goto(`${authUrl}/account/security/two-step`)
  await press(page, 'Set up authenticator app')
  const secret = ((await page.locator('form code').textContent()) ?? '').replaceAll(' ', '')
  await write(page, { 'Code that the app shows now': codeByOathtool(secret, Date.now()) })
  await press(page, 'Set up app')
  await assertHeading(page, 'Save your recovery codes')
  await press(page, 'I’ve saved them')
}

inBrowser('with the keyboard alone and without scripts', world => {
  test('an operator accepts an invitation, sets up a second factor and adds a company', () =>
    visit(world(), async ({ page }) => {
      const { authUrl, service } = world()
      await openLink(page, authUrl, await mustOperate(service, 'operator', 'invite', 'olga@example.org'))
      await write(page, { 'First name': 'Olga', ...newcomer })
      await press(page, 'Create account and accept')
      await page.waitForURL(`${authUrl}/operator`)
      await enrol(page, authUrl)
      await page.goto(`${authUrl}/operator`)
      await press(page, 'Companies')
      await write(page, { Name: 'Quay Books' })
      await press(page, 'Add company')
      await assertHeading(page, 'Quay Books')
    }))

  longTest('an agent’s person accepts an invitation, sets up a second factor and asks for a change', () =>
    visit(world(), async ({ page }) => {
      const { authUrl, service } = world()
      await openLink(
        page,
        authUrl,
        await mustOperate(service, 'agent', 'invite', '20000001', 'ned@example.org'),
      )
      await write(page, { 'First name': 'Ned', ...newcomer })
      await press(page, 'Create account and join')
      await page.waitForURL(`${authUrl}/agent/20000001`)
      await enrol(page, authUrl)
      await page.goto(`${authUrl}/agent/20000001/clients/demo-ats`)
      await write(page, { 'Privacy notice': 'https://north.example/privacy' })
      await press(page, 'Ask for this privacy notice')
      await page.getByText('The operator has been asked to confirm this change.').waitFor()
    }),
  )
})
