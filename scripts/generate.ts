// Generates files from the code: the OpenAPI document, the types of the SDK, the catalogue of problems and the settings
// reference. With --check it only reports which of them are out of date.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatedFiles } from './generated-files.ts'

const isCheck = process.argv.includes('--check')
const folder = await mkdtemp(join(tmpdir(), 'dossier-generate-'))
try {
  for (const [path, text] of Object.entries(await generatedFiles(folder))) {
    const file = new URL(`../${path}`, import.meta.url)
    const current = await readFile(file, 'utf8').catch(() => undefined)
    if (current === text) continue
    if (isCheck) {
      console.error(`${path} is out of date: run "npm run generate"`)
      process.exitCode = 1
    } else {
      await writeFile(file, text)
      console.log(`wrote ${path}`)
    }
  }
} finally {
  await rm(folder, { recursive: true })
}
