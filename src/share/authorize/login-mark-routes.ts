import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock, EpochMs } from '../../core/clock.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { Parameters, withoutParameter } from '../protocol/parameters.ts'

const name = 'login_asked'
/** Time for a sign-up by email, or a reset, and for reading the consent page. */
const lifetimeMs = 3_600_000

/**
 * Where a client wants the password to be proved again, the request carries the moment at which we asked for it
 * through the sign-in: only a sign-in after that is the answer. The mark is worth nothing in another browser, for
 * another request or after an hour, so that nobody gets past the sign-in with one that was left in a history.
 */
export function createLoginMark(sessions: Sessions, clock: Clock) {
  const partsOf = (query: string, at: string) => [name, at, withoutParameter(query, name)]
  return {
    marked(request: FastifyRequest, reply: FastifyReply, query: string): string {
      const at = String(clock())
      const token = sessions.browserToken(request, reply, ...partsOf(query, at))
      return `${withoutParameter(query, name)}&${name}=${at}.${token}`
    },

    /** Undefined when it has no mark of ours, or an old one. */
    markedAt(request: FastifyRequest, query: string): EpochMs | undefined {
      const [at = '', token] = new Parameters(query).get(name)?.split('.', 2) ?? []
      const isOurs = sessions.isBrowserToken(request, token, ...partsOf(query, at))
      return isOurs && clock() - Number(at) <= lifetimeMs ? Number(at) : undefined
    },
  }
}
