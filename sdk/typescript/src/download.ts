import { DossierError } from './errors.ts'
import type { Call, Transport } from './transport.ts'

/** A downloaded file. It is complete, and its SHA-256 is the one that the service gave. */
export interface DossierFile {
  /** The name under which it was sent, without anything that could lead out of a folder. */
  name: string
  contentType: string
  bytes: Uint8Array<ArrayBuffer>
  size: number
  /** SHA-256, in hexadecimal. */
  hash: string
  /** True if the virus scanner found something: then the file is empty. */
  isInfected: boolean
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Downloads a file. After a broken connection it continues where it was, if it is still the same file. */
export function download(transport: Transport, call: Call): Promise<DossierFile> {
  let chunks: Uint8Array[] = []
  let size = 0
  let tag = ''

  const start = () => {
    chunks = []
    size = 0
  }

  return transport.send(
    {
      ...call,
      // One byte that is here already, because a range that begins behind the last byte is an error.
      headers: () =>
        size > 0 ? { accept: '*/*', range: `bytes=${size - 1}-`, 'if-range': tag } : { accept: '*/*' },
    },
    async response => {
      const { headers, status, body } = response
      let skipped = 0
      if (status === 206 && headers.get('content-range')?.startsWith(`bytes ${size - 1}-`)) skipped = 1
      else start()
      tag = headers.get('etag') ?? ''
      if (body !== null) {
        for await (const chunk of chunksOf(body)) {
          const added = chunk.subarray(skipped)
          skipped -= chunk.length - added.length
          chunks.push(added)
          size += added.length
        }
      }
      const bytes = joined(chunks, size)
      const hash = hexOf(await crypto.subtle.digest('SHA-256', bytes))
      const [, expected = hash] = /^(?:W\/)?"([0-9a-f]{64})"$/.exec(tag) ?? []
      if (hash !== expected) {
        start()
        throw new DossierError('bad-response', 'the file is not the one that its ETag names', { status })
      }
      return {
        name: nameIn(headers.get('content-disposition') ?? ''),
        contentType: headers.get('content-type') ?? 'application/octet-stream',
        bytes,
        size,
        hash,
        isInfected: headers.get('x-has-virus') === 'true',
        stream: () => new Blob([bytes]).stream(),
      }
    },
  )
}

/** Not every runtime's streams can be iterated. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const hexOf = (digest: ArrayBuffer) =>
  Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')

function nameIn(disposition: string): string {
  const [, encoded] = /filename\*=UTF-8''([^;]*)/.exec(disposition) ?? []
  const [, quoted, bare] = /filename=(?:"([^"]*)"|([^;]*))/.exec(disposition) ?? []
  const name = encoded === undefined ? (quoted ?? bare ?? '') : decoded(encoded)
  return name.replace(/^\.+|[/\\:*?"<>|\p{Cc}]/gu, '_') || 'file'
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
