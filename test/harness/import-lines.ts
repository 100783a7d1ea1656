import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A line as a job board would write it, with only the required fields. */
export function importLine(
  advertiserId: number,
  serial: string | number,
  submitted: string,
  more: object = {},
): string {
  return JSON.stringify({
    advertiserId,
    submitted,
    jobSeekerId: `seeker-${serial}`,
    contact: { email: `casey.${serial}@example.com`, firstName: 'Casey', lastName: `Ng ${serial}` },
    ...more,
  })
}

export interface ImportFolder {
  /** The path of the file with this name. */
  path(name: string): string
  write(name: string, content: string | Uint8Array): Promise<string>
  remove(): Promise<void>
}

export async function createImportFolder(): Promise<ImportFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  const path = (name: string) => join(folder, name)
  return {
    path,
    async write(name, content) {
      await mkdir(dirname(path(name)), { recursive: true })
      await writeFile(path(name), content)
      return path(name)
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
