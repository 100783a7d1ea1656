// Generates files from the code: the OpenAPI document, the types of the SDK, the catalogue of problems and the settings
// reference. test/routes.test.ts reports which of them are out of date.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatedFiles } from './generated-files.ts'

const folder = await mkdtemp(join(tmpdir(), 'dossier-generate-'))
try {
  for (const [path, text] of Object.entries(await generatedFiles(folder))) {
    const file = new URL(`../${path}`, import.meta.url)
    const current = await readFile(file, 'utf8').catch(() => undefined)
    if (current === text) continue
    await writeFile(file, text)
    console.log(`wrote ${path}`)
  }
} finally {
  await rm(folder, { recursive: true })
}
