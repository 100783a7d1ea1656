import { spawnSync } from 'node:child_process'

/** The samples are run by whatever curl and Python 3 there are. */
export function hasPythonAndCurl(): boolean {
  return ['python3', 'curl'].every(program => spawnSync(program, ['--version']).status === 0)
}
