import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../../scripts/bundle.ts'
import { joinedName } from './process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'test-results/dossier')

/** Scripts of tests that load the service. */
const scripts = globSync('test/{crash,race}/{writer,*-writer,*-worker}.ts', { cwd: root })

/**
 * Joins the modules of the service, as in a package: a process that starts from them needs half of the processor time.
 * Returns the executable. Each file is replaced at once, since another run in this checkout may be starting processes.
 */
export async function joinService(): Promise<string> {
  const place = join(folder, 'bundle')
  await mkdir(place, { recursive: true })
  const made = await mkdtemp(join(folder, 'making-'))
  const entries = {
    main: 'src/main.ts',
    ...Object.fromEntries(scripts.map(path => [joinedName(path), path])),
  }
  await bundle(root, { folder: made, toRoot: '../../..' }, source => source, entries)
  const isEntry = (name: string) => name.replace(/\.js$/, '') in entries
  const names = await readdir(made)
  const old = (await readdir(place)).filter(name => !names.includes(name))
  // The entries follow the files that they import.
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
