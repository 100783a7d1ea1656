import { readFileSync } from 'node:fs'
import { crc32, deflateRawSync } from 'node:zlib'
import type { RandomReader } from '../../src/platform/core/random-reader.ts'

/** Files of every kind, valid and invalid, small enough to be made on the spot. */

export function readerOf(bytes: Uint8Array): RandomReader {
  return {
    size: bytes.length,
    read: async (start, length) => bytes.subarray(start, Math.min(bytes.length, start + length)),
  }
}

export function demoFile(name: string): Buffer {
  return readFileSync(new URL(`../../src/demo/world/files/${name}`, import.meta.url))
}

export function pdfOf(size: number): Buffer {
  const bytes = Buffer.alloc(size, ' ')
  bytes.write('%PDF-1.7\n')
  return bytes
}

export interface ZipEntry {
  name: string
  content: Buffer | string
  /** The size that the archive states, if it is not the truth. */
  saidSize?: number
  isEncrypted?: boolean
}

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, saidSize, isEncrypted = false } of entries) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(isEncrypted ? 1 : 0, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(saidSize ?? bytes.length, 18)
    common.writeUInt16LE(name.length, 22)
    const file = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, tail, Buffer.from(name)]),
    )
    files.push(file)
    offset += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, list, Buffer.from('PK\u0005\u0006'), end])
}

const partTypes = {
  document: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  workbook: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
  macros: 'application/vnd.ms-word.document.macroEnabled.main+xml',
}

export function officeZip(kind: keyof typeof partTypes, more: readonly ZipEntry[] = []): Buffer {
  const list = `<?xml version="1.0"?><Types><Override PartName="/x.xml" ContentType="${partTypes[kind]}"/></Types>`
  return zipOf([{ name: '[Content_Types].xml', content: list }, { name: 'x.xml', content: '<x/>' }, ...more])
}

export interface CompoundEntry {
  name: string
  type: 'stream' | 'storage'
  left?: number
  right?: number
  child?: number
}

const none = 0xffffffff
const endOfChain = 0xfffffffe

/** An Office file from before 2007 with these names in its directory; entry 1 is the first of the root folder. */
export function compoundFile(entries: readonly CompoundEntry[], version: 3 | 4 = 3): Buffer {
  const sectorBytes = version === 3 ? 512 : 4096
  const all = [
    { name: 'Root Entry', type: 'root' as const, child: entries.length > 0 ? 1 : none },
    ...entries,
  ]
  const perSector = sectorBytes / 128
  const directorySectors = Math.ceil(all.length / perSector)
  const bytes = Buffer.alloc(sectorBytes * (2 + directorySectors))
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes)
  bytes.writeUInt16LE(version, 26)
  bytes.writeUInt16LE(0xfffe, 28)
  bytes.writeUInt16LE(version === 3 ? 9 : 12, 30)
  // Sector 0 is the table, the directory follows.
  bytes.writeUInt32LE(1, 48)
  bytes.writeUInt32LE(endOfChain, 68)
  for (let index = 0; index < 109; index++) bytes.writeUInt32LE(index === 0 ? 0 : none, 76 + index * 4)
  const table = sectorBytes
  bytes.fill(0xff, table, table + sectorBytes)
  for (let sector = 1; sector <= directorySectors; sector++) {
    bytes.writeUInt32LE(sector === directorySectors ? endOfChain : sector + 1, table + sector * 4)
  }
  const types = { root: 5, stream: 2, storage: 1 }
  all.forEach((entry, index) => {
    const start = sectorBytes * 2 + index * 128
    bytes.write(entry.name, start, 'utf16le')
    bytes.writeUInt16LE((entry.name.length + 1) * 2, start + 64)
    bytes.writeUInt8(types[entry.type], start + 66)
    const { left = none, right = none, child = none } = entry as CompoundEntry
    bytes.writeUInt32LE(left, start + 68)
    bytes.writeUInt32LE(right, start + 72)
    bytes.writeUInt32LE(child, start + 76)
  })
  return bytes
}

export const wordFile = compoundFile([
  { name: '1Table', type: 'stream', left: 2, right: 3 },
  { name: 'Data', type: 'stream' },
  { name: 'WordDocument', type: 'stream' },
])

/** A spreadsheet with a Word document inside: the name exists, but not in the root folder. */
export const spreadsheetFile = compoundFile([
  { name: 'Workbook', type: 'stream', right: 2 },
  { name: 'MBD0018', type: 'storage', child: 3 },
  { name: 'WordDocument', type: 'stream' },
])

export const lockedFile = compoundFile([{ name: 'EncryptedPackage', type: 'stream' }])
