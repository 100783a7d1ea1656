import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { giveToOwner } from './give-to-owner.ts'

/** A key of a single machine, in base64: created when it is first needed, and kept next to its database. */
export function readOrMakeKeyFile(path: string): string {
  if (!existsSync(path)) makeKey(path)
  return readFileSync(path, 'utf8').trim()
}

function makeKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
    giveToOwner(draft)
    // Fails if another process was first, and never shows half a key.
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
