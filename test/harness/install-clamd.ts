// Before the tests that scan, once: a machine without clamd gets Debian's, where that can be had by asking.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { findClamd } from './clamd.ts'

const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

if ((await findClamd()) === undefined && canInstall) {
  console.log("No clamd here: installing Debian's for the tests of virus scanning.")
  const aptGet = (...args: string[]) =>
    spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const lift = forbidServices()
  try {
    if (!aptGet('update') || !aptGet('install', '-y', '--no-install-recommends', 'clamav-daemon')) {
      console.log('It could not be installed.')
    }
  } finally {
    lift()
  }
}

/** The package brings a clamd and a freshclam of its own. The tests start theirs; those stay off. */
function forbidServices(): () => void {
  const policy = '/usr/sbin/policy-rc.d'
  if (existsSync(policy)) return () => {}
  writeFileSync(policy, '#!/bin/sh\nexit 101\n')
  chmodSync(policy, 0o755)
  return () => rmSync(policy)
}
