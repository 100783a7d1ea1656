import { buffer } from 'node:stream/consumers'
import mammoth from 'mammoth'
import { fromBufferPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { Unreadable } from './builder.ts'
import type { DocxNode } from './docx-reader.ts'

/** Parts that may contain text, styles or lists. Pictures and metadata are never unpacked. */
const isWanted = (name: string) =>
  /\.(xml|rels)$/i.test(name) && !/^(customXml|docProps)\/|\/(theme|glossary|embeddings)\//i.test(name)

/** Word never writes a document type, which is required to declare entities. */
const documentType = /<!(doctype|entity)/i

/** Far more than Word writes. The XML reader's time grows with the square of both. */
const maxDepth = 250
const maxTagLength = 8000

export interface PartLimits {
  parts: number
  unpackedBytes: number
}

/**
 * Reads the tree of a docx with mammoth. Mammoth unpacks whatever an archive declares, so it gets our own archive
 * instead, with the few parts it needs, unpacked within limits.
 */
export async function readDocxTree(bytes: Uint8Array, limits: PartLimits): Promise<DocxNode> {
  const archive = await repack(bytes, limits)
  let tree: DocxNode | undefined
  await mammoth.convertToHtml(
    { buffer: archive },
    {
      externalFileAccess: false,
      includeEmbeddedStyleMap: false,
      includeDefaultStyleMap: false,
      // Takes the document as read, not its HTML.
      transformDocument(document: DocxNode) {
        tree = document
        return { type: 'document', children: [], notes: {}, comments: [] }
      },
    },
  )
  if (tree === undefined) throw new Unreadable('no document')
  return tree
}

async function repack(bytes: Uint8Array, { parts, unpackedBytes }: PartLimits): Promise<Buffer> {
  const archive = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (archive.entryCount > parts) throw new Unreadable('too many parts')
  const packed = new ZipFile()
  let left = unpackedBytes
  for await (const entry of archive.eachEntry()) {
    if (!isWanted(entry.fileName)) continue
    if (entry.uncompressedSize > left) throw new Unreadable('too large')
    // yauzl fails if an entry is longer than declared.
    const part = await buffer(await archive.openReadStreamPromise(entry))
    left -= part.length
    const text = part.toString('latin1')
    if (documentType.test(text)) throw new Unreadable('document type')
    checkTags(text)
    packed.addBuffer(part, entry.fileName, { compress: false })
  }
  packed.end()
  return buffer(packed.outputStream)
}

/** Rejects elements that are nested too deeply, including unclosed ones, and tags with endless attributes. */
function checkTags(text: string): void {
  let depth = 0
  for (const [tag, end, empty] of text.matchAll(/<(\/?)[^\s<>/!?](?:"[^"]*"|'[^']*'|[^<>"'])*?(\/?)>/g)) {
    if (tag.length > maxTagLength) throw new Unreadable('long tag')
    depth += end === '/' ? -1 : empty === '/' ? 0 : 1
    if (depth > maxDepth) throw new Unreadable('deep nesting')
  }
}
