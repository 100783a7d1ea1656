import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Installs a package that only the bench needs, once, in the user's cache: it may be heavy, and an ordinary installation
 * does without it. Resolves with the folder of its `node_modules`, or with undefined if it cannot be had here.
 */
export async function installOnDemand(name: string, version: string): Promise<string | undefined> {
  const folder = join(homedir(), '.cache', 'dossier-bench', `${name}-${version}`)
  const mark = join(folder, 'installed')
  if (existsSync(mark)) return folder
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--ignore-scripts', '--omit=optional', '--omit=peer', '--no-audit', '--no-fund']
  try {
    await promisify(execFile)('npm', [...args, `${name}@${version}`], { cwd: folder })
  } catch {
    // No network, or no such version.
    return undefined
  }
  await writeFile(mark, '')
  return folder
}
