import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { builtInLists, type ListName, type Lists, listNames, readList } from './model/own-lists.ts'
import { reasonOf } from './platform/core/reason.ts'

/** Limit: Bytes of one file in LISTS_DIR. */
const maxListBytes = 1024 * 1024

/** The lists that candidates choose from: the operator's own, where the folder has a file for them. */
export function readLists(folder: string | undefined): Lists {
  if (folder === undefined) return { ...builtInLists, own: {} }
  const own: Lists['own'] = {}
  for (const file of filesIn(folder)) {
    const name = listNames.find(each => `${each}.json` === file)
    if (name === undefined)
      throw new Error(
        `must be a folder with ${listNames.map(each => `${each}.json`).join(', ')} and no other JSON files: it has ${JSON.stringify(file)}`,
      )
    own[name] = readOwn(folder, name)
  }
  return { ...builtInLists, ...own, own }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => /^[^.].*\.json$/is.test(name))
  } catch (error) {
    throw new Error(`must be a folder that this user can read (${reasonOf(error)})`)
  }
}

function readOwn(folder: string, name: ListName) {
  try {
    return readList(name, textOf(folder, `${name}.json`))
  } catch (error) {
    throw new Error(`${name}.json: ${(error as Error).message}`)
  }
}

function textOf(folder: string, file: string): string {
  // Kubernetes mounts files as links within their folder; a link that leads elsewhere could expose any file of this
  // machine.
  const path = realpathSync(join(folder, file))
  if (!path.startsWith(`${realpathSync(folder)}${sep}`))
    throw new Error('is a link that leads out of the folder')
  // O_NONBLOCK: if the path is a pipe, do not wait for a writer.
  const opened = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const { size, isFile } = kindOf(opened)
    if (!isFile) throw new Error('is not a file')
    if (size > maxListBytes) throw new Error(`must have at most ${maxListBytes} bytes; it has ${size}`)
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(opened))
  } catch (error) {
    throw error instanceof TypeError ? new Error('is not text in UTF-8') : error
  } finally {
    closeSync(opened)
  }
}

function kindOf(opened: number) {
  const file = fstatSync(opened)
  return { size: file.size, isFile: file.isFile() }
}
