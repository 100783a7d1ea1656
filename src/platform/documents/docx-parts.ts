import { buffer } from 'node:stream/consumers'
import mammoth from 'mammoth'
import { fromBufferPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { Unreadable } from './builder.ts'
import type { DocxNode } from './docx-reader.ts'

/** Parts that may hold text, styles or lists. Pictures and what describes the document are never unpacked. */
const isWanted = (name: string) =>
  /\.(xml|rels)$/i.test(name) && !/^(customXml|docProps)\/|\/(theme|glossary|embeddings)\//i.test(name)

/** Word never writes a document type, and only with one can entities be declared. */
const documentType = /<!(doctype|entity)/i

/** Far more than Word writes. The time that the XML reader takes grows with the square of both. */
const maxDepth = 250
const maxTagLength = 8000

export interface PartLimits {
  parts: number
  unpackedBytes: number
}

/**
 * Reads the tree of a docx with mammoth. Mammoth unpacks what an archive claims to hold, so it gets an archive of our own
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
      // We want the document as it was read, not as HTML.
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
    // yauzl ends with an error where an entry turns out longer than it says.
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

/** Rejects elements that are nested too deep, which those without an end are as well, and tags with endless attributes. */
function checkTags(text: string): void {
  let depth = 0
  for (const [tag, end, empty] of text.matchAll(/<(\/?)[^\s<>/!?](?:"[^"]*"|'[^']*'|[^<>"'])*?(\/?)>/g)) {
    if (tag.length > maxTagLength) throw new Unreadable('long tag')
    depth += end === '/' ? -1 : empty === '/' ? 0 : 1
    if (depth > maxDepth) throw new Unreadable('deep nesting')
  }
}
