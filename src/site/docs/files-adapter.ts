import { promises } from 'node:fs'

const root = new URL('../../../', import.meta.url)

/** Reads guides, samples and the OpenAPI document, which are stored once, in the repository. */
export const docsFiles = {
  /** `path` is relative to the root of the repository. */
  read: (path: string): Promise<string> => promises.readFile(new URL(path, root), 'utf8'),
  /** The unchanged bytes of a file; undefined if it does not exist. */
  readBytes: (path: string): Promise<Buffer | undefined> =>
    promises.readFile(new URL(path, root)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    }),
}

export type DocsFiles = typeof docsFiles
