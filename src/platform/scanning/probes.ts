import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { RandomReader } from '../core/random-reader.ts'

/**
 * The harmless test file that every scanner reports as a virus. In halves, so that scanners do not report this source.
 */
export const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
)

/**
 * clamd's default is 17. Beyond this depth our probe cannot show how clamd handles archives that are nested too deeply.
 */
export const deepest = 100

interface Entry {
  name: string
  method: 0 | 8
  crc: number
  /** Sizes in the archive, and unpacked. */
  packed: number
  size: number
}

const localHeader = (entry: Entry) => {
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(entry.method, 8)
  header.writeUInt32LE(entry.crc, 14)
  header.writeUInt32LE(entry.packed, 18)
  header.writeUInt32LE(entry.size, 22)
  header.writeUInt16LE(entry.name.length, 26)
  return Buffer.concat([header, Buffer.from(entry.name)])
}

const directoryEntry = (entry: Entry, offset: number) => {
  const header = Buffer.alloc(46)
  header.write('PK\x01\x02', 'latin1')
  header.writeUInt16LE(20, 4)
  // The rest repeats the local header.
  localHeader(entry).copy(header, 6, 4, 30)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, Buffer.from(entry.name)])
}

/** The directory at the end of an archive whose entries are contiguous from its first byte. */
function directory(entries: readonly Entry[]): Buffer {
  let offset = 0
  const listed = entries.map(entry => {
    const at = offset
    offset += localHeader(entry).length + entry.packed
    return directoryEntry(entry, at)
  })
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(Buffer.concat(listed).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...listed, end])
}

function stored(name: string, content: Uint8Array): Entry {
  return { name, method: 0, crc: crc32(content), packed: content.length, size: content.length }
}

/** Deflated, so that only a scanner that unpacks finds it, not one that searches for its text. */
const packedEicar = deflateRawSync(eicar)
const eicarEntry: Entry = {
  name: 'eicar.com',
  method: 8,
  crc: crc32(eicar),
  packed: packedEicar.length,
  size: eicar.length,
}

/** A ZIP file with one deflated entry. */
function zipOf(name: string, body: Buffer, crc: number, size: number): Buffer {
  const entry: Entry = { name, method: 8, crc, packed: body.length, size }
  return Buffer.concat([localHeader(entry), body, directory([entry])])
}

export function eicarZip(): Buffer {
  return zipOf(eicarEntry.name, packedEicar, eicarEntry.crc, eicarEntry.size)
}

/** The EICAR file in more nested ZIP files than a scanner opens. */
export function deepZip(): Buffer {
  let zip = eicarZip()
  for (let depth = 1; depth <= deepest; depth++) {
    const entry = stored('a', zip)
    zip = Buffer.concat([localHeader(entry), zip, directory([entry])])
  }
  return zip
}

const zeros = Buffer.alloc(1024 * 1024)

function crcWithZeros(length: number, before = 0): number {
  let crc = before
  for (let done = 0; done < length; done += zeros.length) {
    crc = crc32(zeros.subarray(0, Math.min(zeros.length, length - done)), crc)
  }
  return crc
}

/** A ZIP file of this size in three parts: the middle one is zeros, and the EICAR file follows it. */
function paddedZip(size: number): { head: Buffer; padding: number; tail: Buffer } {
  const around = (padding: number) => {
    const entry: Entry = {
      name: 'padding',
      method: 0,
      crc: crcWithZeros(padding),
      packed: padding,
      size: padding,
    }
    const tail = Buffer.concat([localHeader(eicarEntry), packedEicar, directory([entry, eicarEntry])])
    return { head: localHeader(entry), padding, tail }
  }
  const { head, tail } = around(0)
  return around(Math.max(0, size - head.length - tail.length))
}

/** The EICAR file at the end of a ZIP file of this size, generated as it is read. */
export function largeZip(wanted: number): RandomReader {
  const { head, padding, tail } = paddedZip(wanted)
  const tailAt = head.length + padding
  const size = tailAt + tail.length
  return {
    size,
    async read(start, count) {
      const end = Math.min(start + count, size)
      // Bytes that belong to neither end are padding.
      const piece = Buffer.alloc(Math.max(0, end - start))
      head.subarray(start, end).copy(piece)
      if (end > tailAt) tail.subarray(Math.max(0, start - tailAt)).copy(piece, Math.max(0, tailAt - start))
      return piece
    },
  }
}

let densest: Buffer | undefined

/**
 * The EICAR file at the end of a gibibyte, compressed twice into a few kilobytes. clamd silently truncates unpacked
 * content at MaxFileSize, whatever AlertExceedsMax is.
 */
export function densestZip(): Buffer {
  // Even a checksum of a gibibyte takes a moment.
  densest ??= packDensest()
  return densest
}

function packDensest(): Buffer {
  const { head, padding, tail } = paddedZip(1024 * zeros.length)
  // Blocks that end on a byte boundary and have no back-references can be repeated.
  const block = (bytes: Buffer) => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH })
  const blocks = Array<Buffer>(Math.floor(padding / zeros.length)).fill(block(zeros))
  const rest = Buffer.concat([zeros.subarray(0, padding % zeros.length), tail])
  const size = head.length + padding + tail.length
  const crc = crc32(tail, crcWithZeros(padding, crc32(head)))
  const once = zipOf('a', Buffer.concat([block(head), ...blocks, deflateRawSync(rest)]), crc, size)
  return zipOf('a', deflateRawSync(once), crc32(once), once.length)
}

export function readerOf(bytes: Uint8Array): RandomReader {
  return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) }
}
