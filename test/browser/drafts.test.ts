import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { oneEngine } from '../harness/one-engine.ts'
import { inBrowser, signIn, visit } from './world.ts'

const letter = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear Harbour') }
const phone = { viewport: { width: 390, height: 800 } }
const desktop = { viewport: { width: 1280, height: 900 } }

inBrowser('a draft of an application', { engines: oneEngine }, world => {
  /** One person on two devices. */
  const onTwoDevices = (javaScriptEnabled: boolean, walk: (first: Page, second: Page) => Promise<void>) =>
    visit(world(), { ...phone, javaScriptEnabled }, ({ page: first }) =>
      visit(world(), { ...desktop, javaScriptEnabled }, async ({ page: second }) => {
        for (const page of [first, second]) await signIn(world(), page)
        await walk(first, second)
      }),
    )
  const open = (page: Page) => page.goto(`${world().authUrl}/jobs/32/apply`)
  const list = (page: Page) => page.goto(`${world().authUrl}/account/applications`)
  const save = (page: Page) => page.getByRole('button', { name: 'Save for later' }).click()

  for (const isScripted of [true, false]) {
    const way = isScripted ? 'with a script' : 'without a script'
    test(`is saved on a phone with its file and sent from a desktop, ${way}`, () =>
      onTwoDevices(isScripted, async (first, second) => {
        await open(first)
        await first.getByLabel('Phone').fill('0400 111 222')
        await first.getByLabel('Cover letter file').setInputFiles(letter)
        await save(first)
        await first.getByText('Draft saved.').waitFor()
        await first.getByText('Remove Cover letter: letter.txt').waitFor()

        await list(second)
        await second.getByRole('link', { name: /^Continue/ }).click()
        assert.equal(await second.getByLabel('Phone').inputValue(), '0400 111 222')
        await second.getByRole('button', { name: 'Send application' }).click()
        await second.getByText('This is what you sent').waitFor()
        await second.getByText('letter.txt').first().waitFor()

        await first.getByLabel('Phone').fill('0400 333 444')
        await save(first)
        await first.getByText('You had already sent this form.').waitFor()
        await list(first)
        assert.equal(await first.getByRole('link', { name: /^Continue/ }).count(), 0)
      }))
  }

  test('is saved while the candidate types, and never over what another device saved', () =>
    onTwoDevices(true, async (first, second) => {
      for (const page of [first, second]) await open(page)
      await first.getByLabel('Phone').fill('1')
      await first.getByText(/^Saved at \d/).waitFor()
      await second.getByLabel('Phone').fill('2')
      await second.getByText(/Could not save: .*from another page or device/).waitFor()
      await save(second)
      await second.getByRole('alert').getByText('Save again to replace it.').waitFor()
      await save(second)
      await second.getByText('Draft saved.').waitFor()
      await open(first)
      assert.equal(await first.getByLabel('Phone').inputValue(), '2')
      await first.getByRole('link', { name: 'Discard this draft' }).click()
      await first.getByRole('button', { name: 'Discard draft' }).click()
      await first.getByText('Draft discarded.').waitFor()
    }))

  test('is saved when the page is left, and sent though the answer to a save was lost', () =>
    onTwoDevices(true, async (first, second) => {
      await open(first)
      await first.getByLabel('Phone').fill('31')
      // The save may arrive after the page that follows.
      for (let tries = 0; tries < 20; tries++) {
        await list(first)
        if ((await first.getByRole('link', { name: /^Continue/ }).count()) > 0) break
      }
      await first.getByRole('link', { name: /^Continue/ }).click()
      assert.equal(await first.getByLabel('Phone').inputValue(), '31')
      await first.route(
        '**/apply/draft',
        async route => {
          await route.fetch()
          await route.abort()
        },
        { times: 1 },
      )
      await first.getByLabel('Phone').fill('32')
      await first.getByText('Could not save: there is no connection.').waitFor()
      await first.getByLabel('Phone').fill('33')
      await open(second)
      await first.getByRole('button', { name: 'Send application' }).click()
      await first.getByText('This is what you sent').waitFor()
      // A page that is still open is told.
      await second.getByLabel('Phone').fill('34')
      await second.getByText('Could not save: You had already sent this form.').waitFor()
    }))
})
