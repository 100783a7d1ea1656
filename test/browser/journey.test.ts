import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { demoCandidates } from '../../src/demo/world/world.ts'
import { longTest } from '../harness/effort.ts'
import { tom } from '../harness/oauth.ts'
import { mustOperate } from '../oauth/registering.ts'
import {
  allow,
  assertHeading,
  atPath,
  consentTitle,
  decline,
  fillSignIn,
  inBrowser,
  landedText,
  signIn,
  visit,
  withdraw,
} from './world.ts'

const [maryInDemo] = demoCandidates
assert.ok(maryInDemo !== undefined)
const { profile } = maryInDemo

inBrowser('a candidate, Dossier on two origins, and a client on a third', world => {
  test('the browser would report a violated policy', () =>
    visit(world(), async ({ page, complaints }) => {
      await page.goto(`${world().client.origin}/violation`)
      assert.match(complaints.join(), /Content Security Policy/)
    }))

  test('cleared items stay here, and everything else arrives, nothing more', () =>
    visit(world(), async ({ context, page, complaints, origins }) => {
      const { authUrl, baseUrl, client, clientName, service } = world()
      await mustOperate(service, 'client', 'allow', 'quayside', '10000001')
      // A visitor may well arrive by the other name: the pages are on one of the two.
      await page.goto(`${baseUrl}/account/sharing`)
      assert.equal(new URL(page.url()).origin, authUrl)
      await page.goto(client.applyUrl({ advertiser_id: '10000001' }))
      await assertHeading(page, `Sign in to share your profile with ${clientName}`)
      await fillSignIn(page)

      await assertHeading(page, consentTitle)
      const main = (await page.getByRole('main').innerText()).replace(/\s+/g, ' ')
      assert.ok(main.includes(`${clientName} on behalf of Harbour Coffee Roasters wants to use`), main)
      const values = [profile.phoneNumber, profile.currentLocation?.description, 'Mary Nguyen - Resume.pdf']
      for (const value of ['Mary Nguyen', maryInDemo.email, ...values, ...profile.skills]) {
        assert.ok(main.includes(String(value)), `the page does not show ${value}: ${main}`)
      }
      for (const { jobTitle, companyName, achievements } of profile.workHistory) {
        assert.ok(main.includes(`${jobTitle}, ${companyName}`), main)
        assert.ok(main.includes(achievements), main)
      }
      const boxes = page.getByRole('checkbox')
      assert.equal(await boxes.count(), 6)
      for (const box of await boxes.all()) assert.ok(await box.isChecked())
      await page.getByRole('checkbox', { name: 'Phone' }).uncheck()
      await allow(page).click()

      const { prefill, resume } = JSON.parse(await landedText(world(), page))
      assert.deepEqual(prefill.applicantInfo, {
        firstName: maryInDemo.firstName,
        lastName: maryInDemo.lastName,
        emailAddress: maryInDemo.email,
        ...profile,
        phoneNumber: null,
      })
      assert.deepEqual(Object.keys(prefill).toSorted(), [
        'applicantInfo',
        'complete',
        'created',
        'id',
        'resume',
        'updated',
      ])
      assert.deepEqual(Object.keys(prefill.resume), ['link'])
      for (const link of [prefill.resume.link, prefill.complete]) assert.ok(link.startsWith(`${baseUrl}/v2/`))
      const file = await readFile(
        new URL('../../src/demo/world/files/mary-nguyen-resume.pdf', import.meta.url),
      )
      assert.equal(resume.hash, createHash('sha256').update(file).digest('hex'))
      assert.equal(resume.disposition, 'attachment; filename="Mary Nguyen - Resume.pdf"')
      assert.ok(!JSON.stringify(prefill).includes(String(profile.phoneNumber)))

      assert.deepEqual(complaints, [])
      assert.deepEqual([...origins].toSorted(), [authUrl, baseUrl, client.origin].toSorted())
      const cookies = await context.cookies()
      assert.ok(cookies.length > 0)
      for (const { domain, httpOnly, sameSite, name } of cookies) {
        assert.equal(domain, new URL(authUrl).hostname, name)
        assert.ok(httpOnly, name)
        assert.equal(sameSite, 'Lax', name)
      }
    }))

  longTest('cleared boxes are still clear the next time', () =>
    visit(world(), async ({ page }) => {
      await signIn(world(), page)
      await page.goto(world().client.applyUrl({ advertiser_id: '10000001' }))
      await assertHeading(page, consentTitle)
      assert.equal(await page.getByRole('checkbox', { name: 'Phone' }).isChecked(), false)
      assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 5)
    }),
  )

  longTest('a candidate who declines lands at the client, which learns only that', () =>
    visit(world(), async ({ page, complaints }) => {
      const { client, authUrl } = world()
      const state = 'a state: {"x":"ä+/%"}'
      await page.goto(client.applyUrl({ state }))
      await fillSignIn(page)
      await decline(page).click()
      await page.waitForURL(url => url.origin === client.origin)
      const { query } = client.landings.at(-1) ?? {}
      assert.equal(query?.get('error'), 'access_denied')
      assert.equal(query?.get('state'), state)
      assert.equal(query?.get('iss'), authUrl)
      assert.deepEqual([...(query?.keys() ?? [])].filter(name => name !== 'error_description').toSorted(), [
        'error',
        'iss',
        'state',
      ])
      // Only the client's own page for a state that it does not know.
      assert.deepEqual(
        complaints.filter(text => !text.includes('status of 400')),
        [],
      )
    }),
  )

  longTest('a callback may lead on to another site, after Allow and after signing in', () =>
    visit(world(), async ({ context, page, complaints }) => {
      const { client, authUrl } = world()
      const customerUrl = client.leadOnTo(true)
      try {
        await page.goto(client.applyUrl({ prompt: 'consent' }))
        await fillSignIn(page)
        await assertHeading(page, consentTitle)
        for (const box of await page.getByRole('checkbox').all()) await box.check()
        await allow(page).click()
        await page.waitForURL(customerUrl)
        await context.clearCookies()
        await page.goto(client.applyUrl())
        await fillSignIn(page)
        await page.waitForURL(customerUrl)
      } finally {
        client.leadOnTo(false)
      }
      assert.deepEqual(complaints, [])
      // The other tests start without a consent.
      await page.goto(`${authUrl}/account/sharing`)
      while ((await page.getByText('Withdraw', { exact: true }).count()) > 0) await withdraw(page)
    }),
  )

  test('a remembered consent shows no page, and signing in leads straight to the client', () =>
    visit(world(), async ({ context, page, complaints }) => {
      const { client } = world()
      await page.goto(client.applyUrl())
      await fillSignIn(page)
      await allow(page).click()
      JSON.parse(await landedText(world(), page))

      await page.goto(client.applyUrl())
      assert.equal(new URL(page.url()).origin, client.origin, 'no page in between')
      assert.equal(JSON.parse(await landedText(world(), page)).prefill.applicantInfo.firstName, 'Mary')

      await context.clearCookies()
      await page.goto(client.applyUrl())
      await assertHeading(page, /^Sign in to share/)
      // The redirect after this form ends at another origin, which the policy of the page must allow.
      await fillSignIn(page)
      assert.equal(JSON.parse(await landedText(world(), page)).prefill.applicantInfo.firstName, 'Mary')

      await context.clearCookies()
      await page.goto(client.applyUrl())
      await fillSignIn(page, maryInDemo.email, 'not the password')
      await page.getByRole('alert').waitFor()
      await fillSignIn(page)
      assert.equal(JSON.parse(await landedText(world(), page)).prefill.applicantInfo.firstName, 'Mary')
      assert.deepEqual(
        complaints.filter(text => !text.includes('status of 401')),
        [],
      )

      await page.goto(client.applyUrl({ prompt: 'consent' }))
      await assertHeading(page, consentTitle)
    }))

  longTest('withdrawing a consent revokes the token, and the candidate is asked again', () =>
    visit(world(), async ({ page, complaints }) => {
      const { client, authUrl, clientName } = world()
      await page.goto(client.applyUrl())
      await fillSignIn(page, tom)
      await allow(page).click()
      await landedText(world(), page)
      const token = client.landings.at(-1)?.token
      assert.ok(token !== undefined)
      assert.equal(await client.prefillStatus(token), 200)

      await page.goto(`${authUrl}/account/sharing`)
      const button = page.getByRole('button', { name: `Yes, withdraw from ${clientName}` })
      assert.equal(await button.isVisible(), false, 'it asks first')
      await withdraw(page)
      assert.match(await page.getByRole('status').innerText(), /^Withdrawn/)
      assert.equal(await page.getByRole('button', { name: 'Withdraw' }).count(), 0)
      assert.equal(await client.prefillStatus(token), 401)

      await page.goto(client.applyUrl())
      await assertHeading(page, consentTitle)
      assert.deepEqual(complaints, [])
    }),
  )

  longTest('a forgotten password: the link in the email, a new password, and onwards with it', () =>
    visit(world(), async ({ page, complaints }) => {
      const { authUrl, baseUrl } = world()
      await page.goto(`${authUrl}/forgotten`)
      await page.getByLabel('Email address').fill(tom)
      await page.getByRole('button', { name: 'Send link' }).click()
      await assertHeading(page, 'Check your email')
      const link = page.getByRole('link', { name: `${authUrl}/reset` })
      do await page.goto(`${baseUrl}/demo/outbox`)
      while ((await link.count()) === 0)
      await link.click()
      await page.getByLabel('Link from the email').fill(page.url())
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByLabel('Password').fill('four words that rhyme')
      await page.getByRole('button', { name: 'Set password' }).click()
      await atPath(page, '/sign-in')
      await fillSignIn(page, tom, 'four words that rhyme')
      await assertHeading(page, 'Your profile')

      // It wasn't Tom: the email about the new password undoes it.
      const undo = page.getByRole('link', { name: `${authUrl}/undo` })
      do await page.goto(`${baseUrl}/demo/outbox`)
      while ((await undo.count()) === 0)
      await undo.first().click()
      await page.getByLabel('Link from the email').fill(page.url())
      await page.getByRole('button', { name: 'Continue' }).click()
      await assertHeading(page, 'Undo the change')
      await page.getByLabel('Password').fill('five words that do not')
      await page.getByRole('button', { name: 'Undo and set password' }).click()
      await atPath(page, '/sign-in')
      await fillSignIn(page, tom, 'five words that do not')
      await assertHeading(page, 'Your profile')
      assert.deepEqual(complaints, [])
    }),
  )
})
