import { posix } from 'node:path'
import { readText } from './repository.ts'

/** A folder of `src` imports only itself and folders before it; the three journeys never import each other. */
const order =
  'core model work client http web files backup audit advertisers jobs events share apply collect people console operator demo site storage assembly cli'.split(
    ' ',
  )
const journeys = ['share', 'apply', 'collect']
const shared = ['core', 'model', 'client', 'http', 'web', 'storage', 'assembly', 'cli']

/**
 * In every other folder, a room, the last word of a file's name is its role, and a name without one of these words
 * means rules. A role imports these roles of its own room; of the rooms before it every role imports rules and ports,
 * and roles that face the caller also services.
 */
const pages = ['rules', 'ports', 'texts', 'service', 'schemas', 'markup', 'routes', 'pages']
const roles: Record<string, string[]> = {
  texts: ['texts', 'rules', 'ports'],
  rules: ['rules', 'ports', 'texts'],
  ports: ['rules', 'ports'],
  adapter: ['ports'],
  schemas: ['rules', 'ports', 'schemas'],
  service: ['rules', 'ports', 'texts', 'service'],
  markup: ['rules', 'ports', 'texts', 'service', 'markup'],
  pages,
  routes: pages,
}

/**
 * Packages and built-in modules that only these folders and roles import. Those that match no line are for adapters.
 */
const packages: [names: RegExp, importers: string[]][] = [
  [/^node:crypto$/, ['model', 'client', 'work', 'rules', 'service']],
  [
    /^(fastify|content-disposition|cookie|marked|minisearch|highlight\.js.*)$/,
    ['routes', 'pages', 'schemas', 'markup'],
  ],
  [/^(kysely|pg|yauzl|mammoth|@aws-sdk\/.+)$/, ['storage']],
  [/^commander$/, ['cli']],
  [
    /^(?!kysely|pg$|mammoth|@aws-sdk|commander)/,
    ['core', 'http', 'web', 'storage', 'assembly', 'cli', 'adapter'],
  ],
]

const folderOf = (path: string) => path.split('/')[1] ?? ''
const roleOf = (path: string) => {
  const word = posix.basename(path, '.ts').split('-').at(-1) ?? ''
  return word in roles ? word : 'rules'
}

/** The imports of a file: static, dynamic and `import('...')` types; paths from the root, or names of packages. */
export function importsOf(path: string): string[] {
  const found = readText(path).matchAll(/(?:\bfrom |\bimport |\bimport\()'([^']+)'/g)
  return [...found].map(([, target = '']) =>
    target.startsWith('.') ? posix.join(posix.dirname(path), target) : target,
  )
}

/** Why this import is not allowed; undefined when it is. The files directly in `src` assemble everything. */
export function objection(from: string, to: string): string | undefined {
  const folder = folderOf(from)
  if (folder.endsWith('.ts')) return undefined
  if (!order.includes(folder)) return `${from}: src/${folder} is not in the order of folders`
  const refused = `${from} may not import ${to}`
  const importer = shared.includes(folder) ? folder : roleOf(from)
  if (!to.startsWith('src/')) {
    return packages.some(([names, importers]) => names.test(to) && importers.includes(importer))
      ? undefined
      : refused
  }
  // Every folder names the limits it takes by this file's type, Limits; the tidy test checks that it imports no more.
  if (to === 'src/limits.ts') return undefined
  const target = folderOf(to)
  if (target.endsWith('.ts')) return ['assembly', 'cli'].includes(folder) ? undefined : refused
  if (order.indexOf(target) > order.indexOf(folder)) return refused
  if (folder !== target && journeys.includes(folder) && journeys.includes(target)) return refused
  if (/^(http|web)$/.test(target) && ['rules', 'ports', 'service', 'adapter'].includes(importer))
    return refused
  if (shared.includes(target)) return undefined
  if (['assembly', 'cli'].includes(importer)) return undefined
  if (importer === 'storage') return ['rules', 'ports'].includes(roleOf(to)) ? undefined : refused
  const ofOthers = facesCallers(importer) ? ['rules', 'ports', 'service'] : ['rules', 'ports']
  const allowed = roles[importer]?.filter(role => folder === target || ofOthers.includes(role))
  return allowed?.includes(roleOf(to)) ? undefined : refused
}

const facesCallers = (importer: string) => ['markup', 'pages', 'routes'].includes(importer)
