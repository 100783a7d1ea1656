import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { addressKey, type RateLimit, rateLimited } from '../rates/rate-limit.ts'
import { type Caller, setCaller } from './callers.ts'

/** The token in the request. */
export function bearerValueOf({ headers }: FastifyRequest): string {
  const value = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (value === undefined) throw new Problem('invalid-token')
  return value
}

/** Authenticates `Authorization: Bearer <token>`, the only accepted place, and applies the rate limits. */
export function createBearerAuth<Token extends Caller>(deps: {
  authenticate(value: string): Promise<Token>
  rateKey(token: Token): string
  requests: RateLimit
  failures: RateLimit
}) {
  const { requests, failures } = deps

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = await recognise(request, reply)
    const hit = requests.hit(deps.rateKey(token))
    const usage = hit instanceof Promise ? await hit : hit
    requests.writeHeaders(reply, usage)
    if (usage.isExceeded) throw rateLimited(usage)
    setCaller(request, token)
  }

  async function recognise(request: FastifyRequest, reply: FastifyReply): Promise<Token> {
    try {
      return await deps.authenticate(bearerValueOf(request))
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'invalid-token')) throw error
      // Only failures are counted and limited: a valid token works while an attacker guesses.
      await failures.take(reply, addressKey(request.ip))
      // A request without a token gets the scheme and no error code (RFC 6750, section 3.1).
      const wasSent = request.headers.authorization !== undefined
      reply.header('www-authenticate', `Bearer realm="dossier"${wasSent ? ', error="invalid_token"' : ''}`)
      throw error
    }
  }
}
