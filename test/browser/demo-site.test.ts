import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longTest, some } from '../harness/effort.ts'
import { tom } from '../harness/oauth.ts'
import { allow, assertHeading, consentTitle, decline, fillSignIn, inBrowser, visit } from './world.ts'

for (const isOneOrigin of some(1, [true, false])) {
  inBrowser(
    `the careers page of the demo, ${isOneOrigin ? 'on one origin' : 'with AUTH_URL elsewhere'}`,
    { isOneOrigin },
    world => {
      test('from the button to the last response, and every step is shown', () =>
        visit(world(), async ({ page, complaints, origins }) => {
          const { authUrl, baseUrl } = world()
          await page.goto(`${baseUrl}/demo`)
          await page.getByRole('button', { name: 'Apply with Dossier for Head barista' }).click()
          assert.equal(new URL(page.url()).origin, authUrl)
          await fillSignIn(page)
          await assertHeading(page, consentTitle)
          await page.getByRole('checkbox', { name: 'Phone number' }).uncheck()
          await allow(page).click()

          await page.waitForURL(`${baseUrl}/demo/application`)
          await assertHeading(page, 'Apply: Head barista')
          const value = (label: string) => page.getByLabel(label).inputValue()
          assert.equal(await value('First name'), 'Mary')
          assert.equal(await value('Email address'), 'mary@example.com')
          assert.equal(await value('Phone'), '')
          const main = await page.getByRole('main').innerText()
          assert.match(main, /Mary Nguyen - Resume\.pdf/)
          assert.match(main, /Barista, morning shift lead, Dock Espresso/)
          const drawer = page.getByRole('complementary', { name: 'Behind this page' })
          const trace = await drawer.innerText()
          for (const step of [
            '/api/iam/oauth2/authorize',
            '/api/iam/oauth2/token',
            '/v2/applications/prefilled',
          ]) {
            assert.ok(trace.includes(step), `the page does not show the request to ${step}`)
          }
          assert.doesNotMatch(await page.content(), /demo-ats-secret|0491 570 006/)

          await page.getByLabel('First name').fill('Marianne')
          await page.getByRole('button', { name: 'Send application' }).click()
          await page.getByText('your application was sent').first().waitFor()
          assert.match(await drawer.innerText(), /\/complete[\s\S]*204/)
          // Reloading it repeats nothing.
          await page.reload()
          await assertHeading(page, 'Thanks, your application was sent')

          await page.getByRole('link', { name: 'See who has your data' }).click()
          await assertHeading(page, 'Who has my data')
          assert.match(
            await page.getByRole('main').innerText(),
            /Northwind ATS\tHarbour Coffee Roasters\tdownloaded your resume/,
          )
          await page.getByRole('link', { name: 'Applications', exact: true }).click()
          await assertHeading(page, 'Your applications')
          assert.match(
            await page.getByRole('main').innerText(),
            /Head barista\nSubmitted\nat Harbour Coffee Roasters, on the website of Northwind ATS\n+.*submitted on/,
          )
          assert.deepEqual(complaints, [])
          assert.deepEqual([...origins].toSorted(), [...new Set([authUrl, baseUrl])].toSorted())
        }))

      longTest('a candidate who declines reads that nothing was shared', () =>
        visit(world(), async ({ page, complaints }) => {
          const { baseUrl } = world()
          await page.goto(`${baseUrl}/demo`)
          await page.getByRole('button', { name: 'Apply with Dossier for Wholesale trainer' }).click()
          await fillSignIn(page, tom)
          await decline(page).click()
          await page.waitForURL(`${baseUrl}/demo/application`)
          await assertHeading(page, 'You declined. Nothing was shared')
          assert.match(await page.getByRole('complementary').innerText(), /access_denied/)
          assert.deepEqual(complaints, [])
        }),
      )

      longTest("a link with another person's code is rejected", () =>
        visit(world(), async ({ page }) => {
          const { baseUrl, authUrl } = world()
          await page.goto(
            `${baseUrl}/demo/callback?code=theirs&state=theirs&iss=${encodeURIComponent(authUrl)}`,
          )
          await assertHeading(page, 'This response is not for this browser')
        }),
      )
    },
  )
}
