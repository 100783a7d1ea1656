import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/**
 * The log was written for another file. Every commit raises `user_version`, which is in the header of the file, on its
 * first page. So the first header in a log is the successor of the header that the file had when the log began. The
 * file still has that header or, after a checkpoint, one of the headers in the log. Therefore a file with any other
 * header was put there later: SQLite would still replay the log onto it and mix the two.
 */
export class ForeignLog extends Error {
  override readonly name = 'ForeignLog'
  constructor() {
    super(
      'dossier.db-wal belongs to another dossier.db than the one beside it. This happens when a backup replaces a database that was not shut down cleanly. Nothing was changed. To use this dossier.db, move dossier.db-wal and dossier.db-shm out of the folder, and start. To use the earlier dossier.db, put it back beside its dossier.db-wal',
    )
  }
}

/** Throws ForeignLog if SQLite would replay a log onto a file that it was not written for. */
export function assertOwnLog(path: string): void {
  // Twice, because another process may be writing to both.
  if (isForeign(path) && isForeign(path)) throw new ForeignLog()
}

const headerBytes = 100
const logHeaderBytes = 32
const frameHeaderBytes = 24

function isForeign(path: string): boolean {
  const file = tryOpen(path)
  const log = tryOpen(`${path}-wal`)
  try {
    if (log === undefined) return false
    const logHeader = readAt(log, 0, logHeaderBytes)
    const header = file === undefined ? Buffer.alloc(0) : readAt(file, 0, headerBytes)
    const verdict = compare(header, log, logHeader)
    // Not foreign if another process has since restarted the log.
    return verdict && readAt(log, 0, logHeaderBytes).equals(logHeader)
  } finally {
    for (const handle of [file, log]) if (handle !== undefined) closeSync(handle)
  }
}

function compare(header: Buffer, log: number, logHeader: Buffer): boolean {
  /** Headers in the transaction being read. */
  let uncommitted: Buffer[] = []
  let first: Buffer | undefined
  let hasCommit = false
  for (const { page, isCommit, content } of framesOf(log, logHeader)) {
    if (page === 1) uncommitted.push(Buffer.from(content.subarray(0, headerBytes)))
    if (!isCommit) continue
    hasCommit = true
    first ??= uncommitted[0]
    if (uncommitted.some(version => version.equals(header))) return false
    uncommitted = []
  }
  // Without a commit SQLite replays nothing.
  if (!hasCommit) return false
  if (header.length < headerBytes || !isOfLogMode(header)) return true
  if (first === undefined) return false
  // Equal if another program, such as the SQLite shell, has written.
  const between = (versionOf(first) - versionOf(header)) | 0
  return between !== 0 && between !== 1
}

/** A file is in WAL mode before it has a log; the result of VACUUM INTO is not. */
const isOfLogMode = (header: Buffer) => header[18] === 2 && header[19] === 2
const versionOf = (header: Buffer) => header.readInt32BE(60)

interface Frame {
  page: number
  isCommit: boolean
  /** Valid until the next frame. */
  content: Buffer
}

/** Yields the frames that SQLite would read: https://sqlite.org/fileformat2.html#the_write_ahead_log */
function* framesOf(log: number, header: Buffer): Generator<Frame> {
  if (header.length < logHeaderBytes) return
  const magic = header.readUInt32BE(0)
  if (magic >>> 1 !== 0x377f0682 >>> 1) return
  const isBigEndian = magic % 2 === 1
  let sums = addUp([0, 0], header.subarray(0, 24), isBigEndian)
  if (!areAt(sums, header, 24)) return
  const salts = header.subarray(16, 24)
  const frame = Buffer.alloc(frameHeaderBytes + header.readUInt32BE(8))
  for (
    let at = logHeaderBytes;
    readSync(log, frame, 0, frame.length, at) === frame.length;
    at += frame.length
  ) {
    const content = frame.subarray(frameHeaderBytes)
    if (!frame.subarray(8, 16).equals(salts)) return
    sums = addUp(addUp(sums, frame.subarray(0, 8), isBigEndian), content, isBigEndian)
    if (!areAt(sums, frame, 16)) return
    yield { page: frame.readUInt32BE(0), isCommit: frame.readUInt32BE(4) !== 0, content }
  }
}

type Sums = readonly [number, number]

function addUp([first, second]: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let [a, b] = [first, second]
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + words.getUint32(at, !isBigEndian) + b) >>> 0
    b = (b + words.getUint32(at + 4, !isBigEndian) + a) >>> 0
  }
  return [a, b]
}

const areAt = ([a, b]: Sums, bytes: Buffer, at: number) =>
  bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b

function readAt(handle: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.min(length, fstatSync(handle).size))
  return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, at))
}

function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
