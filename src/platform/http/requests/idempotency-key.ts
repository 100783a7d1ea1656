import type { FastifyRequest } from 'fastify'
import { Problem } from '../../core/problems.ts'

/** Limit: A UUID has 36 characters; this leaves ample room. */
const idempotencyKeyLength = 255

/** Accepts any visible ASCII characters, in quotes as in the IETF draft or without. */
export function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const sent = request.headers['idempotency-key']
  if (sent === undefined) return undefined
  const text = String(sent).trim()
  const key = /^"(.*)"$/.exec(text)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? text
  if (key.length > idempotencyKeyLength || !/^[\x21-\x7e]+$/.test(key)) {
    const form = `1 to ${idempotencyKeyLength} visible ASCII characters without spaces, and be sent once`
    throw new Problem('invalid-parameter', `The Idempotency-Key must have ${form}.`)
  }
  return key
}
