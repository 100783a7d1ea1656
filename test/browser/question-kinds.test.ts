import assert from 'node:assert/strict'
import { test } from 'node:test'
import { board, boardToken } from '../contract/postings.ts'
import { doorOf } from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { inBrowser, signIn, visit } from './world.ts'

const text = { type: 'Text', isRequired: true }
const questions = [
  { ...text, id: 'salary', kind: 'number', text: 'Which salary a year do you expect?' },
  { ...text, id: 'from', kind: 'date', text: 'From when can you work?' },
  { ...text, id: 'why', kind: 'longText', text: 'Why bread?' },
  { ...text, id: 'work', kind: 'file', text: 'A sample of your work' },
  { ...text, id: 'read', kind: 'statement', text: 'We record interviews, and keep them for a month.' },
]

inBrowser('kinds of questions', { engines: oneEngine, isOneOrigin: true }, world => {
  test('each has its field and its error, and what was answered is on the receipt', () =>
    visit(world(), { javaScriptEnabled: true }, async ({ page, complaints }) => {
      const door = doorOf(world().service)
      const calls = board(door, await boardToken(door))
      const advertiserId = 10000001
      const screen = await calls.post('/v1/intake/screens', { advertiserId, name: 'Kinds', questions })
      const ad = { advertiserId, title: 'Baker', location: 'Here', description: 'Bread.' }
      const posted = await calls.post('/v1/intake/job-ads', { ...ad, screenId: screen.json().id })
      await signIn(world(), page)
      await page.goto(`${world().authUrl}/jobs/${posted.json().id}/apply`)
      const fault = (id: string) => page.locator(`#question-${id}-fault`)
      await page.locator('#question-salary').fill('50.000')
      const send = page.getByRole('button', { name: 'Send application' })
      await send.click()
      await fault('work').getByText('Choose a file.').waitFor()
      await fault('read').getByText('Confirm that you have read this.').waitFor()
      await page.locator('#question-from').fill('2027-02-28')
      await page.locator('#question-why').fill('It rises.')
      await page.getByLabel('I have read this').check()
      const sample = { name: 'sample.txt', mimeType: 'text/plain', buffer: Buffer.from('Eleven loaves.') }
      await page.locator('#question-work').setInputFiles(sample)
      await send.click()
      // Only the service checks the number.
      await fault('salary').getByText('without separators between thousands').waitFor()
      await page.locator('#question-salary').fill('50000')
      await page.locator('#question-work').setInputFiles(sample)
      await send.click()
      await page.getByRole('heading', { name: 'Your answers' }).waitFor()
      const receipt = await page.locator('main').innerText()
      for (const shown of ['50,000', '28 February 2027', 'It rises.', 'sample.txt', 'Read'])
        assert.ok(receipt.includes(shown), shown)
      assert.deepEqual(
        complaints.filter(each => !each.includes('422')),
        [],
      )
    }))
})
