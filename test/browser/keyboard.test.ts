import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { demoPassword, mary } from '../harness/oauth.ts'
import { assertHeading, consentTitle, inBrowser, landedText, visit } from './world.ts'

/** What has the focus, as somebody who looks at the screen knows it. */
interface Focus {
  name: string
  role: string
  isRinged: boolean
  isInView: boolean
  isCovered: boolean
}

/** Runs in the page, hence text: the types of a browser are not known here. */
const readFocus = `(() => {
  const element = document.activeElement
  const style = getComputedStyle(element)
  const box = element.getBoundingClientRect()
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
  const above = document.elementFromPoint(x, y)
  return {
    name: (element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText).trim(),
    role: element.localName + (element.type ? ':' + element.type : ''),
    isRinged: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
    isInView: box.width > 0 && x >= 0 && y >= 0 && x <= innerWidth && y <= innerHeight,
    isCovered: above !== null && !element.contains(above) && !above.contains(element),
  }
})()`

async function tab(page: Page, key = 'Tab'): Promise<Focus> {
  await page.keyboard.press(key)
  const focus = await page.evaluate<Focus>(readFocus)
  const place = `${focus.role} "${focus.name}" on ${page.url()}`
  assert.ok(focus.isRinged, `the focus cannot be seen: ${place}`)
  assert.ok(focus.isInView, `the focus is out of sight: ${place}`)
  assert.ok(!focus.isCovered, `something covers what has the focus: ${place}`)
  return focus
}

/** Tabs on until this has the focus; everything on the way is looked at, too. */
async function tabTo(page: Page, name: string): Promise<Focus[]> {
  const way: Focus[] = []
  for (;;) {
    const focus = await tab(page)
    way.push(focus)
    if (focus.name === name) return way
    assert.ok(way.length < 60, `no way to "${name}": ${way.map(each => each.name).join(', ')}`)
  }
}

inBrowser('with the keyboard alone', world => {
  for (const viewport of [
    { width: 1200, height: 800 },
    { width: 360, height: 640 },
  ]) {
    test(`signing in, clearing a box and allowing, at ${viewport.width} pixels`, () =>
      visit(
        world(),
        async ({ page, complaints }) => {
          const { client } = world()
          await page.goto(client.applyUrl({ prompt: 'consent' }))
          const way = await tabTo(page, 'E-mail address')
          assert.equal(way[0]?.name, 'Skip to content', 'the first stop leads past the header')
          await page.keyboard.type(mary)
          await tab(page)
          await page.keyboard.type(demoPassword)
          await page.keyboard.press('Enter')

          await page.getByRole('checkbox').first().waitFor()
          await assertHeading(page, consentTitle)
          await tabTo(page, 'Location')
          await page.keyboard.press('Space')
          const rest = await tabTo(page, 'Decline')
          assert.deepEqual(
            rest.map(({ name }) => name),
            [
              'Qualification and skills',
              'Work history',
              'Salary and work rights',
              'Resume',
              'Allow',
              'Decline',
            ],
          )
          assert.equal((await tab(page, 'Shift+Tab')).name, 'Allow')
          await page.keyboard.press('Enter')

          const { prefill } = JSON.parse(await landedText(world(), page))
          assert.equal(prefill.applicantInfo.currentLocation, null)
          assert.equal(prefill.applicantInfo.highestQualification.description, 'Certificate III')
          assert.deepEqual(complaints, [])

          await page.goto(`${world().authUrl}/account/sharing`)
          await tabTo(page, `Withdraw from ${world().clientName}`)
          await page.keyboard.press('Space')
          await page.getByRole('status').waitFor()
        },
        { viewport },
      ))
  }

  test('the Enter key in a box of the consent page shares nothing by itself but what Allow would', () =>
    visit(world(), async ({ page }) => {
      const { client } = world()
      await page.goto(client.applyUrl({ prompt: 'consent' }))
      await tabTo(page, 'E-mail address')
      await page.keyboard.type(mary)
      await tab(page)
      await page.keyboard.type(demoPassword)
      await page.keyboard.press('Enter')
      await page.getByRole('checkbox').first().waitFor()
      await tabTo(page, 'Phone number')
      await page.keyboard.press('Space')
      await page.keyboard.press('Enter')
      const { prefill } = JSON.parse(await landedText(world(), page))
      assert.equal(prefill.applicantInfo.phoneNumber, null)
    }))

  test('the skip link leads past the header of the account', () =>
    visit(world(), async ({ page }) => {
      const { authUrl } = world()
      await page.goto(`${authUrl}/sign-in`)
      await tabTo(page, 'E-mail address')
      await page.keyboard.type(mary)
      await tab(page)
      await page.keyboard.type(demoPassword)
      await page.keyboard.press('Enter')
      await page.waitForURL(`${authUrl}/account`)
      assert.equal((await tab(page)).name, 'Skip to content')
      await page.keyboard.press('Enter')
      assert.equal((await tab(page)).name, 'Change it', 'the first link of the content')
      await page.goto(`${authUrl}/account`)
      const way = await tabTo(page, 'Sign-in and security')
      assert.deepEqual(
        way.map(({ name }) => name),
        [
          'Skip to content',
          'Dossier',
          'Jobs',
          'Developers',
          'Sign out Mary',
          'Profile',
          'Resumes',
          'Applications',
          'Who has my data',
          'Sign-in and security',
        ],
      )
    }))
})
