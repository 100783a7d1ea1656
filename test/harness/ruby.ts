import { spawnSync } from 'node:child_process'

/** Whether Ruby is installed, with its bindings to OpenSSL. */
export const findsRuby = () => spawnSync('ruby', ['-ropenssl', '-e', 'exit 0']).status === 0

export const hasRuby = findsRuby()
