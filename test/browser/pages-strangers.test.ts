import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longTest } from '../harness/effort.ts'
import { checkLoad, checkOpened, checkPages, checkWithAxe, measure, withScripts } from './page-check.ts'
import { pagesOfStrangers } from './strangers-pages.ts'
import { inBrowser, visit } from './world.ts'

inBrowser('pages for strangers', world => {
  test('the checks find faults', () =>
    visit(world(), withScripts, async ({ page }) => {
      await page.setViewportSize({ width: 360, height: 740 })
      await page.setContent(
        '<html lang="en"><title>x</title><main><h1>x</h1><input hidden style="display:block;height:9px"><button style="width:9px">x</button><p style="width:400px">x</p></main>',
      )
      await assert.rejects(checkWithAxe(page, 'x', 'light'), /label/)
      const { excess, small, unhidden } = await page.evaluate<Record<string, unknown[]>>(measure)
      assert.ok(Number(excess) > 0)
      assert.equal(small?.length, 2)
      assert.equal(unhidden?.length, 1)

      await page.goto(`${world().baseUrl}/jobs`)
      await checkLoad(page, 'jobs')
      await page.evaluate("document.querySelector('header').style.marginTop = '200px'")
      await assert.rejects(checkLoad(page, 'jobs'), /jobs moves while it loads/)
      await page.goto(`${world().baseUrl}/jobs`)
      // Enough copies of a long document, however well it compresses.
      for (let copy = 0; copy < 10; copy++) {
        await page.evaluate(`fetch('/openapi.json?${copy}').then(response => response.text())`)
      }
      await assert.rejects(checkLoad(page, 'jobs'), /jobs brings \d+ bytes along/)
    }))

  test('fit, have large enough targets, load without shifts, and pass axe', () =>
    visit(world(), withScripts, visitor => checkPages(world(), visitor, pagesOfStrangers(world()))))

  longTest('are all pages of the list of routes', () => checkOpened(world(), 'strangers'))
})
