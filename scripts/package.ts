// Makes the package that is published, shipped in the archive and run in the image: the sources as JavaScript, because
// Node does not strip types in node_modules, once as modules and once joined for a fast start, and the dependencies of
// the service, pinned. It needs the packages of scripts/packaging-tools.ts.
//   node scripts/package.ts <empty folder>
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'
import { makeSdkPackages } from './sdk-packages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const parts = [
  '.dockerignore',
  'bin/dossier',
  'src/**/*',
  'docs/**/*',
  'samples/**/*',
  'deploy/**/*',
  'spec/{limits.json,openapi.json,responses.json,problems.md}',
  '{LICENSE,README.md,CHANGELOG.md,SECURITY.md}',
]
const isLeftOut = (path: string) =>
  /^src\/.*(\.test\.ts|README\.md|\.d\.mts)$|^deploy\/(secrets\/|\.env$)/.test(path)

interface Manifest {
  name: string
  version: string
  dependencies: Record<string, string>
  [field: string]: unknown
}

interface LockFile {
  packages: Record<string, { dev?: boolean; [field: string]: unknown }>
  [field: string]: unknown
}

/** The folder must be new or empty. */
export async function makePackage(folder: string): Promise<Manifest> {
  const paths = globSync(parts, { cwd: root })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => statSync(join(root, path)).isFile() && !isLeftOut(path))
  const shipped = new Set(paths)
  for (const path of paths) {
    const isSource = /^src\/.*\.ts$/.test(path)
    const target = join(folder, isSource ? path.replace(/\.ts$/, '.js') : path)
    mkdirSync(dirname(target), { recursive: true })
    // A copy first, which keeps the mode of the executable.
    if (!isSource) cpSync(join(root, path), target)
    const text = isSource || /^bin\/|\.md$/.test(path) ? readFileSync(join(root, path), 'utf8') : ''
    if (isSource) writeFileSync(target, asJavaScript(text))
    else if (path.endsWith('.md')) writeFileSync(target, withoutDeadLinks(path, text, shipped))
    else if (text !== '') writeFileSync(target, text.replace('../src/main.ts', '../src/bundle/main.js'))
  }
  await bundle(root, { folder: join(folder, 'src/bundle'), toRoot: '../..' }, namesScripts)
  const packages = join(folder, 'sdk/packages')
  mkdirSync(packages, { recursive: true })
  await makeSdkPackages(packages)
  const manifest = manifestFrom(readJson('package.json'))
  writeJson(join(folder, 'package.json'), manifest)
  writeJson(join(folder, 'npm-shrinkwrap.json'), lockedFor(manifest, readJson('package-lock.json')))
  return manifest
}

/** Types become spaces, so that lines and columns stay those of the sources. */
const asJavaScript = (source: string) => namesScripts(stripTypeScriptTypes(source))

/** Relative names of modules, whether they are imported or started. */
export const namesScripts = (text: string) => text.replace(/(?<=['"]\.{1,2}\/[\w./-]*)\.ts(?=['"])/g, '.js')

/** Links to files that only the repository has become text. */
function withoutDeadLinks(path: string, text: string, shipped: ReadonlySet<string>): string {
  return text.replace(
    /(?<!!)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]*)[^)\s]*\)/g,
    (link, words: string, to: string) => {
      const target = posix.join(posix.dirname(path), to).replace(/\/$/, '')
      return shipped.has(target) || [...shipped].some(each => each.startsWith(`${target}/`)) ? link : words
    },
  )
}

/** Without Node itself, an optional dependency: a machine that installs the package has it. */
function manifestFrom({ name, version, description, type, license, bin, dependencies, overrides }: Manifest) {
  const engines = { node: '>=24' }
  return { name, version, description, type, license, bin, engines, dependencies, overrides }
}

/** The versions that the tests ran with. npm reads this file of a package that it installs, unlike package-lock.json. */
function lockedFor(
  { overrides: _overrides, type: _type, description: _description, ...own }: Manifest,
  lock: LockFile,
) {
  const isOfNode = (path: string) => /^node_modules\/node-linux-/.test(path)
  const packages = Object.entries(lock.packages).filter(
    ([path, { dev }]) => path !== '' && dev !== true && !isOfNode(path),
  )
  return { ...lock, name: own.name, packages: { '': own, ...Object.fromEntries(packages) } }
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

if (import.meta.main) {
  const [, , folder] = argv
  if (folder === undefined || (existsSync(folder) && globSync('*', { cwd: folder }).length > 0)) {
    throw new Error('usage: node scripts/package.ts <empty folder>')
  }
  const { name, version } = await makePackage(folder)
  console.log(`made ${name} ${version} in ${folder}`)
}
