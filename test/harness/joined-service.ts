import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../../scripts/bundle.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'test-results/dossier')

/**
 * Joins the modules of the service, as in a package: a process that starts from them needs half of the processor time.
 * Returns the executable. Each file is replaced at once, since another run in this checkout may be starting processes.
 */
export async function joinService(): Promise<string> {
  const place = join(folder, 'bundle')
  await mkdir(place, { recursive: true })
  const made = await mkdtemp(join(folder, 'making-'))
  await bundle(root, { folder: made, sources: '../../../src' })
  const isEntry = (name: string) => name === 'main.js'
  const names = await readdir(made)
  const old = (await readdir(place)).filter(name => !names.includes(name))
  // The entry follows the files that it imports.
  for (const name of names.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b))))
    await rename(join(made, name), join(place, name))
  for (const name of old) await rm(join(place, name), { force: true })
  const executable = join(folder, 'dossier')
  const text = await readFile(join(root, 'bin/dossier'), 'utf8')
  await writeFile(join(made, 'dossier'), text.replace('../src/main.ts', './bundle/main.js'))
  await rename(join(made, 'dossier'), executable)
  await rm(made, { recursive: true })
  return executable
}
