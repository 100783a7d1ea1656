import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser as Chromium, Page } from 'playwright-core'
import { readConfig } from '../../src/config.ts'
import { createPublicServer } from '../../src/servers.ts'
import { launchChromium } from '../harness/browser.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { authorizePath, Browser, doorOf } from '../harness/oauth.ts'
import { serverOptions } from '../harness/server.ts'
import { type Service, startServiceHere } from '../harness/service.ts'
import { type HostileWorld, linkToken, makeHostile } from './hostile-world.ts'
import { checkInspector, createInspector, type Sightings } from './page-inspection.ts'
import { type FreeTextName, freeTexts, otherColumns } from './text-columns.ts'

interface Visits {
  /** By whoever is signed in to nothing. */
  stranger?: string[]
  /** By the candidate who is an admin as well. */
  person?: string[]
}

const home = '/console/10000001'
const everybody = (path: string): Visits => ({ stranger: [path], person: [path] })

/** Where each page of the service is looked at. Whoever adds a page adds it here. */
function visitsOf({ person, invitationToken, search }: HostileWorld & { search: string }) {
  const { candidateId, resumeId, applicationId } = person
  const consent = authorizePath({ prompt: 'consent' })
  const visits: Record<string, Visits> = {
    '/': everybody('/'),
    '/sign-in': { stranger: ['/sign-in', `/sign-in?continue=${search}`] },
    '/sign-up': { stranger: ['/sign-up'] },
    '/confirm': everybody(`/confirm?token=${linkToken('confirm')}`),
    '/confirm/again': { stranger: ['/confirm/again'] },
    '/forgotten': { stranger: ['/forgotten'] },
    '/reset': { stranger: [`/reset?token=${linkToken('reset')}`] },
    '/goodbye': { stranger: ['/goodbye'] },
    '/api/iam/oauth2/authorize': {
      stranger: [consent, authorizePath({ client_id: 'demo-ats', redirect_uri: search })],
      person: [consent, authorizePath({ advertiser_id: '10000001', prompt: 'consent', state: search })],
    },
    '/account': { person: ['/account'] },
    '/account/security': { person: ['/account/security'] },
    '/account/data': { person: ['/account/data'] },
    '/account/data/delete': { person: ['/account/data/delete'] },
    '/account/resumes': { person: ['/account/resumes'] },
    '/account/resumes/delete': { person: [`/account/resumes/delete?resume=${resumeId}`] },
    '/account/resumes/:resumeId': { person: [`/account/resumes/${resumeId}`] },
    '/account/sharing': { person: ['/account/sharing'] },
    '/account/applications': { person: ['/account/applications'] },
    '/account/applications/:applicationId': { person: [`/account/applications/${applicationId}`] },
    '/jobs': { stranger: ['/jobs', `/jobs?q=${search}`, '/jobs?q=zq'] },
    '/jobs/:jobAdId': everybody('/jobs/31'),
    '/jobs/:jobAdId/apply': { person: ['/jobs/31/apply', '/jobs/32/apply'] },
    '/invitations': everybody(`/invitations?token=${invitationToken}`),
    '/console': { person: ['/console'] },
    '/console/:advertiserId': { person: [home] },
    '/console/:advertiserId/people': { person: [`${home}/people`] },
    '/console/:advertiserId/people/:personId/remove': {
      person: [`${home}/people/${candidateId}/remove`],
    },
    '/console/:advertiserId/people/leave': { person: [`${home}/people/leave`] },
    '/console/:advertiserId/access': { person: [`${home}/access`] },
    '/console/:advertiserId/access/new-credential': { person: [`${home}/access/new-credential`] },
    '/console/:advertiserId/access/credentials/:credentialId/revoke': {
      person: [`${home}/access/credentials/:credentialId/revoke`],
    },
    '/console/:advertiserId/access/new-agent': { person: [`${home}/access/new-agent`] },
    '/console/:advertiserId/access/agents/:agentId/withdraw': {
      person: [`${home}/access/agents/20000001/withdraw`],
    },
    '/console/:advertiserId/jobs': { person: [`${home}/jobs`] },
    '/console/:advertiserId/jobs/new': { person: [`${home}/jobs/new`] },
    '/console/:advertiserId/jobs/:jobAdId': { person: [`${home}/jobs/31`] },
    '/console/:advertiserId/screens': { person: [`${home}/screens`] },
    '/console/:advertiserId/screens/new': { person: [`${home}/screens/new`] },
    '/console/:advertiserId/screens/:screenId': { person: [`${home}/screens/501`, `${home}/screens/503`] },
    '/console/:advertiserId/screens/:screenId/preview': {
      person: [`${home}/screens/501/preview`, `${home}/screens/503/preview`],
    },
    '/console/:advertiserId/applications': {
      person: [`${home}/applications`, `${home}/applications?q=${search}`, `${home}/applications?q=zq&ad=31`],
    },
    '/console/:advertiserId/applications/:applicationId': {
      person: [1, 5, 6, 7, applicationId].map(id => `${home}/applications/${id}`),
    },
    '/demo': { stranger: ['/demo', `/demo?error=${search}`] },
    '/demo/application': { stranger: ['/demo/application'] },
    '/demo/callback': { stranger: [`/demo/callback?state=${search}&error=${search}`] },
    '/demo/components': { stranger: ['/demo/components'] },
    '/demo/outbox': { stranger: ['/demo/outbox'] },
  }
  return visits
}

/** Files and tables to download, what only takes forms, and texts of ours, in which nothing of anybody stands. */
const noVisit = [
  '/account/resumes/default',
  '/account/resumes/file/:resumeId',
  '/account/resumes/file/:resumeId/text',
  '/account/resumes/upload',
  '/console/:advertiserId/applications.csv',
  '/console/:advertiserId/applications/:applicationId/files/:type',
  '/console/:advertiserId/applications/:applicationId/files/:type/text',
  '/docs',
  '/docs/apply',
  '/docs/collect',
  '/docs/errors',
  '/docs/limits',
  '/docs/polling',
  '/docs/reference',
  '/docs/samples',
  '/docs/samples/:language',
  '/docs/share',
]

/** What no page shows, and why that is right. */
const notShown: Partial<Record<FreeTextName, string>> = {}

const size = { width: 1280, height: 800 }

describe('a world in which every text is hostile', () => {
  let chromium: Chromium
  let database: TestDatabase
  let service: Service
  let world: HostileWorld
  let person: Browser
  let routes: string[]
  let credentialId: string
  const seen: Sightings = new Map()

  before(async () => {
    database = await createTestDatabase('sqlite', 'demo')
    const services = await open(database.settings)
    try {
      world = await makeHostile(services)
      routes = await pageRoutes(services, database)
      credentialId = (await services.credentials.list(10000001))[0]?.id ?? ''
    } finally {
      await services.close()
    }
    service = await startServiceHere(database)
    person = new Browser(doorOf(service))
    await person.signIn(world.person.email)
    chromium = await launchChromium()
  })
  after(async () => {
    await chromium.close()
    await service.stop()
    await database.remove()
  })

  const search = () => encodeURIComponent('"><script>alert(4)</script> \u202Eשלום')
  const visits = () => visitsOf({ ...world, search: search() })

  async function lookAt(who: keyof Visits): Promise<void> {
    const context = await chromium.newContext({ viewport: size })
    const faults: string[] = []
    try {
      if (who === 'person') {
        const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: service.baseUrl }))
        await context.addCookies(cookies)
      }
      const page = await context.newPage()
      let at = ''
      watch(page, fault => faults.push(`${at}: ${fault}`))
      const look = createInspector(world)
      for (const path of Object.values(visits()).flatMap(visit => visit[who] ?? [])) {
        at = path.replace(':credentialId', credentialId)
        const answer = await page.goto(service.baseUrl + at, { waitUntil: 'load' })
        assert.ok((answer?.status() ?? 0) < 500, `${path}: ${answer?.status()}`)
        faults.push(...(await look(page, path, seen)))
      }
    } finally {
      await context.close()
    }
    assert.equal(faults.join('\n'), '')
  }

  test('the inspection would find fault', async () => {
    const page = await chromium.newPage({ viewport: size })
    await checkInspector(page)
    await page.close()
  })

  test('every column of text is on one of the two lists', async () => {
    const services = await open(database.settings)
    const tables = await services.database.reader.introspection.getTables()
    await services.close()
    const found = tables
      .filter(({ name }) => !/^(schema_migrations|counters)/.test(name))
      .flatMap(({ name, columns }) =>
        columns.filter(({ dataType }) => /text/i.test(dataType)).map(column => `${name}.${column.name}`),
      )
    const listed = [...Object.keys(freeTexts), ...Object.keys(otherColumns)].map(name =>
      name.split('.').slice(0, 2).join('.'),
    )
    assert.deepEqual(found.toSorted(), [...new Set(listed)].toSorted())
    // Nothing is left as it was: each was met with at least once.
    assert.deepEqual(
      [...world.values.values()].map(({ column }) => column).toSorted(),
      Object.keys(freeTexts).toSorted(),
    )
  })

  test('every page is looked at', () => {
    assert.deepEqual(routes, [...Object.keys(visits()), ...noVisit].toSorted())
  })

  test('pages for strangers show it as text, and keep their layout', () => lookAt('stranger'))
  test('pages of a candidate and of an advertiser show it as text, and keep their layout', () =>
    lookAt('person'))

  test('every text was seen on a page, but for these', () => {
    const unseen = [...world.values].filter(([mark]) => !seen.has(mark)).map(([, { column }]) => column)
    assert.deepEqual(unseen.toSorted(), Object.keys(notShown).toSorted())
  })
})

/** Whatever the browser does that it should not. */
function watch(page: Page, tell: (fault: string) => void): void {
  page.on('dialog', dialog => {
    tell(`a script said ${dialog.message()}`)
    return dialog.dismiss()
  })
  page.on('console', message => {
    // A page that answers 404 is one that was asked for.
    if (!/the server responded with a status of 4\d\d/.test(message.text())) tell(message.text())
  })
  page.on('pageerror', error => tell(error.message))
  page.on('request', request => {
    if (new URL(request.url()).origin !== new URL(page.url()).origin && page.url() !== 'about:blank') {
      tell(`asked for ${request.url()}`)
    }
  })
}

async function pageRoutes(services: Awaited<ReturnType<typeof open>>, { settings }: TestDatabase) {
  const found = new Set<string>()
  const { app } = await createPublicServer(readConfig(settings), services, {
    ...serverOptions(),
    isDemo: true,
    async beforeRoutes(instance) {
      instance.addHook('onRoute', ({ method, url, config }) => {
        if ([method].flat().includes('GET') && (config?.errors === 'page' || url === '/')) found.add(url)
      })
    },
  })
  await app.close()
  return [...found].toSorted()
}
