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
 * Answers made smaller, for whoever asks for it. Never what holds a secret beside what somebody else chose: the
 * length of the two together tells of the secret (BREACH). So no page with a session, and no form.
 */
export type Coding = 'zstd' | 'br' | 'gzip'

/** The cheapest first, which is also the smallest: among equals, this order decides. */
const codings: readonly Coding[] = ['zstd', 'br', 'gzip']
const offered = [...codings, 'identity']

/** The lowest levels: each step above costs more time than it saves on a network of a gigabit (decision 034). */
const options = {
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 1 } },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  gzip: { level: 1 },
}

/** The types of the package are older than this. */
interface WithPreference {
  encodings(available: string[], options: { preferred: string[] }): string[]
}

/** Clients repeat themselves: few of these headers are ever seen. The bound is for those who make them up. */
const known = new Map<string, Coding | undefined>()
const mostKnown = 100

/** Undefined means: as it is. */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined
  if (known.has(acceptEncoding)) return known.get(acceptEncoding)
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }) as WithPreference
  const [preferred] = negotiator.encodings(offered, { preferred: offered })
  const coding = codings.find(candidate => candidate === preferred)
  if (known.size >= mostKnown) known.clear()
  known.set(acceptEncoding, coding)
  return coding
}

const asynchronous = {
  zstd: promisify<Uint8Array, object, Buffer>(zstdCompress),
  br: promisify<Uint8Array, object, Buffer>(brotliCompress),
  gzip: promisify<Uint8Array, object, Buffer>(gzip),
}

const synchronous = { zstd: zstdCompressSync, br: brotliCompressSync, gzip: gzipSync }

/** The way to another thread and back costs half as much again as a page of 100, which takes a quarter millisecond. */
const atOnceBytes = 256 * 1024

/** What takes longer is done off the main thread, so that others are served meanwhile. */
export async function compress(content: Uint8Array, coding: Coding): Promise<Buffer> {
  return content.length <= atOnceBytes
    ? synchronous[coding](content, options[coding])
    : asynchronous[coding](content, options[coding])
}

/** What goes in comes out before more goes in: nobody waits for what was read already, and nothing piles up. */
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

/** A hook for routes whose text is nobody's secret. What went wrong is told as it is. */
export function compressAnswers(leastBytes: number) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const vary = reply.getHeader('vary')
    reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`)
    if (reply.statusCode !== 200 || typeof payload !== 'string' || payload.length < leastBytes) return payload
    const coding = chooseCoding(request.headers['accept-encoding'])
    if (coding === undefined) return payload
    const smaller = await compress(Buffer.from(payload), coding)
    reply.header('content-encoding', coding).removeHeader('content-length')
    return smaller
  }
}
