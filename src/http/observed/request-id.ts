import type { IncomingMessage } from 'node:http'
import { isAcceptableRequestId, newUuid } from '../../core/ids.ts'

/** The caller's request ID if it is acceptable, otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && isAcceptableRequestId(sent) ? sent : newUuid()
}
