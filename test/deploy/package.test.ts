import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { bundle } from '../../scripts/bundle.ts'
import { namesScripts } from '../../scripts/package.ts'
import { root } from '../harness/repository.ts'
import { tryService } from './packed.ts'

const folder = mkdtempSync(join(tmpdir(), 'dossier-packed-'))
/** As npm packs it, which has rules of its own about what to leave out. */
const unpacked = join(folder, 'package')
const readJson = (path: string) => JSON.parse(readFileSync(join(unpacked, path), 'utf8'))

before(() => {
  const staged = join(folder, 'staged')
  const quiet = '--disable-warning=ExperimentalWarning'
  execFileSync(process.execPath, [quiet, 'scripts/package.ts', staged], { cwd: root })
  execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', folder], { cwd: staged })
  const [packed = ''] = globSync('dossier-jobs-dossier-*.tgz', { cwd: folder })
  execFileSync('tar', ['-xzf', packed], { cwd: folder })
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'))
})
after(() => rmSync(folder, { recursive: true }))

test('the packed service starts and serves applications, pages, documentation and assets', () =>
  tryService(join(unpacked, 'bin/dossier'), join(folder, 'data')))

test('it contains JavaScript whose imports exist, and neither tests nor development packages', () => {
  const paths = globSync('**/*', { cwd: unpacked, exclude: path => path === 'node_modules' })
  const strange = /\.test\.|^(test|bench|scripts)\/|^src\/.*\.ts$|\.log$/
  assert.deepEqual(
    paths.filter(path => strange.test(path)),
    [],
  )
  const scripts = paths.filter(path => /^(src\/.*\.js|bin\/dossier)$/.test(path))
  assert.ok(scripts.length > 500)
  const named = /(?:\bfrom |\bimport |\bimport\(|\bpathOf\()'(\.[^']+)'/g
  const missing = scripts.flatMap(path =>
    [...readFileSync(join(unpacked, path), 'utf8').matchAll(named)]
      .map(([, target = '']) => resolve(unpacked, dirname(path), target))
      .filter(target => !existsSync(target)),
  )
  assert.deepEqual(missing, [])
})

test('it starts from joined modules, with maps to the sources, and the same bytes wherever it is made', async () => {
  const joined = (folder: string) =>
    globSync('*', { cwd: join(folder, 'src/bundle') })
      .toSorted()
      .map(name => [name, readFileSync(join(folder, 'src/bundle', name), 'utf8')] as const)
  const again = join(folder, 'another', 'place')
  await bundle(root, { folder: join(again, 'src/bundle'), toRoot: '../..' }, namesScripts)
  assert.deepEqual(joined(again), joined(unpacked))
  const wide = joined(unpacked).filter(([name, text]) => name.endsWith('.js') && /[^\0-\xff]/.test(text))
  assert.deepEqual(
    wide.map(([name]) => name),
    [],
    'V8 would keep them with two bytes for each character',
  )
  assert.match(readFileSync(join(unpacked, 'bin/dossier'), 'utf8'), /import\('\.\.\/src\/bundle\/main\.js'\)/)
  const command = spawnSync(process.execPath, [join(unpacked, 'bin/dossier'), '--version'], {
    encoding: 'utf8',
  })
  assert.equal(command.stdout.trim(), readJson('package.json').version)
  const map = JSON.parse(readFileSync(join(unpacked, 'src/bundle/main.js.map'), 'utf8'))
  assert.ok(map.sources.includes('../main.ts'), String(map.sources))
})

test('it needs Node 24, and npm installs the versions that were tested', () => {
  const { dependencies, devDependencies, optionalDependencies, engines } = readJson('package.json')
  assert.deepEqual([devDependencies, optionalDependencies, engines.node], [undefined, undefined, '>=24'])
  const { packages } = readJson('npm-shrinkwrap.json')
  for (const name of Object.keys(dependencies)) assert.ok(packages[`node_modules/${name}`], name)
  assert.equal(Object.values<{ dev?: true }>(packages).filter(({ dev }) => dev).length, 0)
  assert.deepEqual(
    Object.keys(packages).filter(path => path.startsWith('node_modules/node-')),
    [],
  )
})
