import { type DestinationStream, type Logger, pino } from 'pino'

export interface LogOptions {
  level: string
  format: 'json' | 'text'
  write(line: string): void
}

/**
 * What is logged is chosen where it is logged: no header, no query, no body. Errors are the one thing that
 * others word, so they are reduced to type, message, code and stack, and what looks like an e-mail address
 * or a credential is struck out.
 */
export function createLog({ level, format, write }: LogOptions): Logger {
  const destination: DestinationStream = { write: format === 'json' ? write : line => write(toText(line)) }
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination,
  )
}

export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: strikeOut(String(error)) }
  const code = (error as { code?: unknown }).code
  return {
    type: error.name,
    message: strikeOut(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    stack: strikeOut(error.stack ?? ''),
    // A cause may lead back to where it began.
    ...(error.cause === undefined || depth === 5 ? {} : { cause: describeError(error.cause, depth + 1) }),
  }
}

function strikeOut(text: string): string {
  return (
    text
      // Before the addresses: to them, a password before its host looks like one that begins in its middle.
      .replace(/(:\/\/[^\s:/]*:)\S+@/g, '$1[password]@')
      .replace(/[^\s@<>()[\]:,;]+@[^\s@"'<>(),;]+/g, '[e-mail]')
      .replace(/\b(sws|d(ac|at|cs|se|li))_\w{4,}[\w-]*/g, '[credential]')
  )
}

/** `10:01:02 info  request GET /v1/advertiser/applications 200 3.1 ms` for people; JSON for programs. */
function toText(line: string): string {
  const { time, level, msg, err, method, route, status, ms, ...rest } = JSON.parse(line)
  const details = Object.entries(rest).map(([name, value]) => `${name}=${value}`)
  const request = method === undefined ? [] : [method, route, status, `${ms} ms`]
  const cause = err === undefined ? [] : [`\n${err.stack ?? err.message}`]
  return `${[time.slice(11, 19), level.padEnd(5), msg, ...request, ...details, ...cause].join(' ')}\n`
}
