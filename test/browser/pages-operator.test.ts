import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longTest } from '../harness/effort.ts'
import { mustOperate } from '../oauth/registering.ts'
import { checkOpened, checkPages, type ListedPage, pageAt, withScripts } from './page-check.ts'
import { pageRoutes } from './page-routes.ts'
import { inBrowser, visit, type World } from './world.ts'

/** What the parameters of the paths stand for in the demo. */
const objects: Record<string, string> = { advertiserId: '10000001', clientId: 'demo-ats', jobAdId: '31' }

function pagesOf({ authUrl }: World): ListedPage[] {
  return pageRoutes.operator.map(route => {
    const path = route.replaceAll(/:(\w+)/g, (_, name) => objects[name] ?? '')
    return pageAt(path.slice(1).replaceAll('/', '-'), `${authUrl}${path}`)
  })
}

inBrowser('pages of an operator', world => {
  test('an invited person creates an account by the link, and pages fit and pass axe', () =>
    visit(world(), withScripts, async visitor => {
      const { page } = visitor
      const link = await mustOperate(world().service, 'operator', 'invite', 'olga@example.org')
      await page.goto(`${world().authUrl}/operator/join${new URL(link).hash}`)
      await page.getByLabel('First name').fill('Olga')
      await page.getByLabel('Last name').fill('Orr')
      await page.getByLabel('Password').fill('a few words that fit')
      await page.getByRole('button', { name: 'Create account and accept' }).press('Enter')
      await page.waitForURL(`${world().authUrl}/operator`)
      await checkPages(world(), visitor, pagesOf(world()))
      await page.goto(`${world().authUrl}/operator`)
      assert.equal(await page.getByText('Nothing needs attention').count(), 0)
      assert.ok((await page.getByText('Recommended', { exact: true }).count()) > 0)
      await page.getByLabel('Email address').fill('olga@example.org')
      await page.getByRole('button', { name: 'Send test email' }).click()
      // The demo has no mail server that could accept it.
      await page.getByRole('status').getByRole('link', { name: 'demo inbox' }).click()
      await page.waitForURL(url => url.pathname === '/demo/outbox')
    }))

  longTest('are all pages of the list of routes', () => checkOpened(world(), 'operator'))
})
