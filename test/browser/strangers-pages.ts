import type { Page } from 'playwright-core'
import { maryId } from '../../src/demo/world/world.ts'
import { behindTheScenes } from '../contract/apply-form.ts'
import { galleryPage } from '../gallery/page.ts'
import { some } from '../harness/effort.ts'
import { tom } from '../harness/oauth.ts'
import {
  pageAt as at,
  further,
  furtherState,
  heavyState,
  type ListedPage,
  press,
  state,
} from './page-check.ts'
import { fillSignIn, type World } from './world.ts'

/** The newest email in the demo's outbox with a link to this page. It is written after the response. */
async function openMailed(world: World, page: Page, path: string): Promise<void> {
  const link = page.getByRole('link', { name: `${world.authUrl}${path}` }).first()
  do await page.goto(`${world.baseUrl}/demo/outbox`)
  while ((await link.count()) === 0)
  await link.click()
  await linkOpened(page)
}

/** The script of the page sends the part after the #. */
const linkOpened = (page: Page) => page.locator('[data-opens-link]').waitFor({ state: 'detached' })

function openedLink(name: string, url: string): ListedPage {
  return {
    name,
    async open(page) {
      await page.goto(url)
      await linkOpened(page)
    },
  }
}

/** Pages for a visitor who is not signed in. */
export function pagesOfStrangers(world: World): ListedPage[] {
  const { authUrl, baseUrl, client } = world
  return [
    at('home', `${authUrl}/`),
    at('about-data', `${authUrl}/about/data`),
    state('privacy-notice', async page => {
      await behindTheScenes(world.service, ({ privacyNotices }) =>
        privacyNotices.set(10000001, {
          url: '',
          content: 'We read your application.\n\nNo one else does.',
        }),
      )
      await page.goto(`${authUrl}/companies/10000001/privacy/1`)
    }),
    at('sign-in', `${authUrl}/sign-in`),
    at('sign-in-for-client', client.applyUrl()),
    ...furtherState('sign-in-refused', async page => {
      await page.goto(`${authUrl}/sign-in?continue=/account`)
      await fillSignIn(page, 'nobody@example.com')
      await page.getByRole('alert').waitFor()
    }),
    at('authorize-error', client.applyUrl({ client_id: 'nobody' })),
    ...further(at('demo-outbox-empty', `${baseUrl}/demo/outbox`)),
    at('docs', `${baseUrl}/docs`),
    ...some(4, [
      'share',
      'reference',
      'search',
      'changelog',
      'collect',
      'apply',
      'polling',
      'follow',
      'webhooks',
      'progress',
      'sdk',
      'errors',
      'limits',
      'samples',
    ]).map(page => at(`docs-${page}`, `${baseUrl}/docs/${page}`)),
    ...further(at('docs-sdk', `${baseUrl}/docs/sdk`)),
    at('docs-samples-csharp', `${baseUrl}/docs/samples/csharp`),
    ...further(at('docs-reference-schemas', `${baseUrl}/docs/reference/schemas`)),
    at('docs-reference-authorize', `${baseUrl}/docs/reference/authorize`),
    ...further(
      ...['prefill', 'intake-application', 'listApplications'].map(call =>
        at(`docs-reference-${call}`, `${baseUrl}/docs/reference/${call}`),
      ),
    ),
    ...further(
      at('docs-search-found', `${baseUrl}/docs/search?q=retry`),
      heavyState('docs-searching', async page => {
        // The index loads with the first search.
        await page.goto(`${baseUrl}/docs/collect?lang=python`)
        await page.keyboard.press('ControlOrMeta+K')
        await page.keyboard.type('retry')
        await page.getByRole('option').first().waitFor()
      }),
    ),
    at('sign-up', `${authUrl}/sign-up`),
    ...further(
      state('sign-up-refused', async page => {
        await page.goto(`${authUrl}/sign-up`)
        await page.getByLabel('First name').fill('Ann')
        await page.getByLabel('Last name').fill('Other')
        await page.getByLabel('Email address').fill('ann@example.org')
        await page.getByLabel('Password').fill('short')
        await press(page, 'Sign up')
        await page.getByRole('alert').waitFor()
      }),
      state('sign-up-mailed', async page => {
        await page.getByLabel('Password').fill('a long enough pass phrase')
        await press(page, 'Sign up')
        await page.getByRole('status').waitFor()
      }),
      state('unconfirmed', async page => {
        await page.goto(`${authUrl}/sign-in`)
        await fillSignIn(page, 'ann@example.org', 'a long enough pass phrase')
        await page.getByRole('alert').waitFor()
      }),
      state('confirm', async page => {
        // As in another browser than that of the sign-up.
        await page.context().clearCookies()
        await openMailed(world, page, '/confirm')
      }),
    ),
    at('open-link', `${authUrl}/confirm`),
    state('emailed-code', async page => {
      await page.goto(`${authUrl}/sign-in`)
      await page.getByLabel('Email address').fill(tom)
      await press(page, 'Email me a code')
      await page.getByLabel('Code from our email').waitFor()
    }),
    at('forgotten', `${authUrl}/forgotten`),
    state('forgotten-mailed', async page => {
      await page.getByLabel('Email address').fill(tom)
      await press(page, 'Send link')
      await page.getByRole('status').waitFor()
    }),
    { name: 'reset', open: page => openMailed(world, page, '/reset') },
    ...further(openedLink('link-gone', `${authUrl}/confirm#used`)),
    at('open-undo', `${authUrl}/undo`),
    ...further(openedLink('undo-gone', `${authUrl}/undo#used`)),
    at('confirm-again', `${authUrl}/confirm/again`),
    at('demo-outbox', `${baseUrl}/demo/outbox`),
    at('demo', `${baseUrl}/demo`),
    state('gallery', async page => {
      // Not a page of the service, but with its style sheets and scripts.
      const address = `${baseUrl}/gallery`
      await page.route(address, route => route.fulfill({ contentType: 'text/html', body: galleryPage() }))
      await page.goto(address)
    }),
    at('demo-events', `${baseUrl}/demo/events`),
    ...further(
      at('demo-application-none', `${baseUrl}/demo/application`),
      at('demo-callback-strange', `${baseUrl}/demo/callback?state=other`),
    ),
    at('jobs', `${baseUrl}/jobs`),
    ...further(
      at('jobs-found', `${baseUrl}/jobs?q=barista`),
      at('jobs-not-found', `${baseUrl}/jobs?q=nothing+like+it`),
      at('jobs-no-older', `${baseUrl}/jobs?before=1`),
    ),
    at('job', `${baseUrl}/jobs/31`),
    at('job-report', `${baseUrl}/jobs/31/report`),
    at('report-policy', `${baseUrl}/about/reports`),
    ...further(
      at('job-none', `${baseUrl}/jobs/999999`),
      openedLink('invitation-gone', `${authUrl}/invitations#used`),
    ),
    state('unsubscribe', async page => {
      const path = await behindTheScenes(world.service, ({ notifications }) =>
        notifications.unsubscribePath({ candidateId: maryId, topic: 'disclosures' }),
      )
      await page.goto(`${authUrl}${path}`)
    }),
    ...further(
      state('unsubscribed', async page => {
        await press(page, 'Stop these emails')
        await press(page, 'Turn these emails on again')
        await page.getByText('We’ll email you about').waitFor()
      }),
      at('unsubscribe-broken', `${authUrl}/unsubscribe/broken`),
    ),
    at('no-such-page', `${authUrl}/acount`),
  ]
}
