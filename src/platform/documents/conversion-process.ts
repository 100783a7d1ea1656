import { argv, stdin, stdout } from 'node:process'
import { buffer } from 'node:stream/consumers'
import { DocumentBuilder, type TextLimits, Unreadable } from './builder.ts'
import type { DocumentKind, DocumentText } from './document.ts'
import type { PartLimits } from './docx-parts.ts'

/**
 * The process that converts one document: the file comes in, its text goes out as JSON. Any error means that the file
 * is unreadable.
 */

export interface ConversionTask {
  kind: DocumentKind
  limits: TextLimits & PartLimits
}

/** Loads only the reader that the document needs. */
async function convert(
  kind: DocumentKind,
  bytes: Uint8Array,
  limits: ConversionTask['limits'],
): Promise<DocumentText> {
  const builder = new DocumentBuilder(limits)
  if (kind === 'docx') {
    const { readDocxTree } = await import('./docx-parts.ts')
    const { readDocx } = await import('./docx-reader.ts')
    readDocx(await readDocxTree(bytes, limits), builder)
  } else if (kind === 'doc') {
    const { readDoc } = await import('./doc-reader.ts')
    const read = async (start: number, length: number) => bytes.subarray(start, start + length)
    await readDoc({ size: bytes.length, read }, builder)
  } else {
    const { readRtf } = await import('./rtf-reader.ts')
    readRtf(bytes, builder)
  }
  const text = builder.finish()
  if (text.blocks.length === 0) throw new Unreadable('no text')
  return text
}

const { kind, limits } = JSON.parse(argv[2] ?? '') as ConversionTask
stdout.write(JSON.stringify(await convert(kind, await buffer(stdin), limits)))
