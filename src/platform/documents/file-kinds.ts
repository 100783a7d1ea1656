import { invalidField } from '../core/fields.ts'
import { lastPart, safeFileName } from '../core/file-name.ts'
import type { RandomReader } from '../core/random-reader.ts'
import { listRootStreams } from './compound-file.ts'
import { documentTypes } from './document.ts'

/** The kinds of file that are accepted. The content determines the kind, never the name. */
export const fileKinds = ['pdf', 'doc', 'docx', 'rtf', 'txt'] as const
export type FileKind = (typeof fileKinds)[number]

export const contentTypes: Record<FileKind, string> = {
  ...documentTypes,
  pdf: 'application/pdf',
  txt: 'text/plain',
}

export const kindNames: Record<FileKind, string> = {
  pdf: 'a PDF',
  doc: 'a Word document',
  docx: 'a Word document',
  rtf: 'an RTF document',
  txt: 'plain text',
}

export type KindFault = 'empty' | 'unknown' | 'protected' | 'other-archive' | 'other-office' | 'bomb'

export const faultMessages: Record<KindFault, string> = {
  empty: 'This file is empty. Choose another file.',
  unknown: 'This is not a PDF, Word, RTF or plain text file. Save it as one of these and send it again.',
  protected: 'This document is password-protected. Save it without a password and send it again.',
  'other-archive': 'This is an archive, not a Word document, or it is damaged. Choose another file.',
  'other-office':
    'This is an Office file, but not a Word document. Save it as PDF or Word and send it again.',
  bomb: 'This document is too large when unpacked. Save it as PDF and send it again.',
}

/** Checks a ZIP archive; undefined if it is a docx. */
export type ArchiveCheck = (file: RandomReader) => Promise<KindFault | undefined>

export type Detected = { kind: FileKind } | { fault: KindFault }

/** Returns the kind of an accepted file; throws with an error at `field` otherwise. */
export async function acceptedKind(
  file: RandomReader,
  { name, field }: { name: string; field: string },
  checkArchive: ArchiveCheck,
): Promise<FileKind> {
  const detected = await detectKind(file, checkArchive)
  if ('fault' in detected) throw invalidField(field, detected.fault, faultMessages[detected.fault])
  const claimed = claimedKind(name)
  // Almost anything passes as text, so text named like a document is probably damaged or the wrong file.
  if (detected.kind === 'txt' && claimed !== undefined && claimed !== 'txt') {
    const message = `This file ends in .${claimed} but isn't ${kindNames[claimed]}.`
    throw invalidField(field, 'file-kind', message)
  }
  return detected.kind
}

const compoundFileMark = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]

export async function detectKind(file: RandomReader, checkArchive: ArchiveCheck): Promise<Detected> {
  if (file.size === 0) return { fault: 'empty' }
  const head = await file.read(0, 1024)
  // Latin-1 maps each byte to one character.
  const start = new TextDecoder('latin1').decode(head)
  // Some programs write a byte order mark or white space before the header, and every reader accepts that.
  if (/^(?:ï»¿)?\s*%PDF-\d/.test(start)) return { kind: 'pdf' }
  if (start.startsWith('{\\rtf')) return { kind: 'rtf' }
  if (compoundFileMark.every((byte, index) => head[index] === byte)) return detectOffice(file)
  if (start.startsWith('PK\u0003\u0004')) {
    const fault = await checkArchive(file)
    return fault === undefined ? { kind: 'docx' } : { fault }
  }
  // Markup is not plain text.
  if (/^(?:ï»¿)?\s*<(?:!doctype|html|\?xml|svg)\b/i.test(start)) return { fault: 'unknown' }
  return detectText(file, head)
}

async function detectOffice(file: RandomReader): Promise<Detected> {
  const streams = await listRootStreams(file)
  if (streams.has('WordDocument')) return { kind: 'doc' }
  return { fault: streams.has('EncryptedPackage') ? 'protected' : 'other-office' }
}

/** Control characters that never occur in text; tab, line feed, form feed and carriage return are allowed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const notInText = /[\u0000-\u0008\u000B\u000E-\u001F\u007F]/

/** Classes of bytes; white space has none. */
const byteKinds = { visible: 1, notInText: 2 }
const kindOfByte = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (notInText.test(character)) return byteKinds.notInText
  return character.trim() === '' ? 0 : byteKinds.visible
})

/** Combines the classes of all bytes in one number, in half the time of a regular expression over the decoded text. */
function kindsIn(bytes: Uint8Array): number {
  let kinds = 0
  for (let index = 0; index < bytes.length; index++) kinds |= kindOfByte[bytes[index] as number] as number
  return kinds
}

/** UTF-16 is recognised by its byte order mark; anything else is checked byte by byte, as UTF-8 or Windows-1252. */
function detectText(file: RandomReader, head: Uint8Array): Promise<Detected> {
  const encoding = utf16Of(head)
  return encoding === undefined ? detectBytes(file) : detectUtf16(file, encoding)
}

async function detectBytes(file: RandomReader): Promise<Detected> {
  let kinds = 0
  for (let position = 0; position < file.size; position += chunkBytes) {
    kinds |= kindsIn(await file.read(position, chunkBytes))
    if ((kinds & byteKinds.notInText) !== 0) return { fault: 'unknown' }
  }
  return kinds === 0 ? { fault: 'empty' } : { kind: 'txt' }
}

async function detectUtf16(file: RandomReader, encoding: 'utf-16le' | 'utf-16be'): Promise<Detected> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let isBlank = true
  try {
    for (let position = 0; position < file.size; position += chunkBytes) {
      const text = decoder.decode(await file.read(position, chunkBytes), { stream: true })
      if (notInText.test(text)) return { fault: 'unknown' }
      isBlank &&= text.trim() === ''
    }
    decoder.decode()
  } catch (error) {
    // Only the decoder's own error is about the content; a failed read is not.
    if (!(error instanceof TypeError)) throw error
    return { fault: 'unknown' }
  }
  return isBlank ? { fault: 'empty' } : { kind: 'txt' }
}

const chunkBytes = 64 * 1024

function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** Gives the name the extension of its kind: replaces another known extension, and appends to anything else. */
export function nameOfKind(name: string, kind: FileKind): string {
  const named = kindOfName(name)
  if (named === kind) return name
  const stem = named === undefined ? name : name.slice(0, name.lastIndexOf('.'))
  return `${stem}.${kind}`
}

/** The kind indicated by a name's extension. */
export function kindOfName(name: string): FileKind | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return name.includes('.') ? fileKinds.find(kind => kind === ending) : undefined
}

/** The kind that the sent name claims. The safe name of `.pdf`, which is only an extension, has lost its dot. */
function claimedKind(sentName: string): FileKind | undefined {
  return kindOfName(safeFileName(`stem${lastPart(sentName)}`))
}

/** Whether a file was stored with another extension than the sent name has, so that the sender can be informed. */
export function hasNewEnding(sentName: string, storedName: string): boolean {
  return claimedKind(sentName) !== kindOfName(storedName)
}
