import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { behindTheScenes, harbourId } from '../contract/apply-form.ts'
import { longTest } from '../harness/effort.ts'
import { checkLayout, withScripts } from './page-check.ts'
import { inBrowser, signIn, visit } from './world.ts'

/** Tablets, small laptops, and screens of 1280 and 1366 pixels at a zoom of 125 %: 1024 and 1093. */
const widths = [768, 820, 900, 1000, 1024, 1060, 1093, 1100, 1280, 1366, 1920]

interface Box {
  text: string
  width: number
  height: number
  /** Pixels of the text that do not fit. */
  cut: number
  lines: number
}

/** Runs in the page: the cells or parts that a selector finds. */
const boxesOf = (page: Page, selector: string) =>
  page.evaluate<Box[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter(element => element.checkVisibility())
    .map(element => {
      const { width, height } = element.getBoundingClientRect()
      const range = document.createRange()
      range.selectNodeContents(element)
      const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size
      return { text: element.innerText, width, height, lines, cut: element.scrollWidth - element.clientWidth }
    })`)

inBrowser('pages between phone and desktop', world => {
  test('the list of applications shows whole names at every width', () =>
    visit(world(), withScripts, async ({ page }) => {
      await signIn(world(), page, 'rex@example.com')
      await page.goto(`${world().authUrl}/console/${harbourId}/applications`)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        await checkLayout(page, 'applications', width)
        const names = await boxesOf(page, '.applications tbody td:nth-child(2)')
        const narrow = names.filter(name => name.width < 176 || name.cut > 0)
        assert.ok(names.length > 10)
        assert.deepEqual(narrow, [], `names at ${width}`)
        const heads = await boxesOf(page, '.applications thead th')
        assert.deepEqual(
          heads.filter(({ text, cut }) => text !== '' && cut > 0),
          [],
          `heads at ${width}`,
        )
      }
    }))

  longTest('the bar for selected applications lies above the rows and counts them', () =>
    visit(world(), withScripts, async ({ page, context }) => {
      await signIn(world(), page, 'rex@example.com')
      await page.goto(`${world().authUrl}/console/${harbourId}/applications`)
      for (const viewport of [
        { width: 390, height: 844 },
        { width: 1280, height: 800 },
      ]) {
        await page.setViewportSize(viewport)
        const boxes = page.locator('tbody input[name=chosen]')
        await boxes.nth(1).check()
        await boxes.nth(2).check()
        // What lies under a finger on any part of the bar is the bar's own.
        const strange = await page.evaluate<string[]>(`(() => {
            const bar = document.querySelector('.bulk')
            const { left, right, top, bottom } = bar.getBoundingClientRect()
            const found = []
            for (let x = left + 8; x < right - 8; x += 4)
              for (let y = top + 8; y < Math.min(bottom, innerHeight) - 8; y += 4) {
                const element = document.elementFromPoint(x, y)
                if (!bar.contains(element)) found.push(x + '/' + y + ' ' + element.outerHTML.slice(0, 80))
              }
            return found
          })()`)
        assert.deepEqual(strange.slice(0, 3), [], `at ${viewport.width}`)
        await page.getByLabel('Tell candidates by email').check()
        assert.equal(await page.locator('tbody :checked').count(), 2)
        assert.ok(await page.getByLabel('Tell candidates by email').isChecked())
        const devtools = await context.newCDPSession(page)
        const { nodes } = await devtools.send('Accessibility.getFullAXTree')
        const said = nodes.filter(({ role }) => role?.value === 'StaticText').map(({ name }) => name?.value)
        assert.ok(said.join('|').includes('|2| selected|'), said.join('|'))
        await page.reload()
      }
    }),
  )

  longTest(
    'the people of a company: no address is broken while there is room, and each row is one line high',
    () =>
      visit(world(), withScripts, async ({ page }) => {
        await behindTheScenes(world().service, async services => {
          await services.database.writer
            .updateTable('candidates')
            .set({ last_name: 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3) })
            .where('email', '=', 'rex@example.com')
            .execute()
        })
        await signIn(world(), page, 'rae@example.com')
        await page.goto(`${world().authUrl}/console/${harbourId}/people`)
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 })
          await checkLayout(page, 'people', width)
          const frames = await boxesOf(page, '.people .table-frame')
          assert.deepEqual(
            frames.filter(({ cut }) => cut > 0).map(({ cut }) => cut),
            [],
            `too wide for ${width}`,
          )
          const parts = await boxesOf(page, '.people td time, .people td .address, .people td .badge')
          assert.ok(parts.length >= 6, String(parts.length))
          assert.deepEqual(
            parts.filter(({ lines }) => lines > 1),
            [],
            `broken at ${width}`,
          )
          const actions = await boxesOf(page, '.people td .actions')
          assert.deepEqual(
            actions.filter(({ height }) => height > 40),
            [],
            `buttons at ${width}`,
          )
        }
      }),
  )
})
