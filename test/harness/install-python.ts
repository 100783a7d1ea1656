// Before the tests of the samples, once: a machine without Python or curl gets Debian's, where that can be had by asking.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { hasPythonAndCurl } from './python.ts'

const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

if (!hasPythonAndCurl() && canInstall) {
  console.log("No Python or no curl here: installing Debian's for the tests of the code samples.")
  const aptGet = (...args: string[]) =>
    spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  if (!aptGet('update') || !aptGet('install', '-y', '--no-install-recommends', 'python3', 'curl')) {
    console.log('It could not be installed.')
  }
}
