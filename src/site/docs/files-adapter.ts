import { promises } from 'node:fs'
import type { DeskFiles } from './ports.ts'

const root = new URL('../../../', import.meta.url)

export const deskFiles: DeskFiles = {
  read: path => promises.readFile(new URL(path, root), 'utf8'),
}
