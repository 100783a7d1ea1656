import type { IncomingMessage } from 'node:http'
import { isAcceptableRequestId, newUuid } from '../../core/ids.ts'

/** The caller's own when it has an acceptable form, otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && isAcceptableRequestId(sent) ? sent : newUuid()
}
