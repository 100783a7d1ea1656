import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doorOf, tom } from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { mailTo } from '../harness/outbox.ts'
import { assertHeading, atPath, inBrowser, visit } from './world.ts'

inBrowser('signing in with a code from an email', { engines: oneEngine }, world => {
  let sent = 0
  for (const [name, viewport] of Object.entries({
    phone: { width: 360, height: 740 },
    desktop: { width: 1280, height: 800 },
  }))
    for (const javaScriptEnabled of [false, true])
      test(`on a ${name}, ${javaScriptEnabled ? 'with' : 'without'} scripts`, () =>
        visit(world(), { viewport, javaScriptEnabled }, async ({ page, complaints }) => {
          const { authUrl, service } = world()
          await page.goto(`${authUrl}/sign-in?continue=/account/resumes`)
          await page.getByLabel('Email address').fill(tom)
          await page.getByRole('button', { name: 'Email me a code' }).click()
          await assertHeading(page, 'Enter the code from our email')
          await page.getByLabel('Code from our email').fill('123')
          await page.keyboard.press('Enter')
          await page.getByText('Enter the six digits of the code.').waitFor()
          const { text } = await mailTo(doorOf(service), tom, ++sent)
          const code = /\b\d{6}\b/.exec(text)?.[0] ?? assert.fail(text)
          await page.getByLabel('Code from our email').fill(`${code.slice(0, 3)} ${code.slice(3)}`)
          const width = await page.locator('html').evaluate(root => root.scrollWidth)
          assert.ok(width <= viewport.width, `${width} pixels wide`)
          await page.getByRole('button', { name: 'Sign in', exact: true }).click()
          await atPath(page, '/account/resumes')
          // The answer to three digits is a 401, which the browser reports.
          assert.deepEqual(
            complaints.filter(each => !each.includes('401')),
            [],
          )
        }))
})
