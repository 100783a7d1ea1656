import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { longTest } from '../harness/effort.ts'
import { inBrowser, visit } from './world.ts'

const withScripts = { javaScriptEnabled: true, viewport: { width: 1280, height: 860 } } as const
const focused = (page: Page) => page.evaluate<string>('document.activeElement.id')
const chosen = (page: Page) => page.locator('[role=option][aria-selected=true]')

inBrowser('the developer docs', { isOneOrigin: true }, world => {
  test('Ctrl K searches, arrows choose, Enter opens, Escape closes', () =>
    visit(world(), withScripts, async ({ page, complaints }) => {
      await page.goto(`${world().baseUrl}/docs/polling`)
      await page.keyboard.press('ControlOrMeta+K')
      assert.equal(await focused(page), 'docs-query')
      await page.keyboard.type('screening answers')
      await chosen(page).getByText('Screening answers', { exact: true }).waitFor()
      const input = page.getByRole('combobox', { name: 'Search docs' })
      const active = () => input.getAttribute('aria-activedescendant')
      assert.equal(await active(), 'docs-result-0')
      await page.keyboard.press('ArrowDown')
      assert.equal(await active(), 'docs-result-1')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('ArrowUp')
      assert.notEqual(await active(), 'docs-result-0')
      await page.keyboard.press('Escape')
      assert.equal(await page.getByRole('option').count(), 0)
      assert.equal(await input.getAttribute('aria-expanded'), 'false')
      await page.keyboard.press('Backspace')
      await page.keyboard.type('s')
      await chosen(page).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/collect#screening-answers')
      assert.deepEqual(complaints, [])
    }))

  longTest('once loaded, the search needs no connection', () =>
    visit(world(), withScripts, async ({ page, context }) => {
      await page.goto(`${world().baseUrl}/docs`)
      await page.keyboard.press('ControlOrMeta+K')
      await page.keyboard.type('limits')
      await chosen(page).waitFor()
      await context.setOffline(true)
      await page.getByLabel('Search docs').fill('idempotency-key-reused')
      await chosen(page).getByText('idempotency-key-reused').first().waitFor()
      await page.getByLabel('Search docs').fill('zzzzzz')
      await page.getByText('Nothing found.').waitFor()
    }),
  )

  longTest('without its index, Enter asks the server', () =>
    visit(world(), withScripts, async ({ page }) => {
      await page.route('**/assets/docs-search.json', route => route.abort())
      await page.goto(`${world().baseUrl}/docs`)
      await page.getByLabel('Search docs').fill('retry')
      await page.getByText('Press Enter to search on the server').waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/search?q=retry')
      await page.getByText(/^\d+ results$/).waitFor()
    }),
  )

  test('the code of a page changes in place to the language chosen, which the next page remembers', () =>
    visit(world(), withScripts, async ({ page, complaints }) => {
      await page.goto(`${world().baseUrl}/docs/collect`)
      await page.locator('.languages').last().getByRole('link', { name: 'C#' }).click()
      await page.getByText('using var http = new HttpClient();').first().waitFor()
      assert.equal(await page.locator('pre', { hasText: 'curl -H' }).count(), 0)
      assert.equal(page.url(), `${world().baseUrl}/docs/collect`)
      const tabs = page.locator('.languages [aria-current]')
      assert.deepEqual(new Set(await tabs.allTextContents()), new Set(['C#']))
      await page.goto(`${world().baseUrl}/docs/share`)
      await page.getByText('using var http = new HttpClient();').first().waitFor()
      assert.deepEqual(complaints, [])
    }))

  longTest('text and code are side by side on wide screens, below each other on narrow ones', () =>
    visit(world(), async ({ page }) => {
      await page.goto(`${world().baseUrl}/docs/collect`)
      const places = async (width: number) => {
        await page.setViewportSize({ width, height: 860 })
        const boxes = await page.evaluate<number[]>(
          "['.docs-side', '.docs-text h1', '.codes'].map(part => document.querySelector(part).getBoundingClientRect().left)",
        )
        return new Set(boxes.map(Math.round)).size
      }
      assert.equal(await places(1280), 3)
      assert.equal(await places(1024), 2)
      assert.equal(await places(390), 1)
      // The menu opens without a script.
      await page.getByText('Menu', { exact: true }).click()
      await page.locator('.docs-menu').getByRole('link', { name: 'Changelog' }).click()
      await page.getByRole('heading', { level: 1, name: 'Changelog' }).waitFor()
    }),
  )

  longTest('each block of code fills its column', () =>
    visit(world(), async ({ page }) => {
      await page.setViewportSize({ width: 1280, height: 860 })
      await page.goto(`${world().baseUrl}/docs/collect`)
      const shares = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.codes .code')].map(block => block.offsetWidth / block.closest('.codes').offsetWidth)",
      )
      assert.deepEqual(new Set(shares), new Set([1]))
    }),
  )

  longTest('without JavaScript the search is a form, and the languages are links', () =>
    visit(world(), async ({ page }) => {
      await page.goto(`${world().baseUrl}/docs/collect`)
      await page.getByLabel('Search docs').fill('screening answers')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Collecting applications: Screening answers' }).click()
      await page.waitForURL('**/docs/collect#screening-answers')
      await page.locator('.languages').first().getByRole('link', { name: 'PHP' }).click()
      await page.waitForURL('**/docs/collect?lang=php#code-1-block')
      assert.match(await page.locator('#code-1').innerText(), /curl_init/)
      await page.goto(`${world().baseUrl}/docs/apply`)
      assert.ok((await page.locator('pre', { hasText: 'curl_init' }).count()) > 0)
    }),
  )
})
