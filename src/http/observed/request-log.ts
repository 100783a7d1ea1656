import { type Logger, pino } from 'pino'
import type { Principal } from '../../model/principal.ts'

export interface RequestLine {
  requestId: string
  method: string
  route: string
  status: number
  ms: number
  principal: Principal | undefined
  clientId: string | undefined
  isCut: boolean
}

/**
 * The one line that every request leaves. It is put together here, as pino would write it: pino has to find out for
 * each value what it is, which was a tenth of all work for a short answer.
 */
export function createRequestLog(log: Logger): (line: RequestLine) => void {
  if (!log.isLevelEnabled('info')) return () => {}
  // What it stands on: where the lines go, and what every line of this logger says.
  const { [pino.symbols.streamSym]: stream, [pino.symbols.chindingsSym]: bindings } = log as unknown as {
    [symbol: symbol]: unknown
  }
  const { write } = stream as { write(line: string): void }
  const always = String(bindings ?? '')
  return ({ requestId, method, route, status, ms, principal, clientId, isCut }) => {
    // Request ids, methods and patterns of routes have no character that JSON would write differently.
    write(
      `{"level":"info","time":"${isoTime()}"${always},"requestId":"${requestId}","method":"${method}","route":"${route}",` +
        `"status":${status},"ms":${Math.round(ms * 10) / 10}` +
        (principal === undefined
          ? ''
          : `,"advertiserId":${principal.advertiserId},"credentialId":${JSON.stringify(principal.credentialId)}`) +
        (clientId === undefined ? '' : `,"clientId":${JSON.stringify(clientId)}`) +
        `${isCut ? ',"cut":true' : ''},"msg":"request"}\n`,
    )
  }
}

let written = { at: 0, text: '' }

/** Many requests end in the same millisecond, and writing it is what takes the time. */
function isoTime(): string {
  const at = Date.now()
  if (at !== written.at) written = { at, text: new Date(at).toISOString() }
  return written.text
}
