import { deflateSync } from 'node:zlib'
import type { RandomReader } from '../core/random-reader.ts'
import { type Answer, isBeyondLimits } from './answer.ts'
import { deepest, deepZip, densestZip, eicar, eicarZip, largeZip, readerOf } from './probes.ts'

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

/** The EICAR file as a compressed stream. */
function eicarPdf(): Buffer {
  const packed = deflateSync(eicar)
  return Buffer.concat([
    Buffer.from(`%PDF-1.4\n1 0 obj\n<</Filter/FlateDecode/Length ${packed.length}>>\nstream\n`),
    packed,
    Buffer.from('\nendstream\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
  ])
}

const sectorBytes = 512
const smallSectorBytes = 64
const endOfChain = 0xfffffffe
const tableSector = 0xfffffffd
const none = 0xffffffff

/** An OLE2 file whose one stream is in two pieces, the end first: only a scanner that follows the chain finds the EICAR file. */
function eicarDoc(): Buffer {
  const header = Buffer.alloc(sectorBytes, 0xff)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header)
  header.fill(0, 8, 76)
  // Version 3.62, little endian, sectors of 2 ** 9 bytes and small ones of 2 ** 6.
  Buffer.from('3e000300feff09000600', 'hex').copy(header, 24)
  // Sector 0 is the table, 1 the directory, 2 the table of small sectors, 3 the small sectors.
  numbers(1, 1, 0, 4096, 2, 1, endOfChain, 0, 0).copy(header, 44)
  const table = sector(numbers(tableSector, endOfChain, endOfChain, endOfChain))
  const directory = Buffer.concat([
    directoryEntry({ name: 'Root Entry', type: 5, child: 1, start: 3, size: sectorBytes }),
    directoryEntry({ name: 'WordDocument', type: 2, child: none, start: 2, size: eicar.length }),
    Buffer.alloc(sectorBytes / 2),
  ])
  const smallTable = sector(numbers(endOfChain, none, 0))
  const small = Buffer.alloc(sectorBytes)
  eicar.copy(small, 2 * smallSectorBytes, 0, smallSectorBytes)
  eicar.copy(small, 0, smallSectorBytes)
  return Buffer.concat([header, table, directory, smallTable, small])
}

const sector = (chains: Buffer) => Buffer.concat([chains, Buffer.alloc(sectorBytes - chains.length, 0xff)])

function directoryEntry(entry: {
  name: string
  type: number
  child: number
  start: number
  size: number
}): Buffer {
  const bytes = Buffer.alloc(128)
  bytes.write(entry.name, 'utf16le')
  bytes.writeUInt16LE((entry.name.length + 1) * 2, 64)
  bytes.writeUInt8(entry.type, 66)
  numbers(none, none, entry.child).copy(bytes, 68)
  numbers(entry.start, entry.size).copy(bytes, 116)
  return bytes
}

/** An RTF document with the EICAR file as an embedded package, in hexadecimal digits. */
function eicarRtf(): Buffer {
  const name = Buffer.from('a\0')
  const packed = [name, name, Buffer.alloc(8), name, numbers(eicar.length), eicar]
  const content = Buffer.concat([Buffer.from([2, 0]), ...packed])
  const kind = Buffer.from('Package\0')
  const head = [numbers(0x501, 2, kind.length), kind, numbers(0, 0, content.length)]
  const digits = Buffer.concat([...head, content]).toString('hex')
  return Buffer.from(`{\\rtf1{\\object\\objemb{\\*\\objdata ${digits}}}}`)
}

function eicarHtml(): Buffer {
  const url = `data:application/octet-stream;base64,${eicar.toString('base64')}`
  return Buffer.from(`<html><body><img src="${url}"></body></html>`)
}

/** A document in the XML format of Word 2003. */
function eicarXml(): Buffer {
  // clamd recognises it only in lines, as Word writes it.
  const base64 = eicar.toString('base64').replace(/.{76}/g, '$&\n')
  return Buffer.from(
    `<?xml version="1.0"?><?mso-application progid="Word.Document"?>` +
      `<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">` +
      `<w:binData>\n${base64}\n</w:binData></w:wordDocument>`,
  )
}

interface Asking {
  ask(file: RandomReader): Promise<Answer>
  /** Creates the error for a clamd that does not answer, with the reason. */
  away(reason: string): Error
}

/**
 * Rejects if a "clean" from this clamd cannot be trusted. Resolves to a warning for the operator if there are files
 * that it will not judge.
 */
export async function proveClamd(
  clamd: Asking,
  { fileBytes, isKnown }: { fileBytes: number; isKnown: boolean },
): Promise<string | undefined> {
  await proveItFinds(clamd)
  await proveItReportsLimits(clamd)
  // Once per process, because settings last as long as it does, and the second probe costs clamd a second and some
  // hundred megabytes of disk.
  if (!isKnown) {
    await proveItOpensDocuments(clamd)
    await proveItUnpacksAll(clamd)
  }
  return proveItsSize(clamd, fileBytes)
}

async function proveItFinds({ ask, away }: Asking): Promise<void> {
  const answer = await ask(readerOf(eicarZip()))
  if (answer.verdict === 'infected') return
  if (answer.verdict === 'none') throw away(answer.reason)
  throw new Error(
    'clamd does not find the EICAR test file in a zip, so its verdicts are not used: give it signatures (freshclam) and "ScanArchive yes" in clamd.conf, and restart it',
  )
}

/** The formats that we accept are made of these kinds, and clamd can switch off each. To clamd, RTF is an archive. */
const documents: [kind: string, setting: string, make: () => Buffer][] = [
  ['PDF', 'ScanPDF', eicarPdf],
  ['Word document', 'ScanOLE2', eicarDoc],
  ['RTF document', 'ScanArchive', eicarRtf],
  ['web page', 'ScanHTML', eicarHtml],
  ['Word document of XML', 'ScanXMLDOCS', eicarXml],
]

async function proveItOpensDocuments({ ask, away }: Asking): Promise<void> {
  for (const [kind, setting, make] of documents) {
    const answer = await ask(readerOf(make()))
    if (answer.verdict === 'none') throw away(answer.reason)
    if (answer.verdict === 'clean') {
      throw new Error(
        `clamd does not find the EICAR test file in a ${kind}, so its verdicts are not used: set "${setting} yes" in clamd.conf, and restart it`,
      )
    }
  }
}

async function proveItReportsLimits({ ask, away }: Asking): Promise<void> {
  const answer = await ask(readerOf(deepZip()))
  if (answer.verdict === 'none') {
    if (isBeyondLimits(answer.reason)) return
    throw away(answer.reason)
  }
  throw new Error(
    answer.verdict === 'clean'
      ? 'clamd reports files as clean that it has not scanned, so its verdicts are not used: set "AlertExceedsMax yes" in clamd.conf, and restart it'
      : `clamd opens archives so deep that we cannot check whether it reports files beyond its limits, so its verdicts are not used: set MaxRecursion in clamd.conf to ${deepest} or less, and restart it`,
  )
}

async function proveItUnpacksAll({ ask, away }: Asking): Promise<void> {
  const answer = await ask(readerOf(densestZip()))
  if (answer.verdict === 'infected') return
  if (answer.verdict === 'none') {
    // A scanner that does not open three nested archives proves nothing about size limits.
    if (isBeyondLimits(answer.reason) && !answer.reason.endsWith('.MaxRecursion')) return
    throw away(answer.reason)
  }
  throw new Error(
    'clamd reports archives as clean after scanning only their beginning, so its verdicts are not used: set MaxFileSize in clamd.conf to the value of MaxScanSize, and restart it',
  )
}

/** Any answer but "clean" is safe. Resolves to a warning about files that it will not judge. */
async function proveItsSize({ ask }: Asking, fileBytes: number): Promise<string | undefined> {
  const answer = await ask(largeZip(fileBytes))
  if (answer.verdict === 'infected') return undefined
  const needed = `StreamMaxLength of at least ${fileBytes}, and MaxFileSize and MaxScanSize of at least ${2 * fileBytes}`
  if (answer.verdict === 'none') {
    return `clamd judges only smaller files (${answer.reason}), and the others stay unscanned: files of ${fileBytes} bytes need a ${needed} in clamd.conf`
  }
  throw new Error(
    `clamd reports a file of ${fileBytes} bytes as clean that it has not scanned, so its verdicts are not used: set "AlertExceedsMax yes", ${needed} in clamd.conf, and restart it`,
  )
}
