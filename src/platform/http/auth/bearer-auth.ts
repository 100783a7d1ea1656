import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { addressKey, type RateLimit, rateLimited } from '../rates/rate-limit.ts'
import { type Caller, setCaller } from './callers.ts'

/** The token in the request; without one an empty string, which is never a valid token. */
export function bearerValueOf({ headers }: FastifyRequest): string {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
}

/** Authenticates `Authorization: Bearer <token>`, the only accepted place, and applies the rate limits. */
export function createBearerAuth<Token extends Caller>(deps: {
  /** Rejects an invalid token with a problem whose status is 401. */
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
      if (!(error instanceof Problem && error.status === 401)) throw error
      // Only failures are counted and limited: a valid token works while an attacker guesses.
      await failures.take(reply, addressKey(request.ip))
      // A request without a token gets the scheme and no error code (RFC 6750, section 3.1).
      if (request.headers.authorization === undefined) {
        reply.header('www-authenticate', 'Bearer realm="dossier"')
      }
      throw error
    }
  }
}
