import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser as Chromium, Page } from 'playwright-core'
import { createPublicServer } from '../../src/assembly/servers.ts'
import { readConfig } from '../../src/settings.ts'
import { type SampleForm, sampleForms } from '../contract/held-form-samples.ts'
import { launchChromium } from '../harness/browser.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { formBody } from '../harness/html-form.ts'
import { authorizeEndpoint, authorizePath, Browser, doorOf } from '../harness/oauth.ts'
import { serverOptions } from '../harness/server.ts'
import { type Service, startServiceHere } from '../harness/service.ts'
import { appOf } from '../harness/services.ts'
import { agentVisits } from './agent-visits.ts'
import { checkCsv, checkVersion1, listPath } from './hostile-answers.ts'
import { hostileText } from './hostile-text.ts'
import { type HostileWorld, linkToken, makeHostile } from './hostile-world.ts'
import { checkInspector, createInspector, desktop, phone, type Sightings } from './page-inspection.ts'
import { type FreeTextName, freeTexts, otherColumns } from './text-columns.ts'

interface Visits {
  /** For a visitor who is not signed in. */
  stranger?: string[]
  /** By the candidate who is an admin as well. */
  person?: string[]
}

const home = '/console/10000001'
const ownPages =
  'confirm data data/delete security security/two-step security/two-step/app security/two-step/passkey'.split(
    ' ',
  )
const everybody = (path: string): Visits => ({ stranger: [path], person: [path] })

/** Where each page of the service is checked. If you add a page, add it here. */
function visitsOf({ person, invitationToken, search }: HostileWorld & { search: string }) {
  const { candidateId, resumeId, applicationId, endpointId, webhookId } = person
  const consent = authorizePath({ prompt: 'consent' })
  const visits: Record<string, Visits> = {
    '/': everybody('/'),
    '/sign-in': { stranger: ['/sign-in', `/sign-in?continue=${search}`] },
    '/sign-up': { stranger: ['/sign-up'] },
    '/confirm': everybody(`/confirm#${linkToken('confirm')}`),
    '/confirm/again': { stranger: ['/confirm/again'] },
    '/forgotten': { stranger: ['/forgotten'] },
    '/reset': { stranger: [`/reset#${linkToken('reset')}`] },
    '/undo': { stranger: [`/undo#${linkToken('undo')}`] },
    '/goodbye': { stranger: ['/goodbye'] },
    '/api/iam/oauth2/authorize': {
      stranger: [consent, authorizePath({ client_id: 'demo-ats', redirect_uri: search })],
      person: [consent, authorizePath({ advertiser_id: '10000001', prompt: 'consent', state: search })],
    },
    '/account': { person: ['/account'] },
    '/account/profile/about': { person: ['/account/profile/about'] },
    '/account/profile/skills': { person: ['/account/profile/skills'] },
    '/account/profile/job': { person: ['/account/profile/job'] },
    '/account/profile/country': { person: ['/account/profile/country'] },
    ...Object.fromEntries(ownPages.map(page => [`/account/${page}`, { person: [`/account/${page}`] }])),
    '/account/resumes': { person: ['/account/resumes'] },
    '/account/resumes/delete': { person: [`/account/resumes/delete?resume=${resumeId}`] },
    '/account/resumes/:resumeId': { person: [`/account/resumes/${resumeId}`] },
    '/account/sharing': { person: ['/account/sharing'] },
    '/account/applications': { person: ['/account/applications'] },
    '/account/applications/:applicationId': { person: [`/account/applications/${applicationId}`] },
    '/account/applications/:applicationId/documents': {
      person: [`/account/applications/${applicationId}/documents`],
    },
    '/account/applications/:applicationId/withdraw': {
      person: [`/account/applications/${applicationId}/withdraw`],
    },
    '/account/notifications': { person: ['/account/notifications'] },
    '/unsubscribe/:token': { stranger: [`/unsubscribe/${search}`] },
    '/jobs': { stranger: ['/jobs', `/jobs?q=${search}`, '/jobs?q=zq'] },
    '/jobs/:jobAdId': everybody('/jobs/31'),
    '/jobs/:jobAdId/report': everybody('/jobs/31/report'),
    '/about/reports': everybody('/about/reports'),
    '/operator/reports/:jobAdId': { person: ['/operator/reports/31', '/operator/reports/33'] },
    '/jobs/:jobAdId/apply': { person: ['/jobs/31/apply', '/jobs/32/apply', '/jobs/999/apply'] },
    '/invitations': everybody(`/invitations#${invitationToken}`),
    '/operator': { person: ['/operator'] },
    ...Object.fromEntries(
      'audit backups clients companies files lookup mail nodes people reports settings webhooks work'
        .split(' ')
        .map(page => [`/operator/${page}`, { person: [`/operator/${page}`] }]),
    ),
    '/operator/clients/:clientId': { person: ['/operator/clients/demo-ats'] },
    '/operator/companies/:advertiserId': { person: ['/operator/companies/10000001'] },
    '/operator/join': { stranger: ['/operator/join'] },
    ...agentVisits(candidateId, webhookId),
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
    '/console/:advertiserId/events': { person: [`${home}/events`] },
    '/console/:advertiserId/events/log': {
      person: [`${home}/events/log`, `${home}/events/log?type=${search}`],
    },
    '/console/:advertiserId/events/new-endpoint': { person: [`${home}/events/new-endpoint`] },
    '/console/:advertiserId/events/endpoints/:endpointId': {
      person: [`${home}/events/endpoints/${endpointId}`],
    },
    '/console/:advertiserId/events/endpoints/:endpointId/rotate': {
      person: [`${home}/events/endpoints/${endpointId}/rotate`],
    },
    '/console/:advertiserId/events/endpoints/:endpointId/remove': {
      person: [`${home}/events/endpoints/${endpointId}/remove`],
    },
    '/console/:advertiserId/access/new-agent': { person: [`${home}/access/new-agent`] },
    '/console/:advertiserId/applications/answer-days': { person: [`${home}/applications/answer-days`] },
    '/console/:advertiserId/applications/time-zone': { person: [`${home}/applications/time-zone`] },
    '/console/:advertiserId/audit': { person: [`${home}/audit?action=${search}&before=${search}`] },
    '/console/:advertiserId/privacy': { person: [`${home}/privacy`] },
    '/companies/:advertiserId/privacy/:version': { person: ['/companies/10000001/privacy/1'] },
    '/console/:advertiserId/telling': { person: [`${home}/telling`] },
    '/console/:advertiserId/retention': {
      person: [`${home}/retention`, `${home}/retention?months=6&done=${search}`],
    },
    '/console/:advertiserId/applications/:applicationId/hold': { person: [`${home}/applications/1/hold`] },
    '/console/:advertiserId/notifications': { person: [`${home}/notifications`] },
    '/console/:advertiserId/logo': { person: [`${home}/logo`, `${home}/logo?done=${search}`] },
    '/console/:advertiserId/access/agents/:agentId/progress': {
      person: [`${home}/access/agents/20000001/progress`],
    },
    '/console/:advertiserId/access/agents/:agentId/withdraw': {
      person: [`${home}/access/agents/20000001/withdraw`],
    },
    '/console/:advertiserId/ads': { person: [`${home}/ads`] },
    '/console/:advertiserId/ads/:jobAdId': { person: [`${home}/ads/31`] },
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
    '/demo/events': { stranger: ['/demo/events'] },
    '/demo/outbox': { stranger: ['/demo/outbox'] },
    '/demo/outbox/:mailId': { stranger: [] },
  }
  return visits
}

/** Files and tables to download, routes that only take forms, and texts of ours without any user's data. */
const noVisit = [
  '/account/applications/drafts/discard',
  '/jobs/:jobAdId/apply/draft',
  '/about/data',
  '/sign-in/email/code',
  '/account/applications/:applicationId/files/:type',
  '/account/applications/:applicationId/files/:type/text',
  '/account/resumes/default',
  '/account/resumes/file/:resumeId',
  '/account/resumes/file/:resumeId/text',
  '/account/resumes/upload',
  '/console/:advertiserId/applications.csv',
  '/console/:advertiserId/jobs/versions.csv',
  '/console/:advertiserId/applications/:applicationId/files.zip',
  '/console/:advertiserId/applications/:applicationId/files/:type',
  '/console/:advertiserId/applications/:applicationId/files/:type/text',
  '/docs',
  '/docs/apply',
  '/docs/changelog',
  '/docs/collect',
  '/docs/errors',
  '/docs/limits',
  '/docs/polling',
  '/docs/follow',
  '/docs/webhooks',
  '/docs/progress',
  '/docs/sdk',
  '/docs/reference',
  '/docs/reference/:operationId',
  '/docs/samples',
  '/docs/samples/:language',
  '/docs/search',
  '/docs/share',
  '/operator/clients/changes/:changeId/image',
]

/** Pages that report a fault of the address. */
const statusOf = (path: string) => {
  if (path.startsWith(`${authorizeEndpoint}?client_id=demo-ats&redirect_uri=%2522`)) return 400
  if (path === '/demo/application' || path.startsWith('/unsubscribe/')) return 404
  return path.startsWith('/demo/callback') ? 400 : 200
}

const forPrograms = 'for programs, which get it as it was written'
const inOwnData = 'a part of the download of all data, for the candidate alone'
const notShown: Partial<Record<FreeTextName, string>> = {
  'account_links.first_name': 'the name of the account, once the link was used',
  'account_links.last_name': 'the name of the account, once the link was used',
  'application_screens.details.reference': forPrograms,
  'application_screens.json.answer.id': forPrograms,
  'application_screens.json.id': forPrograms,
  'application_screens.json.question.id': forPrograms,
  'applications.job_seeker_id': forPrograms,
  'prefilled_applications.form_url': inOwnData,
  'prefilled_applications.position_reference': inOwnData,
  'prefilled_applications.position_uri': inOwnData,
  'prefilled_applications.postal_code': inOwnData,
}

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
    // Without background work: emails that it sends have their own form, which mail tests check.
    service = await startServiceHere(database, { env: { WORK: 'elsewhere' } })
    person = new Browser(doorOf(service))
    await person.signIn(world.person.email)
    // Later, because it would be the second step of the sign-in.
    const later = await open(database.settings)
    const owner = { candidate_id: world.person.candidateId }
    await later.database.writer.updateTable('passkeys').set(owner).execute()
    await later.close()
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
    const context = await chromium.newContext({ viewport: phone })
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
        assert.equal(answer?.status(), statusOf(path), path)
        // The script of the page sends the part after the #.
        if (path.includes('#')) await page.locator('[data-opens-link]').waitFor({ state: 'detached' })
        faults.push(...(await look(page, path, seen)))
      }
      if (who === 'person') {
        at = 'the form of a third party'
        await page.goto(`${service.baseUrl}/demo`)
        await page.getByRole('button', { name: 'Apply with Dossier' }).first().click()
        await page.getByRole('button', { name: 'Allow', exact: true }).click()
        await page.waitForURL(`${service.baseUrl}/demo/application`)
        faults.push(...(await look(page, at, seen)))
      }
    } finally {
      await context.close()
    }
    assert.equal(faults.join('\n'), '')
  }

  test('the inspection finds faults', async () => {
    const page = await chromium.newPage({ viewport: desktop })
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
    // No text is unchanged: each was seen at least once.
    assert.deepEqual(
      [...world.values.values()].map(({ column }) => column).toSorted(),
      Object.keys(freeTexts).toSorted(),
    )
  })

  test('every page is inspected', () => {
    assert.deepEqual(routes, [...Object.keys(visits()), ...noVisit].toSorted())
  })

  test('pages for strangers show it as text, and keep their layout', () => lookAt('stranger'))
  test('pages of a candidate and of an advertiser show it as text, and keep their layout', () =>
    lookAt('person'))

  test('the text of a rejected form comes back as text', async () => {
    const context = await chromium.newContext({ viewport: desktop })
    const typed = hostileText('zq009zq', 500)
    const look = createInspector({
      // The header names who is signed in.
      values: new Map([
        ...world.values,
        ['zq009zq', { column: 'applications.phone', texts: new Set([typed]) }],
      ]),
    })
    const faults: string[] = []
    const shown: Sightings = new Map()
    const page = await context.newPage()
    watch(page, fault => faults.push(`${page.url()}: ${fault}`))
    // They all come back on the same page.
    const urls = [
      '/sign-up',
      '/account/profile/about',
      '/console/:advertiserId/people',
      '/console/:advertiserId/jobs/new',
    ]
    const forms = urls.map(url => sampleForms[url] as SampleForm)
    for (const { path, fields } of forms) {
      const names = Object.keys({ ...fields, note: '' }).filter(name => !/^(form_key|action|do)$/.test(name))
      const body = formBody([...names.map(name => [name, typed] as const), ['form_token', 'made up']])
      const answer = await person.send('POST', path, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
        body,
      })
      assert.equal(answer.status, 403, path)
      await page.route(`${service.baseUrl}${path}`, route =>
        route.fulfill({ headers: Object.fromEntries(answer.headers), body: answer.text }),
      )
      await page.goto(service.baseUrl + path)
      faults.push(...(await look(page, path, shown)))
    }
    await context.close()
    assert.equal(shown.get('zq009zq')?.size, forms.length)
    assert.equal(faults.join('\n'), '')
  })

  test('version 1 and the table for spreadsheets have the original text, and nothing else', async () => {
    const texts = new Set([...world.values.values()].flatMap(each => [...each.texts]))
    const isKnown = (text: string) => texts.has(text)
    await checkVersion1(service, `${listPath}?include=primaryjobseekinginfo`, isKnown)
    await checkVersion1(service, `${listPath}/screen/1`, isKnown)
    await checkCsv(person, `${home}/applications.csv`, isKnown)
  })

  test('every text was seen on a page, except for these', () => {
    const unseen = [...world.values].filter(([mark]) => !seen.has(mark)).map(([, { column }]) => column)
    assert.deepEqual(unseen.toSorted(), Object.keys(notShown).toSorted())
  })
})

/** Everything that the browser does and should not. */
function watch(page: Page, tell: (fault: string) => void): void {
  page.on('dialog', dialog => {
    tell(`a script said ${dialog.message()}`)
    return dialog.dismiss()
  })
  page.on('console', message => {
    // A page that answers 404 was requested all the same.
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
  const { app } = await createPublicServer(readConfig(settings), appOf(services), {
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
