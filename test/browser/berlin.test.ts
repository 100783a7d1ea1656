import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneEngine } from '../harness/one-engine.ts'
import { allow, assertHeading, consentTitle, inBrowser, signIn, visit } from './world.ts'

inBrowser('the board in Berlin', { demoWorld: 'berlin', engines: oneEngine }, world => {
  test('a candidate finds a job in euros, reads the notice, and applies; the company answers', () =>
    visit(world(), async ({ page, complaints }) => {
      const { authUrl, baseUrl } = world()
      await page.goto(baseUrl)
      await page.getByRole('heading', { name: 'Try the demo' }).waitFor()
      await page.getByRole('link', { name: 'All jobs' }).click()
      assert.equal(await page.getByRole('link', { name: /\(all genders\)/ }).count(), 5)
      await page.getByRole('link', { name: 'Route planner (all genders)' }).click()
      assert.match(await page.getByRole('main').innerText(), /€42,000 to €47,000 a year/)
      assert.match(await page.getByRole('main').innerText(), /Closes \d{1,2} \w+ \d{4} \(Berlin time\)/)
      await page.goto(`${baseUrl}/jobs/32`)
      assert.match(await page.getByRole('main').innerText(), /Berlin, Germany/)
      assert.match(await page.getByRole('main').innerText(), /€17\.80 to €19\.50 an hour, before tax/)

      await signIn(world(), page, 'mila@example.com')
      await page.goto(`${authUrl}/jobs/32/apply`)
      assert.equal(await page.getByLabel('First name').inputValue(), 'Mila')
      const notice = page.getByRole('link', { name: 'Privacy notice of Westhafen Kaffee' })
      const opening = page.waitForEvent('popup')
      await notice.click()
      const opened = await opening
      await opened.getByRole('heading', { name: 'Privacy notice of Westhafen Kaffee' }).waitFor()
      await opened.close()
      await page.getByRole('button', { name: 'Send application' }).click()
      await page.goto(`${authUrl}/account/applications`)
      await page.getByRole('link', { name: 'Production roaster (all genders)' }).waitFor()

      await page.context().clearCookies()
      await signIn(world(), page, 'greta@example.com')
      await page.goto(`${authUrl}/console/10000001/jobs/new`)
      assert.equal(await page.getByLabel('Country', { exact: true }).inputValue(), 'DE')
      await page.goto(`${authUrl}/console/10000001/applications`)
      await page.getByRole('link', { name: 'Mila Brandt' }).first().click()
      await page.getByRole('heading', { name: 'Mila Brandt' }).waitFor()
      assert.deepEqual(complaints, [])
    }))

  test('a profile has the places of Berlin, and its country comes first', () =>
    visit(world(), async ({ page, complaints }) => {
      const { authUrl } = world()
      await signIn(world(), page, 'jonas@example.com')
      await page.goto(`${authUrl}/account/profile/about`)
      await page.getByLabel('Location').selectOption('de-be-nk')
      await page.getByLabel('Highest qualification').selectOption('Vocational training (Ausbildung)')
      await page.getByRole('button', { name: 'Save' }).click()
      assert.match(await page.getByRole('main').innerText(), /Berlin Neukölln/)
      await page.goto(`${authUrl}/account/profile/country`)
      assert.equal(await page.getByLabel('Country').inputValue(), 'DE')
      assert.deepEqual(complaints, [])
    }))

  test('nothing is shared before a choice, and a careers page gets what was chosen', () =>
    visit(world(), async ({ page, complaints }) => {
      const { authUrl, baseUrl } = world()
      await page.goto(`${baseUrl}/demo`)
      await signIn(world(), page, 'mila@example.com')
      await page.goto(`${baseUrl}/demo`)
      await page.getByRole('button', { name: /^Apply with Spree Jobs for Head barista/ }).click()
      await assertHeading(page, consentTitle)
      assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
      await page.getByRole('checkbox', { name: 'Location' }).check()
      await allow(page).click()
      await page.waitForURL(`${baseUrl}/demo/application`)
      assert.equal(await page.getByLabel('Where you live').inputValue(), 'Berlin Neukölln')
      assert.equal(await page.getByLabel('Phone').inputValue(), '')
      await page.getByRole('button', { name: 'Send application' }).click()
      await page.getByText('your application was sent').first().waitFor()
      await page.goto(`${authUrl}/account/sharing`)
      assert.match(await page.getByRole('main').innerText(), /Northwind ATS\s+Westhafen Kaffee/)
      assert.deepEqual(complaints, [])
    }))
})
