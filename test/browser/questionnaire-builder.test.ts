import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { some } from '../harness/effort.ts'
import { inBrowser, signIn, visit } from './world.ts'

const path = '/console/10000001/screens/new'
const focusOf = (page: Page) => page.evaluate<string>('document.activeElement.id')
const textOf = (page: Page, id: string) => page.locator(`#${id}`).inputValue()

/** Fills in the first question with the keyboard alone. */
async function fill(page: Page, url: string): Promise<void> {
  await page.goto(`${url}${path}`)
  await page.locator('#name').fill('By hand')
  await page.locator('#q-0-text').fill('First?')
  await page.locator('#q-0-o-0-text').fill('Yes')
  await page.locator('#q-0-o-1-text').fill('No')
}

inBrowser('the builder of questionnaires', world => {
  for (const javaScriptEnabled of some(1, [true, false])) {
    test(`${javaScriptEnabled ? 'with' : 'without'} JavaScript: adds, moves, and saves with the Enter key`, () =>
      visit(world(), { javaScriptEnabled }, async ({ page, complaints }) => {
        await signIn(world(), page, 'rae@example.com')
        await fill(page, world().authUrl)
        const loads: string[] = []
        page.on('framenavigated', frame => loads.push(frame.url()))
        await page.locator('[id="add-URLQuestion"]').press('Enter')
        await page.locator('#q-1-text:focus').waitFor()
        await page.keyboard.type('Second?')
        await page.locator('#q-1-up').press('Enter')
        // The first question cannot move further up: the cursor is in the question that has moved.
        await page.locator('#q-0-text:focus').waitFor()
        assert.deepEqual(
          [await textOf(page, 'q-0-text'), await textOf(page, 'q-1-text')],
          ['Second?', 'First?'],
        )
        await page.locator('#q-1-o-1-option-up').press('Enter')
        await page.locator('#q-1-o-0-text:focus').waitFor()
        assert.equal(await textOf(page, 'q-1-o-0-text'), 'No')
        assert.equal(await focusOf(page), 'q-1-o-0-text')
        assert.equal(loads.length, javaScriptEnabled ? 0 : 3)
        await page.locator('#name').press('Enter')
        await page.waitForURL(/\/screens\/\d+\?done=made$/)
        assert.deepEqual(
          [await textOf(page, 'q-0-text'), await textOf(page, 'q-1-text')],
          ['Second?', 'First?'],
        )
        assert.deepEqual(complaints, [])
      }))
  }

  test('shows the characters left, and warns before typed text is lost', () =>
    visit(world(), { javaScriptEnabled: true }, async ({ page }) => {
      await signIn(world(), page, 'rae@example.com')
      await page.goto(`${world().authUrl}/console/10000001/jobs/new`)
      await page.getByLabel('About the job').fill('x'.repeat(19_000))
      await page.getByText('19000 of 20000 characters').waitFor()
      const asked = page.waitForEvent('dialog')
      const leaving = page.goto(`${world().authUrl}/jobs`)
      const dialog = await asked
      assert.equal(dialog.type(), 'beforeunload')
      await dialog.accept()
      await leaving
    }))
})
