import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Whether a library can be compiled here that is then preloaded into a process. */
export const findsCompiler = (): boolean =>
  process.platform === 'linux' &&
  spawnSync('cc', ['-x', 'c', '-fsyntax-only', '-'], { input: '#include <stdlib.h>\n' }).status === 0

/** Compiles a library of this folder; returns its path, for LD_PRELOAD. */
export function compileLibrary(source: URL, folder: string): string {
  const path = join(folder, 'preloaded.so')
  const { status, stderr, error } = spawnSync(
    'cc',
    ['-shared', '-fPIC', '-O1', '-Wall', '-Wno-unused-result', '-o', path, fileURLToPath(source), '-ldl'],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`cc failed: ${error?.message ?? stderr}`)
  return path
}
