import { readFileSync } from 'node:fs'
import { callsOf, type OpenApiDocument } from '../src/site/docs/reference/openapi.ts'
import { sampleLanguages } from '../src/site/docs/sample-list.ts'
import { createTestServer } from '../test/harness/server.ts'
import { openForBench, type Settings } from './bench-services.ts'
import { type PageWorld, rareEmail } from './page-world.ts'

/** A page that a browser requests by its address. */
export interface Visit {
  name: string
  path: string
  /** 303 if a page only redirects to another. */
  status: 200 | 303
  /** A file that a page shows or offers has no layout; of an endless one, only the beginning counts. */
  kind: 'page' | 'file' | 'stream'
  /** Shown only to signed-in people, to everyone, or only to people who are not signed in. */
  audience: 'members' | 'everybody' | 'strangers'
}

const openapi: OpenApiDocument = JSON.parse(
  readFileSync(new URL('../spec/openapi.json', import.meta.url), 'utf8'),
)
const files = /\/applications\.csv$|\/image$|\/files\.zip$|\/files?\/:/
const forStrangers = ['/sign-in', '/sign-up']
const leadingOn = [
  '/account/resumes/upload',
  '/account/resumes/default',
  '/account/applications/:applicationId/documents',
  '/account/applications/:applicationId/withdraw',
  '/account/applications/drafts/discard',
  '/jobs/:jobAdId/apply/draft',
]
const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** Named queries for a page; a page without an entry is requested without a query. */
function variantsOf({ parameters, middle, authorizeQuery }: PageWorld): Record<string, Variants> {
  return {
    '/api/iam/oauth2/authorize': { '': authorizeQuery },
    '/jobs': {
      '': '',
      'found by two words': 'q=nurse+sydney',
      'nothing found': 'q=nothing+like+it',
      'half-way': `before=${middle.jobAd}`,
      'of one workplace': 'workplace=hybrid',
      'with pay, of one type': 'pay=yes&type=INTERN',
    },
    '/docs/search': { '': '', found: 'q=retry' },
    '/account/applications': { '': '', 'half-way': `before=${middle.ownApplication}` },
    '/account/sharing': { '': '', 'half-way': `before=${middle.disclosure}` },
    '/account/resumes/delete': { '': `resume=${parameters['resumeId']}` },
    '/console/:advertiserId/jobs': {
      '': '',
      'half-way': 'before=150',
      open: 'state=open',
      closed: 'state=closed',
    },
    '/console/:advertiserId/applications': {
      newest: '',
      'half-way': `before=${middle.application}`,
      'half-way, upwards': `after=${middle.application}`,
      'the last pages': `before=${middle.oldApplication}`,
      'name that many have': 'q=smith',
      'name that many have, half-way': `q=smith&before=${middle.application}`,
      'one letter': 'q=o',
      'reference of 1 in 400': 'q=REF-2026-0042',
      'the last ones of a reference': `q=REF-2026-0042&before=${middle.oldApplication}`,
      'address of one': `q=${rareEmail}`,
      'name without matches': 'q=zebedee',
      unread: 'status=new',
      'unread, half-way': `status=new&before=${middle.application}`,
      'without any of this status': 'status=hired',
      'unread first': 'order=unread',
      'ad and unread': 'ad=7&status=new',
      'name and unread': 'q=smith&status=new',
      'passed and unread': 'screen=passed&status=new',
      'one ad': 'ad=7',
      'one ad, half-way': `ad=7&before=${middle.application}`,
      'ad without applications': 'ad=299',
      passed: 'screen=passed',
      failed: 'screen=failed',
      'ad and passed': 'ad=7&screen=passed',
      'ad and failed, half-way': `ad=7&screen=failed&before=${middle.application}`,
      virus: 'virus=yes',
      'ad, failed and virus': 'ad=7&screen=failed&virus=yes',
      'some days': `from=${dayAgo(40)}&to=${dayAgo(30)}`,
      'before any': `to=${dayAgo(400)}`,
      'name and ad': 'q=smith&ad=7',
      'name, ad, passed, some days': `q=smith&ad=7&screen=passed&from=${dayAgo(40)}&to=${dayAgo(30)}`,
      'name and virus': 'q=smith&virus=yes',
      'reference and failed': 'q=REF-2026-0042&screen=failed',
      'reference of other ads': 'q=REF-2026-0042&ad=7',
      'name without matches and failed': 'q=zebedee&screen=failed',
    },
    '/console/:advertiserId/jobs/versions.csv': { 'first byte': '' },
    '/console/:advertiserId/applications.csv': {
      'first byte': '',
      'of a name, first byte': 'q=smith',
      'of one': `q=${rareEmail}`,
    },
  }
}

/** By name: the query. */
type Variants = Record<string, string>

/** Every page of the routes, so that none can be forgotten. */
export async function visitsOf(settings: Settings, world: PageWorld): Promise<Visit[]> {
  const variants = variantsOf(world)
  const routes = await pageRoutes(settings)
  const unknown = Object.keys(variants).filter(url => !routes.some(route => route.url === url))
  if (unknown.length > 0) throw new Error(`there are no such pages: ${unknown.join(', ')}`)
  const parameters = {
    language: sampleLanguages,
    operationId: callsOf(openapi).map(({ operationId }) => operationId),
    ...world.parameters,
  }
  return routes.flatMap(({ url, isPublic }) =>
    placesOf(url, parameters).flatMap(({ name, path }) =>
      Object.entries(variants[url] ?? { '': '' }).map(
        ([variant, query]): Visit => ({
          name: variant === '' ? name : `${name}: ${variant}`,
          path: query === '' ? path : `${path}?${query}`,
          status: leadingOn.includes(url) ? 303 : 200,
          kind: variant.endsWith('first byte') ? 'stream' : files.test(url) ? 'file' : 'page',
          audience: !isPublic ? 'members' : forStrangers.includes(url) ? 'strangers' : 'everybody',
        }),
      ),
    ),
  )
}

async function pageRoutes(settings: Settings): Promise<{ url: string; isPublic: boolean }[]> {
  await using services = await openForBench(settings)
  const { app, routes } = await createTestServer(services, settings)
  await app.close()
  return routes
    .filter(({ method, url, config }) => {
      // The home page also serves programs, and so responds to errors in their format.
      return [method].flat().includes('GET') && (config?.errors === 'page' || url === '/')
    })
    .map(({ url, config }) => ({ url, isPublic: config?.auth === 'public' }))
}

/** With values in place of parameters; one of several queries also has its name. */
function placesOf(
  url: string,
  parameters: Record<string, string | readonly string[]>,
): { name: string; path: string }[] {
  let places = [{ name: url, path: url }]
  for (const [, parameter = ''] of url.matchAll(/:(\w+)/g)) {
    const values = parameters[parameter]
    if (values === undefined) throw new Error(`nothing is known to ask ${url} with`)
    places = places.flatMap(({ name, path }) =>
      [values].flat().map(value => ({
        name: typeof values === 'string' ? name : name.replace(`:${parameter}`, value),
        path: path.replace(`:${parameter}`, value),
      })),
    )
  }
  return places
}
