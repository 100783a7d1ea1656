import { copyFileSync, existsSync, constants as fs, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { copiesIn } from '../database/migrating/copy-before.ts'
import { unreconciledKey } from '../database/restore-detection/generation.ts'
import { restoredKey } from '../database/server-history.ts'
import { BackupRefused } from './faults.ts'
import { withHandle } from './snapshot-file.ts'
import { assertUnused, idsOf, replaceSqlite } from './sqlite-target.ts'

export interface WentBack {
  copy: string
  madeAt: number
  keptAs?: string
}

/**
 * Replaces the database at `path` with the copy that was made before an upgrade; the copy stays. It keeps its schema,
 * so that the previous release runs on it. The next process to start reconciles it, whichever release it is: the
 * markers for that are in `meta`, which every release reads.
 */
export async function goBack(path: string, release: string | undefined, now: number): Promise<WentBack> {
  assertUnused(path)
  const copy = chooseCopy(dirname(path), release)
  const draft = `${path}.going-back`
  try {
    // A killed command may have left a draft.
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(draft + end, { force: true })
    copyFileSync(copy, draft, fs.COPYFILE_FICLONE)
    withHandle(draft, {}, handle => prepare(handle, idsOf(path), now))
    const keptAs = await replaceSqlite(draft, path, now)
    return { copy, madeAt: statSync(copy).mtimeMs, ...(keptAs === undefined ? {} : { keptAs }) }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The newest copy, unless a release is named. */
function chooseCopy(folder: string, release: string | undefined): string {
  const copies = existsSync(folder) ? copiesIn(folder).filter(path => path.endsWith('.db')) : []
  const [newest] = copies.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  const found =
    release === undefined ? newest : copies.find(path => basename(path) === `before-${release}.db`)
  if (found !== undefined) return found
  const names = copies.map(path => basename(path)).join(', ')
  throw new BackupRefused(
    `There is no copy from before an upgrade${release === undefined ? '' : ` to ${release}`} in ${folder}${names && ` (there are ${names})`}.`,
  )
}

function prepare(handle: DatabaseSync, ids: Record<string, number>, now: number): void {
  const [{ quick_check: found } = {}] = handle.prepare('pragma quick_check(1)').all()
  if (found !== 'ok') throw new BackupRefused(`The copy is damaged (${found}).`)
  handle.exec('pragma journal_mode = delete; begin')
  for (const [name, last] of Object.entries(ids))
    handle.prepare('update counters set value = max(value, ?) where name = ?').run(last, name)
  const put = handle.prepare(
    'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
  )
  put.run(unreconciledKey, 'all')
  put.run(restoredKey, String(now))
  handle.exec('commit')
}
