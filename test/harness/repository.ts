import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Installed or generated files, not part of the repository. */
const left = new Set(['.git', 'node_modules', 'data', 'test-results', 'release', 'dist'])

/** Every file of the repository, as paths from its root. */
export function repositoryFiles(folder = ''): string[] {
  return readdirSync(root + folder, { withFileTypes: true }).flatMap(entry => {
    const path = folder + entry.name
    if (left.has(entry.name) || entry.name.endsWith('.log')) return []
    if (entry.isDirectory()) return repositoryFiles(`${path}/`)
    return entry.isFile() ? [path] : []
  })
}

export function readText(path: string): string {
  return readFileSync(root + path, 'utf8')
}
