import { posix } from 'node:path'
import { readText } from './repository.ts'

/** A room of `src` imports only itself and rooms before it; the three journeys never import each other. */
const order =
  'platform model schema events companies jobs share apply collect people console operator demo site assembly'.split(
    ' ',
  )
const journeys = ['share', 'apply', 'collect']
/** Rooms without roles. */
const plain = ['platform', 'model', 'schema', 'assembly']

/**
 * In every other room the last word of a file's name is its role, and a name without one of these words means rules. A
 * role imports these roles of the same room; of the rooms before it every role imports rules and ports, stores also
 * stores, pages also pages (of what several readers see), and roles that face the caller also services. A type of a store
 * may be imported like a port: it names the store that a function takes, and only assembly and other stores make one.
 */
const pages = [
  'rules',
  'ports',
  'texts',
  'service',
  'schemas',
  'markup',
  'routes',
  'pages',
  'auth',
  'callers',
]

const roles: Record<string, string[]> = {
  texts: ['texts', 'rules', 'ports'],
  rules: ['rules', 'ports', 'texts'],
  ports: ['rules', 'ports'],
  adapter: ['rules', 'ports', 'adapter'],
  store: ['rules', 'ports', 'texts', 'store', 'adapter'],
  schemas: ['rules', 'ports', 'schemas'],
  service: ['rules', 'ports', 'texts', 'service'],
  callers: ['rules', 'ports', 'callers'],
  auth: ['rules', 'ports', 'callers', 'auth'],
  markup: ['rules', 'ports', 'texts', 'service', 'markup', 'callers'],
  pages,
  routes: pages,
  /** Of the program `dossier`; it gets the modules of the service: src/platform/cli/command.ts. */
  command: [...pages, 'command'],
  /** Of the doctor, the operator's home and `/health/ready`, on the same modules. */
  checks: [...pages, 'store', 'checks'],
}
const facingCallers = ['markup', 'pages', 'routes', 'auth', 'callers', 'command', 'checks']

/** Parts of the platform that only these import, since rules and services know neither HTTP nor SQL. */
const ofPlatform: [folder: RegExp, importers: string[]][] = [
  [/^src\/platform\/(http|web)\//, [...facingCallers, 'texts', 'schemas']],
  [/^src\/platform\/database\//, ['store', 'adapter', 'command', 'checks']],
]

/** Packages and built-in modules that only these rooms and roles import. Those that match no line are for adapters. */
const packages: [names: RegExp, importers: string[]][] = [
  [/^node:crypto$/, ['model', 'rules', 'service', 'store']],
  [
    /^(fastify|content-disposition|cookie|marked|minisearch|highlight\.js.*)$/,
    facingCallers.concat('schemas'),
  ],
  [/^kysely$/, ['schema', 'store']],
  [/^(commander|node:fs)$/, ['assembly', 'command']],
  [/^node:tls$/, ['assembly', 'adapter', 'checks']],
  [/./, ['platform', 'assembly', 'adapter']],
]

/**
 * SQL, besides `schema` and stores. A backup copies tables whatever they hold, and a lock on a file is one of SQLite's
 * (docs/decisions/100-put-slices-on-a-platform.md).
 */
const sqlOfPlatform = /^src\/platform\/(database|backup)\/|^src\/platform\/core\/files\/file-lock\.ts$/

const roomOf = (path: string) => path.split('/')[1] ?? ''
const roleOf = (path: string) => {
  const word = posix.basename(path, '.ts').split('-').at(-1) ?? ''
  return word in roles ? word : 'rules'
}

/** The imports of a file: static, dynamic and `import('...')` types; paths from the root, or names of packages. */
export const importsOf = (path: string): string[] => importsIn(readText(path), path)

function importsIn(text: string, path: string): string[] {
  const found = text.matchAll(/(?:\bfrom |\bimport |\bimport\()'([^']+)'/g)
  return [...found].map(([, target = '']) =>
    target.startsWith('.') ? posix.join(posix.dirname(path), target) : target,
  )
}

/** Why imports of this file are not allowed. */
export function objectionsTo(path: string, text = readText(path)): string[] {
  const typeImport = /^import type [^']*'[^']+'/gm
  const types = importsIn(text.match(typeImport)?.join('\n') ?? '', path)
  const others = importsIn(text.replace(typeImport, ''), path)
  const imported = [...types.map(to => to.replace(/-(store|adapter)\.ts$/, '-ports.ts')), ...others]
  return imported.flatMap(to => objection(path, to) ?? [])
}

/** Why this import is not allowed; undefined when it is. The files directly in `src` may import every room. */
export function objection(from: string, to: string): string | undefined {
  const room = roomOf(from)
  if (room.endsWith('.ts')) return undefined
  if (!order.includes(room)) return `${from}: src/${room} is not in the order of rooms`
  const refused = `${from} may not import ${to}`
  const isStore = roleOf(from) === 'store'
  const importer = plain.includes(room) ? room : roleOf(from)
  if (!to.startsWith('src/')) {
    if (/^(kysely|pg|node:sqlite)$/.test(to) && plain.includes(room) && room !== 'schema')
      return isStore || sqlOfPlatform.test(from) ? undefined : refused
    return packages.some(([names, importers]) => names.test(to) && importers.includes(importer))
      ? undefined
      : refused
  }
  const target = roomOf(to)
  if (target.endsWith('.ts')) return room === 'assembly' ? undefined : refused
  if (order.indexOf(target) > order.indexOf(room)) return refused
  if (room !== target && journeys.includes(room) && journeys.includes(target)) return refused
  if (plain.includes(room)) return undefined
  if (ofPlatform.some(([folder, importers]) => folder.test(to) && !importers.includes(importer)))
    return refused
  if (target === 'schema') return ['store', 'adapter'].includes(importer) ? undefined : refused
  if (plain.includes(target)) return undefined
  const ofOthers = ['rules', 'ports'].concat(
    isStore ? 'store' : [],
    importer === 'pages' ? 'pages' : [],
    facingCallers.includes(importer) ? ['service', 'callers', 'auth'] : [],
    importer === 'command' ? 'command' : [],
  )
  const allowed = roles[importer]?.filter(role => room === target || ofOthers.includes(role))
  return allowed?.includes(roleOf(to)) ? undefined : refused
}

/**
 * A circle among the entries of a folder, files and folders, at any level. Every circle of files is one of the entries of
 * the innermost folder that contains them all.
 */
export function circleIn(imports: readonly (readonly string[])[]): string[] | undefined {
  const arrows = new Map<string, Set<string>>()
  for (const [from = '', to = ''] of imports) {
    const [one, other] = siblings(from, to)
    if (one !== other) arrows.set(one, (arrows.get(one) ?? new Set()).add(other))
  }
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

/** The entries of the innermost folder that contains both files. */
function siblings(one: string, other: string): [string, string] {
  const [parts, others] = [one.split('/'), other.split('/')]
  const depth = parts.findIndex((part, index) => part !== others[index]) + 1
  return [parts.slice(0, depth).join('/'), others.slice(0, depth).join('/')]
}
