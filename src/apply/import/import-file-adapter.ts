import { createHash } from 'node:crypto'
import { fstatSync, readSync } from 'node:fs'
import { access, type FileHandle, open, realpath, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { readerOf } from '../../platform/blobs/file-io.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { RandomReader } from '../../platform/core/random-reader.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import type { LineRange } from './line-index.ts'
import { importLineBytes, LineSplitter, type RawLine } from './line-splitter.ts'

export type AttachedFault = 'missing' | 'outside' | 'not-a-file' | 'unreadable'

/** A file that a line refers to. The caller closes it. */
export interface AttachedFile extends RandomReader {
  content(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

const chunkBytes = 1024 * 1024

export type ImportFiles = ReturnType<typeof createImportFiles>

/** Reads the files of an import. Reads synchronously, because the import is its own command and serves no requests. */
export function createImportFiles() {
  return {
    /** `filesFolder` is the folder of the attached files; defaults to the folder of the file itself. */
    async open(path: string, filesFolder: string | undefined): Promise<ImportSource> {
      const folder = await realpath(filesFolder ?? dirname(path)).catch(cannotRead(filesFolder ?? path))
      if (!(await stat(folder)).isDirectory()) throw new Problem('bad-request', `${folder} is not a folder.`)
      const handle = await openFile(path).catch(cannotRead(path))
      if (handle === undefined) throw new Problem('bad-request', `${path} is not a file.`)
      return sourceOf(handle, folder, importLineBytes)
    },

    exists: (path: string): Promise<boolean> =>
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

export type ImportSource = ReturnType<typeof sourceOf>

/** The file being imported, and the files that it refers to. */
function sourceOf(handle: FileHandle, folder: string, lineBytes: number) {
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

  /** The content of a line, without its line ending. */
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

  /** Copies these lines to a new file. */
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
    /** All non-empty lines, in batches; must be read to the end once. */
    lines,
    /** Hash of the whole content; available once all lines have been read. */
    sha256: (): string => sha256,
    read,
    /** Returns false if the file has been written to since it was opened, so that the line positions are no longer valid. */
    isUnchanged(): boolean {
      const now = fstatSync(handle.fd)
      return now.size === size && now.mtimeMs === mtimeMs
    },
    /** Opens a file within the files folder only, even through symbolic links. */
    openAttached: (path: string): Promise<AttachedFile | { fault: AttachedFault }> =>
      openAttached(folder, path),
    copyTo,
    close: (): Promise<void> => handle.close(),
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
