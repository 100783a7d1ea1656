import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { isLongRun, longTest, some } from '../harness/effort.ts'
import { checkBothLayouts, checkWithAxe, press, withScripts } from './page-check.ts'
import { atPath, inBrowser, signIn, visit } from './world.ts'

async function boxOf(part: Locator) {
  const box = await part.boundingBox()
  assert.ok(box !== null)
  return { ...box, bottom: box.y + box.height }
}

inBrowser('a mistake', world => {
  for (const javaScriptEnabled of some(1, [false, true])) {
    test(`is reported in our words, and the summary has the focus, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () =>
      visit(world(), { javaScriptEnabled }, async ({ page, complaints }) => {
        const { authUrl } = world()
        await page.goto(`${authUrl}/sign-up`)
        // A browser that validates would not send it.
        await press(page, 'Sign up')
        await page.locator('[role=alert]:focus').waitFor()
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        await page.locator('#firstName:focus').waitFor()
        await page.goto(`${authUrl}/sign-in`)
        await press(page, 'Sign in')
        await page.locator('[role=alert]:focus').waitFor()
        await signIn(world(), page)
        await page.goto(`${authUrl}/account/resumes`)
        await press(page, 'Upload resume')
        await page.locator('[role=alert]:focus').waitFor()
        assert.deepEqual(
          complaints.filter(line => !line.includes('status of 4')),
          [],
        )
      }))
  }

  longTest('appears below its field, and moves no label', () =>
    visit(world(), withScripts, async ({ page }) => {
      const { authUrl } = world()
      await page.goto(`${authUrl}/sign-up`)
      await page.getByLabel('First name').fill('Ann')
      await press(page, 'Sign up')
      await page.locator('#lastName-fault').waitFor()
      const [first, last] = [page.locator('label[for=firstName]'), page.locator('label[for=lastName]')]
      assert.equal((await boxOf(first)).y, (await boxOf(last)).y)
      const [input, fault] = [page.locator('#lastName'), page.locator('#lastName-fault')]
      assert.ok((await boxOf(fault)).y >= (await boxOf(input)).bottom)

      await signIn(world(), page, 'rae@example.com')
      await page.goto(`${authUrl}/console/10000001/applications?from=2026-13-01`)
      await page.locator('#from-fault').waitFor()
      const names = ['from', 'to', 'screen']
      const tops = async (selector: (name: string) => string) =>
        new Set(await Promise.all(names.map(async name => (await boxOf(page.locator(selector(name)))).y)))
      assert.equal((await tops(name => `label[for=${name}]`)).size, 1, 'labels')
      assert.equal((await tops(name => `#${name}`)).size, 1, 'boxes')
      await checkBothLayouts(page, 'filters with a mistake')
      await checkWithAxe(page, 'filters with a mistake', 'light')
    }),
  )

  longTest('in a file field is shown like that of any other field', () =>
    visit(world(), withScripts, async ({ page }) => {
      await signIn(world(), page)
      await page.goto(`${world().authUrl}/jobs/31/apply`)
      await page.getByLabel('First name').fill('')
      await page.getByText('Upload another').click()
      await press(page, 'Send application')
      await page.locator('#resumeFile-fault').waitFor()
      const looks = (id: string) =>
        page.evaluate<string[]>(`(() => {
            const { borderWidth, borderColor, borderRadius, paddingLeft } = getComputedStyle(document.getElementById('${id}'))
            return [borderWidth, borderColor, borderRadius, String(parseFloat(paddingLeft) > 0)]
          })()`)
      assert.deepEqual(await looks('resumeFile'), await looks('firstName'))
      const [input, fault] = [page.locator('#resumeFile'), page.locator('#resumeFile-fault')]
      assert.ok((await boxOf(fault)).y >= (await boxOf(input)).bottom)
    }),
  )
})

if (isLongRun)
  inBrowser('navigation', world => {
    test('tabs stay in place from page to page, and breadcrumbs end without a slash', () =>
      visit(world(), withScripts, async ({ page }) => {
        const { authUrl } = world()
        await signIn(world(), page, 'rae@example.com')
        const places = async (path: string) => {
          await page.goto(`${authUrl}/console/10000001/${path}`)
          await atPath(page, `/console/10000001/${path}`)
          const tabs = await page.locator('nav.side .row a').all()
          return Promise.all(tabs.map(async tab => (await boxOf(tab)).x))
        }
        const applications = await places('applications')
        assert.ok(applications.length > 5)
        for (const tab of ['jobs', 'screens', 'access', 'people']) {
          assert.deepEqual(await places(tab), applications, tab)
        }
        await page.goto(`${authUrl}/console/10000001/applications/1`)
        const slash = await page.evaluate<string>(
          "getComputedStyle(document.querySelector('.crumbs a:last-child'), '::after').content",
        )
        assert.equal(slash, 'none')
      }))
  })
