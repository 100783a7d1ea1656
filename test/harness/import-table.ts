import { posix } from 'node:path'
import { readText } from './repository.ts'

/**
 * Who may import whom. A module (`src/applications/` and its like) has roles: rules and other pure files, ports,
 * use cases (service), routes. What everybody shares has one role per folder, or per file at the top of src.
 */
export type Role =
  | 'core'
  | 'rules'
  | 'ports'
  | 'service'
  | 'routes'
  | 'adapter'
  | 'storage'
  | 'http'
  | 'web'
  | 'cli'
  | 'app'
  | 'adapters'
  | 'background-tasks'
  | 'servers'
  | 'main'
  | 'config'
  | 'limits'
  | 'logging'

interface Permission {
  /** Roles of the same module. */
  own?: Role[]
  /** Roles of other modules: never their services, routes or anything else that acts. */
  others?: Role[]
  shared?: Role[]
  packages?: string[]
  /** Built-in modules, or all of them. */
  node?: string[] | 'any'
}

const anyModule: Role[] = ['rules', 'ports', 'service', 'routes', 'adapter']

export const permissions: Record<Role, Permission> = {
  core: { shared: ['core'], node: 'any' },
  rules: { own: ['rules'], others: ['rules'], shared: ['core'], node: ['node:crypto'] },
  ports: { own: ['rules', 'ports'], others: ['rules', 'ports'], shared: ['core'] },
  service: {
    own: ['rules', 'ports', 'service'],
    others: ['rules', 'ports'],
    shared: ['core'],
    node: ['node:crypto'],
  },
  routes: {
    own: ['rules', 'ports', 'service', 'routes'],
    others: ['rules', 'ports'],
    shared: ['core', 'http', 'web'],
    packages: ['fastify', 'typebox', 'content-disposition', 'marked'],
    node: ['node:stream'],
  },
  // The files that the demo brings along, and the way to a mail server; nothing else of a module gets out.
  adapter: { own: ['ports'], packages: ['nodemailer'], node: ['node:fs'] },
  storage: {
    others: ['rules', 'ports'],
    shared: ['core', 'storage'],
    packages: ['kysely', 'pg', 'yauzl', '@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'],
    node: 'any',
  },
  http: {
    shared: ['core', 'http'],
    packages: [
      'fastify',
      '@fastify/swagger',
      'typebox',
      'pino',
      'prom-client',
      'negotiator',
      'fresh',
      'cookie',
      'content-disposition',
      'yazl',
    ],
    node: 'any',
  },
  web: { shared: ['core', 'web'], packages: ['fastify'], node: 'any' },
  cli: {
    others: ['rules'],
    shared: ['app', 'servers', 'config', 'core', 'http', 'logging', 'cli'],
    packages: ['commander', 'fastify', 'pino', 'package.json'],
    node: ['node:timers/promises'],
  },
  app: {
    others: anyModule,
    shared: ['adapters', 'background-tasks', 'core', 'storage', 'http', 'web', 'config', 'limits', 'logging'],
    packages: ['fastify', 'pino'],
    node: 'any',
  },
  adapters: {
    others: anyModule,
    shared: ['core', 'storage', 'config'],
    packages: ['pino'],
    node: ['node:fs', 'node:path'],
  },
  'background-tasks': { others: anyModule, shared: ['core', 'storage', 'config'], packages: ['pino'] },
  servers: {
    others: ['rules', 'ports', 'routes', 'service', 'adapter'],
    shared: ['app', 'core', 'http', 'web', 'config', 'limits'],
    packages: ['fastify', 'pino'],
  },
  main: { shared: ['cli'], node: ['node:cluster', 'node:fs'] },
  config: { shared: ['core', 'limits'], node: ['node:net', 'node:path'] },
  limits: {},
  logging: { packages: ['pino'] },
}

const sharedFolders = new Set(['core', 'storage', 'http', 'web', 'cli'])
const moduleRoles: Record<string, Role> = {
  'ports.ts': 'ports',
  'account-ports.ts': 'ports',
  'scanning-ports.ts': 'ports',
  'applying-ports.ts': 'ports',
  'submitting-ports.ts': 'ports',
  'intake-ports.ts': 'ports',
  'board-access-ports.ts': 'ports',
  'own-data-ports.ts': 'ports',
  'erasure-ports.ts': 'ports',
  'moving-ports.ts': 'ports',
  'search-ports.ts': 'ports',
  'usage-ports.ts': 'ports',
  'service.ts': 'service',
  // A use case of the operator, kept apart from those that answer requests.
  'file-examination.ts': 'service',
  'moving.ts': 'service',
  'ownership.ts': 'service',
  // Background work.
  'worker.ts': 'service',
  'expiry.ts': 'service',
  'rescan.ts': 'service',
  'clean-up.ts': 'service',
  'erasure.ts': 'service',
  'own-data.ts': 'service',
  'own-data-document.ts': 'service',
  'account-removal.ts': 'service',
  'receiving.ts': 'service',
  'agents.ts': 'service',
  'usage.ts': 'service',
  'attachments.ts': 'service',
  'board-access.ts': 'service',
  'intake.ts': 'service',
  'accounts.ts': 'service',
  'members.ts': 'service',
  'invitations.ts': 'service',
  'account-links.ts': 'service',
  'sign-in.ts': 'service',
  'profiles.ts': 'service',
  'applying.ts': 'service',
  'submitting.ts': 'service',
  'search-service.ts': 'service',
  'timeline.ts': 'service',
  'clients.ts': 'service',
  'authorization-request.ts': 'service',
  'authorization.ts': 'service',
  'client-authentication.ts': 'service',
  'consent.ts': 'service',
  'token.ts': 'service',
  'token-check.ts': 'service',
  'prefill-response.ts': 'service',
  'outbox.ts': 'service',
  'site-flow.ts': 'service',
  'routes.ts': 'routes',
  'list-route.ts': 'routes',
  'pages.ts': 'routes',
  'schemas.ts': 'routes',
  'intake-routes.ts': 'routes',
  'intake-schemas.ts': 'routes',
  'account-form.ts': 'routes',
  'login-mark.ts': 'routes',
  'assets.ts': 'adapter',
  'smtp.ts': 'adapter',
  'desk-files.ts': 'adapter',
}

/** What is not in the table by its name has a role by its ending, and is pure when it has none. */
function roleInModule(name: string): Role {
  return moduleRoles[name] ?? (/-(pages|markup|views|texts|navigation)\.ts$/.test(name) ? 'routes' : 'rules')
}

/** `module` is undefined for what everybody shares. */
export function placeOf(path: string): { role: Role; module: string | undefined } {
  const [, first = '', ...rest] = path.split('/')
  if (rest.length === 0) return { role: first.replace(/\.ts$/, '') as Role, module: undefined }
  if (sharedFolders.has(first)) return { role: first as Role, module: undefined }
  return { role: roleInModule(rest.join('/')), module: first }
}

/** What a file imports: static, dynamic and `import('...')` types; paths from the root, or names of packages. */
export function importsOf(path: string): string[] {
  const found = readText(path).matchAll(/(?:\bfrom |\bimport |\bimport\()'([^']+)'/g)
  return [...found].map(([, target = '']) =>
    target.startsWith('.') ? posix.join(posix.dirname(path), target) : target,
  )
}

/** Why this import is not allowed; undefined when it is. */
export function objection(from: string, to: string): string | undefined {
  const { role, module } = placeOf(from)
  const permission = permissions[role]
  if (permission === undefined)
    return `${from} has no role: say in test/harness/import-table.ts who it may import`
  const refused = `${from} (${role}) may not import ${to}`
  if (to.startsWith('node:')) {
    const { node = [] } = permission
    return node === 'any' || node.includes(to) ? undefined : refused
  }
  if (!to.startsWith('src/')) return permission.packages?.includes(to) ? undefined : refused
  const target = placeOf(to)
  const allowed =
    target.module === undefined
      ? permission.shared
      : target.module === module
        ? permission.own
        : permission.others
  return allowed?.includes(target.role) ? undefined : `${refused} (${target.role})`
}
