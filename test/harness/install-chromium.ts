// Before the browser tests, once: a machine without Chromium gets Debian's, where that can be had by asking.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findChromium } from './browser.ts'

const isMissing = (await findChromium()) === undefined
const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

if (isMissing && canInstall) {
  console.log("No Chromium here: installing Debian's for the browser tests.")
  const aptGet = (...args: string[]) =>
    spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const install = (name: string) => aptGet('install', '-y', '--no-install-recommends', name)
  // The shell draws the same pages for a third of the time. Not every release has it.
  if (!aptGet('update') || !(install('chromium-headless-shell') || install('chromium'))) {
    console.log('It could not be installed.')
  }
}
