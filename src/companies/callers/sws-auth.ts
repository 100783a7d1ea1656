import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../model/principal.ts'
import { BoardProblem } from '../../model/problems.ts'
import { Problem } from '../../platform/core/problems.ts'
import { setCaller } from '../../platform/http/auth/callers.ts'
import { addressKey, type RateLimit, rateLimited } from '../../platform/http/rates/rate-limit.ts'

/** The credential of a request, or the token in its place. */
export function swsValueOf({ headers }: FastifyRequest): string {
  const value = /^sws +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (value === undefined) throw new BoardProblem('invalid-credential')
  return value
}

/** Authenticates `Authorization: SWS <credential>` and applies the rate limits. */
export function createSwsAuth(deps: {
  authenticate(value: string): Promise<Principal>
  requests: RateLimit
  failures: RateLimit
  /** Called for every request with a valid credential. */
  onCall(principal: Principal): void
}) {
  const { authenticate, requests, failures } = deps

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    let principal: Principal
    try {
      principal = await authenticate(swsValueOf(request))
    } catch (error) {
      if (error instanceof Problem && error.code === 'invalid-credential') {
        // Only failures are counted and limited: a valid credential works while an attacker guesses.
        await failures.take(reply, addressKey(request.ip))
        reply.header('www-authenticate', 'SWS realm="advertiser"')
      }
      throw error
    }
    setCaller(request, principal)
    deps.onCall(principal)
    const hit = requests.hit(principal.credentialId)
    const usage = hit instanceof Promise ? await hit : hit
    requests.writeHeaders(reply, usage)
    if (usage.isExceeded) throw rateLimited(usage)
    if (principal.isOnHold) throw new BoardProblem('advertiser-on-hold')
  }
}
