import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileLibrary } from './native-library.ts'

/** A disk whose power can be cut: it keeps what a process has flushed apart from what it has written. */
export interface CuttableDisk {
  /** For a process that writes to this disk. */
  env: Record<string, string>
  /** Writes what the disk would hold if the power had been cut now. Call after the process was killed. */
  restore(to: string): void
}

const library = new URL('native/power-cut.c', import.meta.url)

/** Everything that is in the folder now is on the disk. */
export function openCuttableDisk(
  folder: string,
  scratch: string,
  { isSwallowing = false } = {},
): CuttableDisk {
  const kept = join(scratch, 'kept')
  for (const kind of ['files', 'folders']) mkdirSync(join(kept, kind), { recursive: true })
  keep(folder)

  function keep(path: string): void {
    const names = readdirSync(path, { withFileTypes: true })
    const lines = names.map(entry => {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) keep(inner)
      else cpSync(inner, join(kept, 'files', keyOf(inner)))
      return `${entry.isDirectory() ? 'folder' : 'file'} ${keyOf(inner)} ${entry.name}\n`
    })
    writeFileSync(join(kept, 'folders', keyOf(path)), lines.join(''))
  }

  function restore(key: string, to: string): void {
    mkdirSync(to, { recursive: true, mode: 0o700 })
    const list = join(kept, 'folders', key)
    // A folder whose own names were never flushed is empty.
    const lines = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : []
    for (const line of lines) {
      const [, kind, inner = '', name = ''] = /^(\w+) (\S+) (.*)$/.exec(line) ?? []
      const path = join(to, name)
      const content = join(kept, 'files', inner)
      if (kind === 'folder') restore(inner, path)
      else if (existsSync(content)) cpSync(content, path)
      else writeFileSync(path, '', { mode: 0o600 })
    }
  }

  return {
    env: {
      LD_PRELOAD: compileLibrary(library, scratch),
      POWER_ROOT: folder,
      POWER_KEPT: kept,
      POWER_EARLY: '8',
      ...(isSwallowing ? { POWER_SWALLOW: '1' } : {}),
    },
    restore: to => restore(keyOf(folder), to),
  }
}

function keyOf(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true })
  return `${ino}-${birthtimeNs}`
}
