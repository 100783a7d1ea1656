import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock, EpochMs } from '../../core/clock.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { Parameters, withoutParameter } from '../protocol/parameters.ts'

const name = 'login_asked'
/** Long enough for a sign-up or reset by email and for reading the consent page. */
const lifetimeMs = 3_600_000

/**
 * When a client requires a new sign-in, the request carries the time at which we asked for it through the sign-in
 * page; only a later sign-in counts. The mark is bound to this browser and this request and expires after an hour, so
 * that a mark left in a browser history cannot be used to skip the sign-in.
 */
export function createLoginMark(sessions: Sessions, clock: Clock) {
  const partsOf = (query: string, at: string) => [name, at, withoutParameter(query, name)]
  return {
    marked(reply: FastifyReply, query: string): string {
      const at = String(clock())
      const token = sessions.browserToken(reply, ...partsOf(query, at))
      return `${withoutParameter(query, name)}&${name}=${at}.${token}`
    },

    /** Returns the time in a valid mark, else undefined. */
    markedAt(request: FastifyRequest, query: string): EpochMs | undefined {
      const [at = '', token] = new Parameters(query).get(name)?.split('.', 2) ?? []
      const isOurs = sessions.isBrowserToken(request, token, ...partsOf(query, at))
      return isOurs && clock() - Number(at) <= lifetimeMs ? Number(at) : undefined
    },
  }
}
