import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isExecutable } from './executable.ts'

/** The path of a daemon on this machine: only root has its folder on the PATH. */
export async function findDaemon(name: string): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  for (const folder of folders.filter(name => name !== '')) {
    const path = join(folder, name)
    if (await isExecutable(path)) return path
  }
  return undefined
}

/** Runs once before the tests that need them: installs Debian's packages if the machine allows that. */
export async function installFromDebian(purpose: string, packages: readonly string[]): Promise<void> {
  const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!canInstall || packages.length === 0) return
  console.log(`No ${packages.join(', ')} here: installing Debian's for ${purpose}.`)
  const lift = forbidServices()
  try {
    const isInstalled =
      (await aptGet('update')) && (await aptGet('install', '-y', '--no-install-recommends', ...packages))
    if (!isInstalled) console.log('They could not be installed.')
  } finally {
    lift()
  }
}

async function aptGet(...args: string[]): Promise<boolean> {
  const child = spawn('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  const [status] = await once(child, 'close')
  return status === 0
}

/** Some packages bring a service of their own. The tests start their own; the packaged ones stay off. */
function forbidServices(): () => void {
  const policy = '/usr/sbin/policy-rc.d'
  if (existsSync(policy)) return () => {}
  writeFileSync(policy, '#!/bin/sh\nexit 101\n')
  chmodSync(policy, 0o755)
  return () => rmSync(policy)
}
