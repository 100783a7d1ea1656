import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'

/**
 * Compression of responses. Never used for content that combines a secret with other people's input, because the
 * compressed length reveals the secret (BREACH): so not for pages with a session or a form.
 */
export type Coding = 'zstd' | 'br' | 'gzip'

/** The cheapest first, which also compresses best; the order breaks ties between equal preferences. */
const codings: readonly Coding[] = ['zstd', 'br', 'gzip']
const offered = [...codings, 'identity']

/** The lowest levels: higher ones cost more time than they save on a gigabit network (decision 034). */
const options = {
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 1 } },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  gzip: { level: 1 },
}

/** Missing in the package's types. */
interface WithPreference {
  encodings(available: string[], options: { preferred: string[] }): string[]
}

/** Cached by header, because clients send few different ones. Bounded against invented headers. */
const known = new Map<string, Coding | undefined>()
const maxKnown = 100

/** Undefined: uncompressed. */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined
  if (known.has(acceptEncoding)) return known.get(acceptEncoding)
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }) as WithPreference
  const [preferred] = negotiator.encodings(offered, { preferred: offered })
  const coding = codings.find(candidate => candidate === preferred)
  if (known.size >= maxKnown) known.clear()
  known.set(acceptEncoding, coding)
  return coding
}

const asynchronous = {
  zstd: promisify<Uint8Array, object, Buffer>(zstdCompress),
  br: promisify<Uint8Array, object, Buffer>(brotliCompress),
  gzip: promisify<Uint8Array, object, Buffer>(gzip),
}

const synchronous = { zstd: zstdCompressSync, br: brotliCompressSync, gzip: gzipSync }

/**
 * Up to this size the main thread compresses: the thread pool adds half to the quarter millisecond of a page of 100.
 */
const atOnceBytes = 256 * 1024

/** Compresses larger content off the main thread, so that it does not block other requests. */
export async function compress(content: Uint8Array, coding: Coding): Promise<Buffer> {
  return content.length <= atOnceBytes
    ? synchronous[coding](content, options[coding])
    : asynchronous[coding](content, options[coding])
}

/** Flushes after each chunk: content already read is not delayed or accumulated. */
export function compressing(coding: Coding): Transform {
  switch (coding) {
    case 'zstd':
      return createZstdCompress({ ...options.zstd, flush: constants.ZSTD_e_flush })
    case 'br':
      return createBrotliCompress({ ...options.br, flush: constants.BROTLI_OPERATION_FLUSH })
    case 'gzip':
      return createGzip({ ...options.gzip, flush: constants.Z_SYNC_FLUSH })
  }
}

/** A hook for routes whose text contains no secrets. It does not compress errors. */
export function compressAnswers(minBytes: number) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const vary = reply.getHeader('vary')
    reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`)
    if (reply.statusCode !== 200 || typeof payload !== 'string' || payload.length < minBytes) return payload
    const coding = chooseCoding(request.headers['accept-encoding'])
    if (coding === undefined) return payload
    const smaller = await compress(Buffer.from(payload), coding)
    reply.header('content-encoding', coding).removeHeader('content-length')
    return smaller
  }
}
