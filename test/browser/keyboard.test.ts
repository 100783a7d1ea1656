import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longTest, some } from '../harness/effort.ts'
import { mary } from '../harness/oauth.ts'
import { signInByKeys, stepTo, tab } from './keyboard.ts'
import { assertHeading, consentTitle, inBrowser, landedText, visit } from './world.ts'

inBrowser('with the keyboard alone', world => {
  for (const viewport of some(1, [
    { width: 360, height: 640 },
    { width: 1200, height: 800 },
  ])) {
    test(`signing in, clearing a box and allowing, at ${viewport.width} pixels`, () =>
      visit(world(), { viewport }, async ({ page, complaints }) => {
        const { client } = world()
        await page.goto(client.applyUrl({ prompt: 'consent' }))
        const way = await signInByKeys(page, mary, stepTo)
        assert.equal(way[0]?.name, 'Skip to content', 'the first stop leads past the header')
        await page.getByRole('checkbox').first().waitFor()
        await assertHeading(page, consentTitle)
        await stepTo(page, 'Location')
        await page.keyboard.press('Space')
        const rest = await stepTo(page, 'Decline')
        assert.deepEqual(
          rest.map(({ name }) => name),
          [
            'Qualification and skills',
            'Work history',
            'Salary and work rights',
            'Resume',
            'Who has my data',
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
        await stepTo(page, `Withdraw from ${world().clientName}`)
        await page.keyboard.press('Space')
        await stepTo(page, `Yes, withdraw from ${world().clientName}`)
        await page.keyboard.press('Space')
        await page.getByRole('status').waitFor()
      }))
  }

  longTest('the Enter key in a box of the consent page shares only what Allow would', () =>
    visit(world(), async ({ page }) => {
      const { client } = world()
      await page.goto(client.applyUrl({ prompt: 'consent' }))
      await signInByKeys(page, mary, stepTo)
      await page.getByRole('checkbox').first().waitFor()
      await stepTo(page, 'Phone number')
      await page.keyboard.press('Space')
      await page.keyboard.press('Enter')
      const { prefill } = JSON.parse(await landedText(world(), page))
      assert.equal(prefill.applicantInfo.phoneNumber, null)
    }),
  )

  longTest('the skip link leads past the header of the account', () =>
    visit(world(), async ({ page }) => {
      const { authUrl } = world()
      await page.goto(`${authUrl}/sign-in`)
      await signInByKeys(page, mary, stepTo)
      await page.waitForURL(`${authUrl}/account`)
      assert.equal((await tab(page)).name, 'Skip to content')
      await page.keyboard.press('Enter')
      assert.equal((await tab(page)).name, 'Edit\nAbout you', 'the first link of the content')
      await page.goto(`${authUrl}/account`)
      const way = await stepTo(page, 'Sign-in and security')
      assert.deepEqual(
        way.map(({ name }) => name),
        [
          'Skip to content',
          'Dossier',
          'Jobs',
          'Developers',
          'Mary, menu',
          'Profile',
          'Resumes',
          'Applications',
          'Who has my data',
          'Email notifications',
          'Sign-in and security',
        ],
      )
    }),
  )
})
