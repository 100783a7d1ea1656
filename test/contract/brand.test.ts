import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { maryId, noraId } from '../../src/demo/world/world.ts'
import { pageRoutes } from '../browser/page-routes.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, consentForm, doorOf, isConsentPage, localPath, mary } from '../harness/oauth.ts'
import { type Service, startServiceHere } from '../harness/service.ts'
import { behindTheScenes, partsOf } from './apply-form.ts'

const name = 'Quay & <b>Sons</b>'
const shown = 'Quay &amp; &lt;b&gt;Sons&lt;/b&gt;'
/** The only place where a page of a board names the software that it runs on. */
const footer = '<p class="powered">Powered by Dossier</p>'
/** They are about the software: what is new in it, and its packages. */
const aboutSoftware = ['/docs/changelog', '/docs/sdk']

/** Addresses that lead to other pages, those of the journeys below, and files, which have no page around them. */
const withoutPage = [
  '/account/applications/:applicationId/documents',
  '/account/applications/:applicationId/withdraw',
  '/account/applications/drafts/discard',
  '/account/resumes/default',
  '/account/resumes/delete',
  '/account/resumes/upload',
  '/api/iam/oauth2/authorize',
  '/console/:advertiserId',
  '/console/:advertiserId/screens/:screenId/preview',
  '/demo/application',
  '/demo/callback',
  '/jobs/:jobAdId/apply/draft',
  '/sign-in/email/code',
  '/account/resumes/file/:resumeId/text',
  '/account/applications/:applicationId/files/:type/text',
  '/console/:advertiserId/applications/:applicationId/files/:type/text',
]
const known: Record<string, string> = {
  advertiserId: '10000001',
  agentId: '20000001',
  personId: noraId,
  applicationId: '1',
  type: 'resume',
}

describe('a board with another name, logo and colour', () => {
  let database: TestDatabase
  let service: Service
  let folder: string
  const newBrowser = () => new Browser(doorOf(service))
  /** A stranger, a candidate and an admin, and the links that each has seen. */
  const browsers = new Map<Browser, Set<string>>()

  before(async () => {
    database = await createTestDatabase('sqlite', 'demo')
    folder = await mkdtemp(join(tmpdir(), 'dossier-brand-'))
    const logo = join(folder, 'logo.svg')
    await writeFile(
      logo,
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>',
    )
    const env = {
      BOARD_NAME: name,
      BOARD_LOGO: logo,
      BOARD_COLOUR: '#7a1f5c',
      BOARD_PRIVACY_URL: 'https://quay.example/privacy',
      BOARD_TERMS_URL: 'https://quay.example/terms',
    }
    service = await startServiceHere(database, { env })
    const path = await behindTheScenes(service, ({ notifications }) =>
      notifications.unsubscribePath({ candidateId: maryId, topic: 'receipts' }),
    )
    known['token'] = path.slice(path.lastIndexOf('/') + 1)
    known['endpointId'] = await behindTheScenes(service, async ({ webhooks }) => {
      const fields = { types: ['application.created'], description: '', scheme: 'v1' as const }
      const owner = { advertiserId: 10000001 }
      return (await webhooks.add(owner, { url: 'https://receiver.example/hook', ...fields })).endpoint.id
    })
    known['version'] = '1'
    await behindTheScenes(service, ({ privacyNotices }) =>
      privacyNotices.set(10000001, { url: '', content: 'We read your application.' }),
    )
    known['clientId'] = 'demo-ats'
    known['webhookId'] = await behindTheScenes(service, async ({ webhooks }) => {
      const fields = { types: ['application.created'], description: '', scheme: 'v1' as const }
      const owner = { agentId: 20000001 }
      return (await webhooks.add(owner, { url: 'https://receiver.example/hook', ...fields })).endpoint.id
    })
    for (const email of [undefined, mary, 'rae@example.com', 'nora@example.com']) {
      const browser = newBrowser()
      browsers.set(browser, new Set())
      if (email !== undefined) await browser.signIn(email)
    }
  })

  after(async () => {
    await service?.stop()
    await database?.remove()
    await rm(folder, { recursive: true })
  })

  function assertBranded(path: string, { text }: { text: string }) {
    const shown = text.replace(footer, '')
    // Looked for first: on a long page the pattern alone takes seconds.
    if (shown.includes('Dossier') && !aboutSoftware.includes(path))
      assert.fail(`${path}: ${shown.match(/.{0,80}Dossier.{0,80}/g)}`)
    assert.ok(!text.includes('<b>Sons'), path)
  }

  async function see(browser: Browser, path: string) {
    const answer = await browser.get(path, { accept: 'text/html' })
    assertBranded(path, answer)
    const links = [...answer.text.matchAll(/(?:href|src|action)="([^"?#]+)/g)].map(([, link]) => String(link))
    browsers.set(browser, new Set([...(browsers.get(browser) ?? []), ...links]))
    return answer
  }

  // Those with parameters last, because the pages before them link to them.
  const depth = (route: string) => route.split(':').length * 1000 + route.length
  for (const route of Object.values(pageRoutes)
    .flat()
    // Their only visitor has a second factor; they show a third party's name to no one.
    .filter(route => !route.startsWith('/operator'))
    .sort((a, b) => depth(a) - depth(b))) {
    test(`${route} shows its name only`, async () => {
      let isSeen = withoutPage.includes(route)
      const pattern = new RegExp(`^${route.replace(/:\w+/g, '[\\w-]+')}$`)
      for (const [browser, links] of browsers) {
        const path =
          [...links].find(link => pattern.test(link)) ??
          route.replace(/:(\w+)/g, (whole, parameter) => known[parameter] ?? whole)
        const { status, text } = await see(browser, path)
        isSeen ||= status === 200 && (!text.includes('<title>Sign in · ') || route === '/sign-in')
      }
      assert.ok(isSeen, 'no visitor sees this page')
    })
  }

  test('the pages of sharing and deleting show its name only', async () => {
    const browser = newBrowser()
    const press = async (page: Answer, action: string, button?: [string, string]) => {
      let answer = await browser.submit(formTo(action, page.text), button && { button })
      while (answer.status === 303) answer = await see(browser, localPath(answer))
      return answer
    }
    await browser.signIn()
    const start = await see(browser, '/demo')
    assert.ok(start.text.includes(`Apply with ${shown}`))
    const consent = await press(start, '/demo/apply')
    assert.ok(isConsentPage(consent), consent.text)
    const filled = await press(consent, consentForm(consent).action, ['decision', 'allow'])
    const thanks = await press(filled, '/demo/submit')
    assert.match(thanks.text, /your application was sent/)
    assertBranded('/goodbye', await see(browser, '/goodbye'))
  })

  test('the pages of codes in emails and of drafts show its name only', async () => {
    const browser = newBrowser()
    const form = await browser.form('/sign-in')
    const asked = await browser.submit({ ...form, action: '/sign-in/email' }, { fields: { email: mary } })
    assert.match((await see(browser, localPath(asked))).text, /Enter the code from our email/)
    await browser.signIn()
    const path = '/jobs/32/apply'
    const draft = partsOf(await browser.form(path), {})
    assert.equal((await browser.upload(`${path}/draft`, draft)).status, 303)
    const list = await see(browser, '/account/applications')
    const [discard = ''] = /\/account\/applications\/drafts\/discard\?[^"]+/.exec(list.text) ?? []
    assert.match((await see(browser, discard)).text, /Discard/)
  })

  test('sign-up names the terms and the privacy notice', async () => {
    const { text } = await newBrowser().get('/sign-up')
    assert.ok(text.includes('By signing up, you accept the <a href="https://quay.example/terms">terms</a>.'))
    assert.ok(text.includes('<a href="https://quay.example/privacy">privacy notice</a>'))
  })
})
