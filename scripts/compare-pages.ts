/**
 * Compares the HTML of pages before and after a change:
 *
 *   npm run pages -- save       makes a demo world with its sessions, and saves every page of it
 *   npm run pages -- compare    opens the same world again, and prints every difference
 *   npm run pages -- compare --only /operator/mail --only /console    pages and forms below these paths
 *
 * The world is kept in test-results/pages (or in --folder), so IDs and times are the same in each run; the clock stands still.
 * Every role follows the links of its pages. Every form that was found is then sent three times, each in a fresh copy of
 * the world: empty, with nonsense, and filled in; the page that it leads to is compared, too. Values that are random in
 * each run (tokens, keys, new secrets and IDs) are replaced by their kind, and whitespace between tags is ignored.
 */
import '../test/harness/cheap-passwords.ts'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { RouteOptions } from 'fastify'
import {
  demoCandidates,
  harbourId,
  maryId,
  noraId,
  raeId,
  southernId,
  tomId,
} from '../src/demo/world/world.ts'
import { movableClock } from '../test/harness/clock.ts'
import { open } from '../test/harness/database.ts'
import { type Form, formsOf } from '../test/harness/html-form.ts'
import type { Answer } from '../test/harness/http.ts'
import { bodyOf, boundary } from '../test/harness/multipart.ts'
import { Browser, doorOf } from '../test/harness/oauth.ts'
import { createTestServer } from '../test/harness/server.ts'

const {
  values: { folder, only },
  positionals: [task],
} = parseArgs({
  options: {
    folder: { type: 'string', default: 'test-results/pages' },
    only: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
})
const seed = join(folder, 'world')
const saved = join(folder, 'pages.json')
if (task !== 'save' && task !== 'compare')
  throw new Error('usage: npm run pages -- save|compare [--only <path>] [--folder <folder>]')
if (task === 'compare' && !existsSync(saved))
  throw new Error('First save the pages from before: npm run pages -- save')
/** When the world was made, and when its pages are opened: what a form adds is never as old as what was there. */
const start = Date.parse('2026-11-14T00:00:00Z')
const now = start + 3 * 3_600_000

const people = {
  candidate: 'mary@example.com',
  admin: 'rae@example.com',
  recruiter: 'rex@example.com',
  agent: 'nora@example.com',
  operator: 'omar@example.com',
  viewer: 'tom@example.com',
} as const
type Role = keyof typeof people | 'visitor'
const roles: readonly Role[] = ['visitor', ...(Object.keys(people) as (keyof typeof people)[])]

/** Where the walk of a role begins; links lead on. */
const beginnings: Record<Role, string[]> = {
  visitor: [
    '/',
    '/jobs',
    '/sign-in',
    '/sign-up',
    '/forgotten',
    '/reset',
    '/confirm',
    '/confirm/again',
    '/operator/join',
    '/invitations',
    '/about/data',
    '/goodbye',
  ],
  candidate: [
    '/account',
    '/jobs',
    '/account/confirm?continue=/account',
    '/account/security/two-step/app',
    '/account/security?done=password',
    '/account/notifications?done=saved',
  ],
  admin: [
    '/console',
    `/console/${harbourId}`,
    `/console/${southernId}`,
    `/console/${harbourId}/audit?action=session`,
    `/console/${harbourId}/audit?from=2030-01-01`,
    `/console/${harbourId}/retention?months=1`,
    `/console/${harbourId}/retention?months=x`,
    `/console/${harbourId}/events/log?type=webhook.failing`,
    `/console/${harbourId}/nothing`,
  ],
  recruiter: ['/console', `/console/${harbourId}`],
  agent: ['/console', '/agent/20000001'],
  operator: [
    '/operator',
    '/operator/audit?action=mail',
    '/operator/audit?from=2030-01-01',
    '/operator/companies/99',
    '/operator/files?look=missing',
    '/operator/mail?done=retried',
  ],
  viewer: ['/operator', '/account'],
}

/** What a filled-in form says; other fields keep what the page shows. */
const values: Record<string, string> = {
  email: 'new.person@example.net',
  password: 'a few words that fit',
  current: 'demo-password',
  name: 'Compared',
  agentName: 'Compared',
  firstName: 'Ann',
  lastName: 'Other',
  label: 'Compared',
  id: '77',
  ownId: '20000077',
  months: '6',
  reason: 'request 7',
  invitedAgent: '20000001',
  agent_id: '20000001',
  url: 'http://127.0.0.1:1999/hook',
  from: '2026-11-01',
  redirectUri: 'https://compared.example/back',
  privacyUrl: 'https://compared.example/privacy',
  note: 'A note',
  title: 'Barista',
  location: 'Sydney',
  description: 'Pours coffee.',
}

interface World {
  routes: readonly RouteOptions[]
  browser(role: Role): Browser
  close(): Promise<void>
}

/** A service on this data, on a free port. */
async function openWorld(data: string): Promise<World> {
  const clock = movableClock(now)
  const settings = { DATA_DIR: data, WEBHOOK_ALLOW: '127.0.0.1', BACKUP_URL: join(data, 'backup') }
  const services = await open(settings, clock)
  // The change may have a migration.
  await services.schema.migrate()
  const { app, routes } = await createTestServer(services, settings)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const cookies = JSON.parse(readFileSync(join(data, 'cookies.json'), 'utf8'))
  return {
    routes,
    browser(role) {
      const browser = new Browser(doorOf({ baseUrl: `http://127.0.0.1:${port}` }))
      for (const [name, value] of cookies[role] ?? []) browser.cookies.set(name, value)
      return browser
    },
    async close() {
      await services.background.whenIdle()
      await app.close()
      await services.close()
    },
  }
}

/** The demo with something on every page: waiting changes, failed emails, endpoints, invitations and long logs. */
async function makeWorld(): Promise<void> {
  mkdirSync(seed, { recursive: true })
  const clock = movableClock(start)
  const settings = { DATA_DIR: seed, WEBHOOK_ALLOW: '127.0.0.1' }
  const services = await open(settings, clock)
  await services.schema.migrate()
  await services.demo.ensureLoaded()
  const { writer } = services.database
  await writer
    .insertInto('operators')
    .values({ candidate_id: tomId, role: 'viewer', created_at: 1 })
    .execute()
  const { app } = await createTestServer(services, settings)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const cookies: Record<string, [string, string][]> = {}
  for (const [role, email] of Object.entries(people)) {
    const browser = new Browser(doorOf({ baseUrl: `http://127.0.0.1:${port}` }))
    const { password = '' } = demoCandidates.find(each => each.email === email) ?? {}
    await browser.signIn(email, password)
    cookies[role] = [...browser.cookies]
    await browser.get('/account')
  }
  cookies['visitor'] = [['dossier-form', 'v'.repeat(43)]]
  await writer
    .updateTable('sessions')
    .set({
      factors: 'password totp',
      last_used_at: now,
      expires_at: now + 12 * 3_600_000,
      proved_at: now,
      password_at: now,
      factor_at: now,
      factor_by: 'totp',
    })
    .execute()
  writeFileSync(join(seed, 'cookies.json'), JSON.stringify(cookies))

  const invitations = { mailer: undefined, authUrl: () => 'http://localhost:8080' }
  await services.operators.invite('waiting@example.net', 'viewer', 'http://localhost:8080')
  await services.invitations(invitations).invite(harbourId, 'waiting@example.net', 'recruiter')
  await services.agentInvitations(invitations).invite(20000001, 'waiting@example.net', 'reader')
  const uris = ['https://north.example/back', 'https://north.example/other']
  await services.clientChanges.ask('demo-ats', { kind: 'redirect-uris', uris }, noraId)
  await services.clientChanges.ask(
    'demo-ats',
    { kind: 'privacy', url: 'https://north.example/privacy' },
    noraId,
  )
  const endpoint = {
    url: 'http://127.0.0.1:1999/hook',
    types: ['application.created'],
    description: 'Payroll',
  }
  for (const owner of [{ advertiserId: harbourId }, { agentId: 20000001 }])
    for (const scheme of ['v1', 'v1a'] as const) await services.webhooks.add(owner, { ...endpoint, scheme })
  await writer
    .updateTable('webhook_endpoints')
    .set({ state: 'active', succeeded_at: start })
    .where('scheme', '=', 'v1')
    .execute()
  const states = ['dead', 'dead', 'held', 'waiting'] as const
  const delivery = { kind: 'receipt', content: '{"applicationId":1}', due_at: start, give_up_at: start + 1e9 }
  for (const [index, state] of states.entries()) {
    const ended_at = state === 'dead' ? start : null
    const row = {
      ...delivery,
      id: `mail-${index}`,
      state,
      created_at: start,
      ended_at,
      fault: '550 <who@example.net> no',
    }
    await writer.insertInto('deliveries').values(row).execute()
  }
  await writer
    .updateTable('candidates')
    .set({ mail_refused_at: start, mail_refusal: '550 no' })
    .where('id', '=', maryId)
    .execute()
  await services.retention.choose(southernId, 1)
  const entry = { action: 'mail.test', scope: 'board', target: 'mail:test' } as const
  for (let count = 0; count < 120; count++) {
    clock.advance(60_000)
    await services.board.record(entry)
    await services.auditLog.record({
      action: 'audit.export',
      scope: { ownerId: harbourId },
      target: `person:${raeId}`,
      after: { form: 'csv' },
    })
  }
  await services.background.whenIdle()
  await app.close()
  // A copy is another database, and would look like a restored backup.
  await writer.deleteFrom('meta').where('key', '=', 'history').execute()
  await services.close()
}

async function copied<Result>(use: (world: World) => Promise<Result>): Promise<Result> {
  const data = join(folder, `copy-${process.pid}`)
  rmSync(data, { recursive: true, force: true })
  cpSync(seed, data, { recursive: true })
  const world = await openWorld(data)
  try {
    return await use(world)
  } finally {
    await world.close()
    rmSync(data, { recursive: true, force: true })
  }
}

const isWanted = (path: string) => only.length === 0 || only.some(prefix => path.startsWith(prefix))
const never = /^\/(sign-out|theme|docs|problems|assets|demo|health|operator\/clients\/changes\/.*image)/
const routeOf = (routes: readonly RouteOptions[], path: string, method: string) =>
  routes
    .filter(route => [route.method].flat().includes(method as never))
    .map(({ url }) => url)
    .toSorted((a, b) => a.split(':').length - b.split(':').length)
    .find(url => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`).test(path.replace(/\?.*$/s, ''))) ?? path

/** One line for each tag and text, attributes in order, random values by their kind. */
function linesOf({ status, headers, text }: Answer): string[] {
  const location = headers.get('location')
  const isHtml = /html/.test(headers.get('content-type') ?? '')
  const head = [`status ${status}`, ...(location === null ? [] : [`location ${steady(location)}`])]
  if (!isHtml) return [...head, `type ${headers.get('content-type')}`]
  const whole = text.replace(/\s*<form class="theme".*?<\/form>/s, '')
  const parts = whole.split(/(<[^>]*>)/).map(part => part.replace(/\s+/g, ' ').trim())
  return [
    ...head,
    ...parts.filter(part => part !== '').map(part => steady(part.startsWith('<') ? tagOf(part) : part)),
  ]
}

function tagOf(tag: string): string {
  const [, name = '', rest = ''] = /^<(\/?[\w!-]+)\s*(.*?)\s*>$/s.exec(tag) ?? []
  const attributes = [...rest.matchAll(/[^\s=]+(?:="[^"]*")?/g)].map(([each]) => each).sort()
  const named = new Map(attributes.map(each => each.split(/="?/, 1).concat(each) as [string, string]))
  // The type of a field is text unless it says otherwise; values of these fields are random.
  const kept = attributes.filter(each => each !== 'type="text"')
  if (
    /^"?(form_token|form_key|held|secret|token|passkey_ticket|proof_\w+)"?$/.test(
      named.get('name')?.slice(5) ?? '',
    )
  )
    return `<input ${named.get('name')}>`
  if (named.has('d') && name === 'path' && (named.get('d') ?? '').length > 2000) return '<path>'
  return `<${[name, ...kept].join(' ')}>`
}

const steady = (text: string) =>
  text
    .replace(/\b(d(?:ac|at|cs|se|li)_|sws_|whsec_|whpk_)[\w+/=-]{12,}/g, '$1…')
    .replace(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$|^[a-z0-9]{5}-[a-z0-9]{5}$/, '{random}')
    .replace(/done=[\w-]{43}\./g, 'done={sealed}.')
    .replace(/\/assets\/([\w.-]+?)\.[0-9a-f]{8,}\./g, '/assets/$1.…')
    .replace(/data-options="[^"]*"/g, 'data-options="…"')
    .replace(/\b\d+ (ms|MB are free)\b/g, '… $1')
    .replace(/\bcopy-\d+/g, 'copy')
    .replace(/127\.0\.0\.1:\d{4,5}/g, 'localhost')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, id => (known.has(id) ? id : '{new-id}'))
    .replace(/Reference for support: .*|req-\w+/g, '{request}')

/** The IDs of the world itself stay. */
const known = new Set<string>()

type Pages = Record<string, string[]>
interface Found {
  role: Role
  page: string
  form: Form
  name: string
  isUpload: boolean
}

async function walk({ browser, routes }: World, pages: Pages, opened: Set<string>): Promise<Found[]> {
  const forms = new Map<string, Found>()
  for (const role of roles) {
    const visitor = browser(role)
    const queue = [...beginnings[role]]
    const seen = new Set(queue)
    const perRoute = new Map<string, number>()
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const route = routeOf(routes, path, 'GET')
      const shape = `${route}?${[...new URLSearchParams(path.split('?')[1])].map(([name]) => name).sort()}`
      const count = (perRoute.get(shape) ?? 0) + 1
      perRoute.set(shape, count)
      if (count > 2) continue
      const answer = await visitor.get(path).catch(error => {
        throw new Error(`${role} GET ${path}`, { cause: error })
      })
      // That page lists this process.
      for (const [id] of path === '/operator/nodes'
        ? []
        : answer.text.matchAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))
        if (!/form_key/.test(id)) known.add(id)
      if (isWanted(path)) pages[`${role} GET ${path}`] = linesOf(answer)
      if (answer.status === 200) opened.add(`GET ${route}`)
      const location = answer.headers.get('location')
      const links = [...answer.text.matchAll(/<a [^>]*href="(\/[^"#]*)"/g)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      )
      for (const link of location === null ? links : [...links, location.replace(/^http:\/\/[^/]+/, '')]) {
        if (!link.startsWith('/') || never.test(link) || seen.has(link)) continue
        seen.add(link)
        queue.push(link)
      }
      for (const form of formsOf(answer.text)) {
        if (
          !form.action.startsWith('/') ||
          never.test(form.action) ||
          !/form_token/.test(String(form.fields))
        )
          continue
        const buttons = form.buttons.filter(({ name }) => name !== '')
        const marks = form.fields.filter(([name]) =>
          /^(action|do|only|all|required|role|status|shown)$/.test(name),
        )
        const about = [...form.fields.map(([field]) => field), ...buttons.map(({ value }) => value)]
        const name = `${role} POST ${routeOf(routes, form.action, 'POST')} ${marks.map(mark => mark.join('=')).join(' ')} [${[...new Set(about)].join(' ')}]`
        const isUpload = answer.text.includes(`action="${form.action}" enctype`)
        if (!forms.has(name)) forms.set(name, { role, page: path, form, name, isUpload })
      }
    }
  }
  return [...forms.values()].filter(({ form, page }) => isWanted(form.action) || isWanted(page))
}

const ways = ['empty', 'nonsense', 'filled'] as const

async function send(
  world: World,
  { role, page, form: old, isUpload }: Found,
  way: (typeof ways)[number],
  button?: [string, string],
) {
  const browser = world.browser(role)
  const shown = formsOf((await browser.get(page)).text)
  const alike = (form: Form) =>
    form.action === old.action &&
    String(form.fields.map(([name, value]) => (/^form_/.test(name) ? '' : name + value))) ===
      String(old.fields.map(([name, value]) => (/^form_/.test(name) ? '' : name + value)))
  const form = shown.find(alike) ?? shown.find(({ action }) => action === old.action)
  if (form === undefined) throw new Error(`no form ${old.action} on ${page}`)
  const isTyped = (name: string) => name in values || !/^form_/.test(name)
  const isHidden =
    /^(form_|action$|do$|only$|all$|mail$|account$|person$|invitation$|change$|session$|token$|version$|updatedAt$|shown$|continue$|consent$|username$|required$|questions$|candidate$|resume$|skill$|at$)/
  const typed = (name: string, value: string) =>
    way === 'empty' ? '' : way === 'nonsense' ? `"><x>${name}` : (values[name] ?? value)
  const fields = form.fields.map(([name, value]): [string, string] => [
    name,
    isTyped(name) && !isHidden.test(name) ? typed(name, value) : value,
  ])
  const boxes = way === 'empty' ? [] : form.boxes.map(({ name, value }): [string, string] => [name, value])
  const sent = [...fields, ...boxes, ...(button === undefined ? [] : [button])]
  const answer = isUpload
    ? await browser.send('POST', form.action, {
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        body: bodyOf([
          ...sent.map(([name, content]) => ({ name, content })),
          ...(way === 'filled'
            ? [
                {
                  name: 'logo',
                  fileName: 'a.svg',
                  content:
                    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8z"/></svg>',
                },
              ]
            : []),
        ]),
      })
    : await browser.post(form.action, sent)
  const location = answer.headers.get('location')?.replace(/^http:\/\/[^/]+/, '')
  const next = location?.startsWith('/') ? await browser.get(location) : undefined
  const again = way === 'filled' && !isUpload ? await browser.post(form.action, sent) : undefined
  return [
    ...linesOf(answer),
    ...(next === undefined ? [] : ['--- leads to ---', ...linesOf(next)]),
    ...(again === undefined
      ? []
      : [
          '--- sent again ---',
          `status ${again.status}`,
          `location ${steady(again.headers.get('location') ?? '')}`,
        ]),
  ]
}

async function readPages(): Promise<Pages> {
  const pages: Pages = {}
  const opened = new Set<string>()
  let routes: readonly RouteOptions[] = []
  const forms = await copied(world => {
    routes = world.routes
    return walk(world, pages, opened)
  })
  for (const found of forms) {
    const buttons = found.form.buttons.map(({ name, value }): [string, string] => [name, value])
    const pressed =
      buttons.length === 0 ? [undefined] : buttons.map(each => (each[0] === '' ? undefined : each))
    const isButton =
      !found.form.fields.some(([name]) => name in values || /text|zone|rhythm|topic/i.test(name)) &&
      found.form.boxes.length === 0
    for (const way of isButton ? (['filled'] as const) : ways)
      for (const button of way === 'filled' ? pressed : pressed.slice(0, 1))
        pages[`${found.name} ${way}${button === undefined ? '' : ` ${button.join('=')}`}`] = await copied(
          world => send(world, found, way, button),
        )
  }
  const isPage = ({ config, method }: RouteOptions) =>
    config?.errors === 'page' && [method].flat().includes('GET')
  const unseen = routes
    .filter(isPage)
    .map(({ url }) => url)
    .filter(url => isWanted(url) && !opened.has(`GET ${url}`) && !never.test(url))
  console.log(
    `${Object.keys(pages).length} pages and answers, ${forms.length} forms; not opened: ${unseen.join(' ') || 'none'}`,
  )
  return pages
}

/** The lines that differ, by their longest common part. */
function differences(before: readonly string[], after: readonly string[]): string[] {
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      (common[i] as Uint16Array)[j] =
        before[i] === after[j]
          ? (common[i + 1]?.[j + 1] ?? 0) + 1
          : Math.max(common[i + 1]?.[j] ?? 0, common[i]?.[j + 1] ?? 0)
  const lines: string[] = []
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      i++
      j++
    } else if (
      j >= after.length ||
      (i < before.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))
    )
      lines.push(`- ${before[i++]}`)
    else lines.push(`+ ${after[j++]}`)
  }
  return lines
}

if (task === 'save') {
  rmSync(folder, { recursive: true, force: true })
  await makeWorld()
}
const pages = await readPages()
if (task === 'save') {
  writeFileSync(saved, JSON.stringify(pages, null, 1))
  console.log(`saved in ${saved}`)
} else {
  const before: Pages = JSON.parse(readFileSync(saved, 'utf8'))
  const names = [...new Set([...Object.keys(before), ...Object.keys(pages)])].filter(
    name => only.length === 0 || name in pages,
  )
  const changed = names.flatMap(name => {
    const lines = differences(before[name] ?? [], pages[name] ?? [])
    const shown = !(name in before) ? ['is new'] : !(name in pages) ? ['is gone'] : lines
    return lines.length === 0 ? [] : [`${name}\n${shown.map(line => `    ${line}`).join('\n')}`]
  })
  console.log(changed.length === 0 ? 'All are the same.' : `${changed.length} differ:\n${changed.join('\n')}`)
  process.exitCode = changed.length === 0 ? 0 : 1
}
process.exit()
