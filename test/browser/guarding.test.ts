import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longTest, some } from '../harness/effort.ts'
import { mary, tom } from '../harness/oauth.ts'
import {
  allow,
  assertHeading,
  consentField,
  consentTitle,
  fillSignIn,
  inBrowser,
  landedText,
  overwrite,
  signIn,
  signInByHand,
  visit,
  withdraw,
} from './world.ts'

const phone = '0491 570 006'

inBrowser('what a browser is prevented from doing', world => {
  for (const [whose, email] of some(1, [
    ['of the same person', mary],
    ['of another person', tom],
  ])) {
    test(`a consent form cannot be finished in another browser, ${whose}`, () =>
      visit(world(), async ({ page: first }) => {
        const { client } = world()
        const asked = client.applyUrl()
        await signIn(world(), first)
        await first.goto(asked)
        await assertHeading(first, consentTitle)
        const value = (name: string) => consentField(first, name).inputValue()
        const [formToken, filled] = [await value('form_token'), await value('filled')]

        await visit(world(), async ({ page: second }) => {
          await signIn(world(), second, email)
          await second.goto(asked)
          await overwrite(second, 'form_token', formToken)
          await overwrite(second, 'filled', filled)
          await allow(second).click()
          // Asked again, with the reason.
          await second.getByRole('alert').waitFor()
          await assertHeading(second, consentTitle)
        })
        assert.equal(client.landings.length, 0, 'the client has received nothing')

        // It is still valid where it was made.
        await allow(first).click()
        assert.equal(JSON.parse(await landedText(world(), first)).prefill.applicantInfo.emailAddress, mary)
        client.landings.length = 0
        await first.goto(`${world().authUrl}/account/sharing`)
        await withdraw(first)
      }))
  }

  longTest('a form sent after signing out shows the sign-in, and the client receives nothing', () =>
    visit(world(), async ({ context, page }) => {
      const { client, authUrl } = world()
      await signIn(world(), page)
      await page.goto(client.applyUrl())
      await assertHeading(page, consentTitle)
      const other = await context.newPage()
      await other.goto(`${authUrl}/account`)
      await other.locator('.menu summary').click()
      await other.getByRole('button', { name: /^Sign out/ }).click()
      await other.getByRole('status').waitFor()

      await allow(page).click()
      await assertHeading(page, /^Sign in to share/)
      assert.equal(client.landings.length, 0)
      await fillSignIn(page)
      // Asked again: the earlier ticks belonged to a session that had ended.
      await assertHeading(page, consentTitle)
      assert.equal(client.landings.length, 0)
    }),
  )

  longTest('a person signed in to another account can switch, and returns to the question', () =>
    visit(world(), async ({ page }) => {
      const { client } = world()
      await signIn(world(), page, tom)
      await page.goto(client.applyUrl())
      await page.getByRole('button', { name: 'Use another account' }).click()
      await assertHeading(page, /^Sign in/)
      await fillSignIn(page, mary)
      await assertHeading(page, consentTitle)
      await allow(page).click()
      assert.equal(JSON.parse(await landedText(world(), page)).prefill.applicantInfo.emailAddress, mary)
      client.landings.length = 0
    }),
  )

  longTest('a missing page gets a message for people', () =>
    visit(world(), async ({ page }) => {
      for (const origin of [world().authUrl, world().baseUrl]) {
        const answer = await page.goto(`${origin}/acount`)
        assert.equal(answer?.status(), 404)
        await assertHeading(page, 'Page not found')
      }
    }),
  )

  longTest('a double click on Allow leads to one landing', () =>
    visit(world(), async ({ page }) => {
      const { client } = world()
      await signIn(world(), page)
      await page.goto(client.applyUrl({ prompt: 'consent' }))
      let arrivals = 0
      page.on('framenavigated', frame => {
        if (frame.url().startsWith(client.origin)) arrivals++
      })
      await allow(page).dblclick()
      // Not by its address: the second click may interrupt the navigation that the first one began.
      const { prefill } = JSON.parse((await page.locator('pre').textContent()) ?? '')
      assert.equal(prefill.applicantInfo.emailAddress, mary)
      await page.waitForLoadState('networkidle')
      assert.equal(arrivals, 1)
      // Whichever of the two requests it was, the token of the landing works.
      assert.equal(await client.prefillStatus(client.landings.at(-1)?.token ?? ''), 200)
      client.landings.length = 0
    }),
  )

  longTest('the back button after Allow and signing out shows no personal data', () =>
    visit(world(), async ({ context, page }) => {
      const { client, authUrl } = world()
      await signInByHand(world(), page)
      const asked = await page.goto(client.applyUrl({ prompt: 'consent' }))
      assert.match(await page.getByRole('main').innerText(), new RegExp(phone))
      assert.equal(asked?.headers()['cache-control'], 'no-store')
      await page.goto(`${authUrl}/account`)
      await page.goBack()
      await allow(page).click()
      await landedText(world(), page)

      const other = await context.newPage()
      await other.goto(`${authUrl}/account`)
      await other.locator('.menu summary').click()
      await other.getByRole('button', { name: /^Sign out/ }).click()
      await other.getByRole('status').waitFor()
      for (const expected of [/^Sign in to share/, /^(Sign in|Sign in to share .*)$/]) {
        await page.goBack()
        await assertHeading(page, expected)
        assert.ok(!(await page.content()).includes(phone))
      }
    }),
  )

  longTest('our pages cannot be framed', () =>
    visit(world(), async ({ page }) => {
      const { authUrl, client } = world()
      const framed = async (address: string) => {
        await page.goto(`${client.origin}/frame?of=${encodeURIComponent(address)}`)
        const frame = page.frames()[1]
        // It starts empty, also where it ends with an error.
        await frame?.waitForURL(url => url.href !== 'about:blank')
        return frame?.url() ?? ''
      }
      assert.equal(await framed(`${client.origin}/violation`), `${client.origin}/violation`)
      for (const address of [
        `${authUrl}/sign-in`,
        client.applyUrl(),
        client.applyUrl({ client_id: 'nobody' }),
      ]) {
        assert.match(await framed(address), /^chrome-error:/)
      }
    }),
  )
})
