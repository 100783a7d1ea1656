import { promises } from 'node:fs'
import type { DocsFiles } from './ports.ts'

const root = new URL('../../../', import.meta.url)

export const docsFiles: DocsFiles = {
  read: path => promises.readFile(new URL(path, root), 'utf8'),
}
