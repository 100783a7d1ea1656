import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { behindTheScenes, harbourId } from '../contract/apply-form.ts'
import { plainDraft } from '../harness/applications.ts'
import { longTest } from '../harness/effort.ts'
import { checkLoad, withScripts } from './page-check.ts'
import { assertHeading, inBrowser, signIn, visit, type World } from './world.ts'

const desktop = { ...withScripts, viewport: { width: 1280, height: 860 } }
const phone = { ...withScripts, viewport: { width: 390, height: 844 } }

const listOf = ({ authUrl }: World) => `${authUrl}/console/${harbourId}/applications`

const boxes = async (page: Page, selector: string) =>
  Promise.all(
    (await page.locator(selector).all()).map(async place => {
      const { y, height } = (await place.boundingBox()) ?? assert.fail(selector)
      return { y, height, bottom: y + height }
    }),
  )

inBrowser('what a recruiter reads', world => {
  test('the list: twelve single-line rows in view, the whole row is the target, and a full page is light', () =>
    visit(world(), desktop, async ({ page }) => {
      await behindTheScenes(world().service, async services => {
        for (let serial = 1; serial <= 25; serial++) {
          const contact = {
            email: `${'long.'.repeat(8)}${serial}@example.com`,
            firstName: 'Wolfeschlegelsteinhausenbergerdorff'.repeat(serial === 25 ? 3 : 1),
            lastName: `The ${serial}th`,
            phone: '',
          }
          const jobReference = `REFERENCE-${'0'.repeat(40)}-${serial}`
          await services.submissions.add(harbourId, plainDraft({ contact, jobReference }))
        }
      })
      await signIn(world(), page, 'rex@example.com')
      await page.goto(listOf(world()))
      await checkLoad(page, 'a full page of applications')
      const rows = await boxes(page, 'tbody tr')
      assert.equal(rows.length, 25)
      assert.ok(
        rows.every(({ height }) => Math.abs(height - 44) <= 1),
        JSON.stringify(rows),
      )
      const inSight = rows.filter(({ bottom }) => bottom <= 860).length
      assert.ok(inSight >= 12, `${inSight} rows in sight`)
      await page.getByText('41 applications', { exact: true }).waitFor()
      // The middle of the third row, where no text is.
      const third = rows[2] ?? assert.fail()
      await page.mouse.click(840, third.y + 22)
      await assertHeading(page, /^Wolf.* The 23th$/)
    }))

  longTest('the list on a phone: the first result is above y = 400, with name, job, age and status', () =>
    visit(world(), phone, async ({ page }) => {
      await signIn(world(), page, 'rex@example.com')
      await page.goto(`${listOf(world())}?q=aroha`)
      await page.goto(listOf(world()))
      const [first] = await boxes(page, 'tbody tr')
      assert.ok(first !== undefined && first.y < 400 && first.height < 100, JSON.stringify(first))
      await page.goto(`${listOf(world())}?q=aroha`)
      const shown = await page.locator('tbody tr').innerText()
      assert.match(shown, /Aroha Parata\s+[A-Z]\w+\s+Wholesale trainer HCR-12\s+10 Nov( 2026)?\s*$/)
    }),
  )

  longTest('an application: its resume is visible beside the facts; on a phone the facts come first', () =>
    visit(world(), desktop, async ({ page }) => {
      await signIn(world(), page, 'rex@example.com')
      await page.goto(`${listOf(world())}/1`)
      await page.locator('#resume canvas').first().waitFor()
      const [preview] = await boxes(page, '#resume .preview-pages')
      assert.ok(preview !== undefined && preview.y < 400 && preview.bottom <= 860, JSON.stringify(preview))
      const [facts] = await boxes(page, '.reader > div:first-child > section:first-child')
      assert.ok(facts !== undefined && facts.bottom <= 860, JSON.stringify(facts))
      assert.ok(Math.abs(facts.y - ((await boxes(page, '.files'))[0]?.y ?? 0)) < 2, 'side by side')
      await page.setViewportSize(phone.viewport)
      const [above] = await boxes(page, '.reader > div:first-child')
      const [below] = await boxes(page, '.files')
      assert.ok(above !== undefined && below !== undefined && above.bottom <= below.y)
      assert.ok(above.y < 400)
    }),
  )

  test('keys lead forwards and backwards within the filter; letter keys can be turned off, and stay off', () =>
    visit(world(), desktop, async ({ page }) => {
      await signIn(world(), page, 'rex@example.com')
      await page.goto(`${listOf(world())}/7?q=hcr-7`)
      const at = (id: number) => page.waitForURL(new RegExp(`/${id}\\?q=hcr-7$`))
      for (const [key, id] of [
        ['j', 5],
        ['ArrowRight', 1],
        ['k', 5],
        ['ArrowLeft', 7],
      ] as const) {
        await page.keyboard.press(key)
        await at(id)
        await page.locator('[data-keys]:not([hidden])').waitFor()
      }
      await page.getByRole('button', { name: 'Keys J, K' }).click()
      await page.keyboard.press('Control+ArrowRight')
      await page.keyboard.press('j')
      await page.keyboard.press('ArrowRight')
      await at(5)
      await page.getByRole('button', { name: 'Keys J, K', pressed: false }).waitFor()
    }))

  longTest('without JavaScript: the same with links, and no keys are mentioned', () =>
    visit(world(), async ({ page }) => {
      await signIn(world(), page, 'rex@example.com')
      await page.goto(`${listOf(world())}/7?q=hcr-7`)
      assert.equal(await page.getByRole('button', { name: 'Keys J, K' }).count(), 0)
      await page.getByRole('link', { name: 'Next' }).click()
      await page.waitForURL(/\/5\?q=hcr-7$/)
      await page.getByRole('link', { name: 'Applications' }).last().click()
      await page.getByText('More filters').click()
      await page.getByLabel('Questionnaire', { exact: true }).selectOption('Failed')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('Questionnaire failed').waitFor()
    }),
  )
})
