import { createHash } from 'node:crypto'
import { fstatSync, readSync } from 'node:fs'
import { access, type FileHandle, open, realpath, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, sep } from 'node:path'
import type { LineRange } from '../../apply/import/line-index.ts'
import type {
  AttachedFault,
  AttachedFile,
  ImportFiles,
  ImportSource,
  RawLine,
} from '../../apply/import/ports.ts'
import { Problem } from '../../core/problems.ts'
import { reasonOf } from '../../core/reason.ts'
import { readerOf } from '../blobs/file-io.ts'
import { LineSplitter } from './line-splitter.ts'

const chunkBytes = 1024 * 1024

/** Reads the files of an import. Uses synchronous reads, because the import is a command of its own and serves no requests. */
export function createImportFiles(limits: { importLineBytes: number }): ImportFiles {
  return {
    async open(path, filesFolder) {
      const folder = await realpath(filesFolder ?? dirname(path)).catch(cannotRead(filesFolder ?? path))
      if (!(await stat(folder)).isDirectory()) throw new Problem('bad-request', `${folder} is not a folder.`)
      const handle = await openFile(path).catch(cannotRead(path))
      if (handle === undefined) throw new Problem('bad-request', `${path} is not a file.`)
      return sourceOf(handle, folder, limits.importLineBytes)
    },

    exists: path =>
      access(path).then(
        () => true,
        () => false,
      ),
  }
}

/** Checks the type before opening, because opening a pipe would wait for its writer. Undefined if it is not a regular file. */
async function openFile(path: string): Promise<FileHandle | undefined> {
  return (await stat(path)).isFile() ? open(path) : undefined
}

function cannotRead(path: string): (error: unknown) => never {
  return error => {
    if (codeOf(error) === 'ENOENT') throw new Problem('not-found', `There is no file or folder ${path}.`)
    throw new Problem('bad-request', `${path} cannot be read (${reasonOf(error)}).`)
  }
}

function sourceOf(handle: FileHandle, folder: string, lineBytes: number): ImportSource {
  const { size, mtimeMs } = fstatSync(handle.fd)
  let sha256 = ''

  async function* lines(): AsyncGenerator<RawLine[]> {
    const hash = createHash('sha256')
    const splitter = new LineSplitter(lineBytes)
    const buffer = Buffer.alloc(chunkBytes)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, splitter.position)
      if (bytesRead === 0) break
      const chunk = buffer.subarray(0, bytesRead)
      hash.update(chunk)
      yield splitter.push(chunk)
    }
    yield splitter.end()
    sha256 = hash.digest('hex')
  }

  function read({ offset, length }: LineRange): Buffer {
    const buffer = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const bytesRead = readSync(handle.fd, buffer, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  }

  async function copyTo(path: string, ranges: Iterable<LineRange>): Promise<void> {
    const copy = await open(path, 'wx', 0o600).catch(error => {
      throw new Problem('bad-request', `${path} cannot be written (${reasonOf(error)}).`)
    })
    try {
      for (const { line, offset, length } of ranges) {
        // Copy in chunks, because a line may be longer than the limit.
        for (let start = 0; start < length; start += chunkBytes) {
          await copy.appendFile(
            read({ line, offset: offset + start, length: Math.min(chunkBytes, length - start) }),
          )
        }
        await copy.appendFile('\n')
      }
      await copy.close()
    } catch (error) {
      await copy.close()
      await rm(path, { force: true })
      throw error
    }
  }

  return {
    size,
    lines,
    sha256: () => sha256,
    read,
    isUnchanged() {
      const now = fstatSync(handle.fd)
      return now.size === size && now.mtimeMs === mtimeMs
    },
    openAttached: path => openAttached(folder, path),
    copyTo,
    close: () => handle.close(),
  }
}

async function openAttached(folder: string, path: string): Promise<AttachedFile | { fault: AttachedFault }> {
  if (isAbsolute(path) || path.includes('\0')) return { fault: 'outside' }
  let handle: FileHandle | undefined
  try {
    // Resolve symbolic links first, so that a link cannot lead out of the folder.
    const real = await realpath(join(folder, path))
    if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return { fault: 'outside' }
    handle = await openFile(real)
    if (handle === undefined) return { fault: 'not-a-file' }
    return attachedFile(handle, (await handle.stat()).size)
  } catch (error) {
    await handle?.close()
    return { fault: ['ENOENT', 'ENOTDIR'].includes(codeOf(error)) ? 'missing' : 'unreadable' }
  }
}

function attachedFile(handle: FileHandle, size: number): AttachedFile {
  const reader = readerOf(handle, size)
  return {
    ...reader,
    // Read only up to the size found on opening, even if another process appends to the file.
    async *content() {
      for (let start = 0; start < size; start += chunkBytes) yield await reader.read(start, chunkBytes)
    },
    close: () => handle.close(),
  }
}

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)
