// Before the browser tests, once: a machine without Chromium gets Debian's, where that can be had by asking.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { installedChromium } from './browser.ts'

const isAsked = process.env['TEST_CHROMIUM'] === undefined && (await installedChromium()) === undefined
const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

if (isAsked && canInstall) {
  console.log("No Chromium here: installing Debian's for the browser tests.")
  const aptGet = (...args: string[]) =>
    spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  // Without it the tests still have the packaged one, where there is one for this machine.
  if (!aptGet('update') || !aptGet('install', '-y', '--no-install-recommends', 'chromium')) {
    console.log('It could not be installed.')
  }
}
