import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { isLongRun, longTest } from '../harness/effort.ts'
import { pagesOfMary, signInMary } from './candidate-pages.ts'
import {
  checkBothLayouts,
  checkOpened,
  checkPages,
  type ListedPage,
  state,
  withScripts,
} from './page-check.ts'
import { allow, inBrowser, signInByHand, visit, type World } from './world.ts'

inBrowser('pages of a candidate', world => {
  test('fit, have large enough targets, load without shifts, and pass axe', () =>
    visit(world(), withScripts, async visitor => {
      await signInMary(world(), visitor.page)
      await checkPages(world(), visitor, pagesOfMary(world()))
    }))

  longTest('are all pages of the list of routes', () => checkOpened(world(), 'candidate'))
})

const longName = `${'Amalgamated Recruitment and Placement '.repeat(5)}Company`.padEnd(200, 'y')
const longWord = 'Rindfleischetikettierung'.repeat(9).slice(0, 200)

async function pagesWithLongTexts(world: World, page: Page): Promise<ListedPage[]> {
  const { authUrl, client } = world
  await signInByHand(world, page)
  const save = async (section: string, values: Record<string, string>) => {
    await page.goto(`${authUrl}/account/profile/${section}`)
    for (const [id, value] of Object.entries(values)) await page.locator(`#${id}`).fill(value)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').waitFor()
  }
  await save('skills', { skills: longWord })
  await save('about', { firstName: longWord })
  await save('job', { title: longWord, company: longWord, from: '2020-01', to: '2021-01' })
  return [
    { name: 'account', open: async () => {} },
    { name: 'consent', open: () => page.goto(client.applyUrl()) },
    state('sharing', async () => {
      const text = await page.getByRole('main').innerText()
      for (const value of [longName, longWord]) assert.ok(text.includes(value), 'not cut off')
      await allow(page).click()
      await page.waitForURL(url => url.origin === client.origin)
      await page.goto(`${authUrl}/account/sharing`)
    }),
  ]
}

// The long names of `npm test` are in reader.test.ts.
if (isLongRun)
  inBrowser('long texts', { clientName: longName }, world => {
    test('a name of 200 characters and words without spaces stay within the page', () =>
      visit(world(), withScripts, async ({ page }) => {
        await page.goto(world().client.applyUrl())
        await checkBothLayouts(page, 'sign-in')
        for (const { name, open } of await pagesWithLongTexts(world(), page)) {
          await open(page)
          await checkBothLayouts(page, name)
        }
      }))
  })
