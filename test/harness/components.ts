import { spawnSync } from 'node:child_process'
import { findChromium } from './browser.ts'
import { findDaemon, installFromDebian } from './debian.ts'
import { findDebianPostgres } from './debian-postgres.ts'
import { findFaketime } from './faketime.ts'
import { findsCompiler } from './native-library.ts'
import { findsPhp } from './php.ts'
import { findsPip } from './pip.ts'
import { findsRuby } from './ruby.ts'

export interface TestFile {
  path: string
  text: string
  /** Every module that it imports, directly or through others. */
  imports: ReadonlySet<string>
}

/** A program that some tests need and that npm does not install. */
export interface Component {
  name: string
  isNeededBy(test: TestFile): boolean
  /** Groups of Debian packages: the first group that installs is enough. */
  packages: readonly (readonly string[])[]
  advice: string
  isInstalled(): Promise<boolean>
  /** Files that need it run without it and skip some of their tests; by default the whole file is left out. */
  skipsTests?: boolean
  /** `npm test` does not install it, and leaves these files to the long run where it is missing. */
  isForLongRun?: boolean
}

async function areOnPath(...programs: string[]): Promise<boolean> {
  const found = await Promise.all(programs.map(findDaemon))
  return !found.includes(undefined)
}

export const components: readonly Component[] = [
  {
    name: 'Chromium',
    isNeededBy: ({ imports }) => imports.has('test/harness/browser.ts'),
    // The shell draws the same pages in a third of the time, but not every release has it.
    packages: process.env['TEST_CHROMIUM'] ? [] : [['chromium-headless-shell'], ['chromium']],
    advice:
      'install Chromium, run "npx playwright-core install --with-deps chromium", or name a browser in TEST_CHROMIUM',
    isInstalled: async () => (await findChromium()) !== undefined,
  },
  {
    name: 'clamd',
    isNeededBy: ({ imports }) => imports.has('test/harness/clamd.ts'),
    packages: [['clamav-daemon']],
    advice: 'install the package clamav-daemon (Debian) or clamd',
    isInstalled: () => areOnPath('clamd'),
  },
  {
    name: 'nginx and openssl',
    isNeededBy: ({ imports }) => imports.has('test/harness/nginx.ts'),
    packages: [['nginx-light', 'openssl']],
    advice: 'install the packages nginx and openssl',
    isInstalled: () => areOnPath('nginx', 'openssl'),
  },
  {
    name: 'Python 3 and curl',
    isNeededBy: ({ path, text, imports }) =>
      imports.has('test/sdk/following.ts') ||
      (path.startsWith('test/developers/') && /\b(curl|python3)\b/.test(text)),
    packages: [['python3', 'curl']],
    advice: 'install the packages python3 and curl',
    // A version manager's stub may stand in for a Python that is not installed, so run both.
    isInstalled: async () =>
      ['python3', 'curl'].every(program => spawnSync(program, ['--version']).status === 0),
  },
  {
    name: 'pip',
    isNeededBy: ({ imports }) => imports.has('test/harness/pip.ts'),
    packages: [['python3-pip']],
    advice: 'install the package python3-pip',
    isInstalled: async () => findsPip(),
    skipsTests: true,
    isForLongRun: true,
  },
  {
    name: 'PHP with curl',
    isNeededBy: ({ imports }) => imports.has('test/harness/php.ts'),
    packages: [['php-cli', 'php-curl']],
    advice: 'install the packages php-cli and php-curl',
    isInstalled: async () => findsPhp(),
    skipsTests: true,
  },
  {
    name: 'oathtool',
    isNeededBy: ({ imports }) => imports.has('test/harness/oathtool.ts'),
    packages: [['oathtool']],
    advice: 'install the package oathtool',
    isInstalled: () => areOnPath('oathtool'),
  },
  {
    name: 'libfaketime',
    isNeededBy: ({ imports }) => imports.has('test/harness/faketime.ts'),
    packages: [['libfaketime']],
    advice: 'install the package libfaketime',
    isInstalled: async () => findFaketime() !== undefined,
    skipsTests: true,
    isForLongRun: true,
  },
  {
    name: 'a C compiler',
    isNeededBy: ({ imports }) => imports.has('test/harness/native-library.ts'),
    packages: [['gcc', 'libc6-dev']],
    advice: 'install the packages gcc and libc6-dev, on Linux',
    isInstalled: async () => findsCompiler(),
  },
  {
    name: 'Ruby',
    isNeededBy: ({ imports }) => imports.has('test/harness/ruby.ts'),
    packages: [['ruby']],
    advice: 'install the package ruby',
    isInstalled: async () => findsRuby(),
    skipsTests: true,
  },
  {
    name: 'promtool',
    isNeededBy: ({ text }) => /'promtool'/.test(text),
    packages: [['prometheus']],
    advice: 'install promtool, which is in the package prometheus',
    isInstalled: () => areOnPath('promtool'),
  },
  {
    name: 'pgbouncer',
    isNeededBy: ({ text }) => /withStores|onEveryEngine|pgbouncer/.test(text),
    packages: [['pgbouncer']],
    advice: 'install the package pgbouncer',
    isInstalled: () => areOnPath('pgbouncer'),
    skipsTests: true,
  },
  {
    name: 'PostgreSQL with its client tools',
    isNeededBy: ({ imports }) => imports.has('test/harness/debian-postgres.ts'),
    packages: [['postgresql']],
    advice: 'install the package postgresql (Debian)',
    isInstalled: async () => findDebianPostgres() !== undefined,
    skipsTests: true,
    isForLongRun: true,
  },
  {
    name: 'systemd-analyze',
    isNeededBy: ({ text }) => text.includes("'systemd-analyze'"),
    packages: [['systemd']],
    advice: 'install the package systemd',
    isInstalled: () => areOnPath('systemd-analyze'),
    isForLongRun: true,
  },
  {
    name: 'Caddy',
    isNeededBy: ({ imports }) => imports.has('test/harness/caddy.ts'),
    packages: [['caddy']],
    advice: 'install the package caddy',
    isInstalled: () => areOnPath('caddy'),
    isForLongRun: true,
  },
  {
    name: 'docker-compose',
    isNeededBy: ({ text }) => text.includes("'docker-compose'"),
    packages: [['docker-compose']],
    advice: 'install the package docker-compose',
    isInstalled: () => areOnPath('docker-compose'),
    isForLongRun: true,
  },
  {
    name: 'buildah and mmdebstrap, as root on Debian',
    isNeededBy: ({ imports }) => imports.has('test/harness/image.ts'),
    packages: [['buildah', 'mmdebstrap']],
    advice: 'run as root on Debian, with the packages buildah and mmdebstrap',
    isInstalled: async () => process.getuid?.() === 0 && areOnPath('buildah', 'mmdebstrap', 'unshare'),
    isForLongRun: true,
  },
]

/** Installs those that are missing when the tests run as root on Debian; returns those that are still missing. */
export async function installMissing(needed: readonly Component[]): Promise<Component[]> {
  const missing = await missingOf(needed)
  // All at once, because reading the lists of packages takes as long as most packages do.
  await installFromDebian(
    missing.map(({ name }) => name).join(', '),
    missing.flatMap(({ packages: [first = []] }) => first),
  )
  // One that a release does not have is no reason to go without the others.
  for (const component of await missingOf(missing)) {
    for (const group of component.packages) {
      if ((await missingOf([component])).length > 0) await installFromDebian(component.name, group)
    }
  }
  return missingOf(missing)
}

async function missingOf(components: readonly Component[]): Promise<Component[]> {
  const installed = await Promise.all(components.map(component => component.isInstalled()))
  return components.filter((_, index) => installed[index] === false)
}
