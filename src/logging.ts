import { type DestinationStream, type Logger, pino } from 'pino'

export interface LogOptions {
  level: string
  format: 'json' | 'text'
  write(line: string): void
}

/**
 * Creates the log. Callers choose what they log: no headers, queries or bodies. Only errors contain foreign text, so
 * they are reduced to type, message, code and stack, and email addresses and credentials in them are redacted.
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
  if (!(error instanceof Error)) return { message: redact(String(error)) }
  const code = (error as { code?: unknown }).code
  return {
    type: error.name,
    message: redact(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    stack: redact(error.stack ?? ''),
    // Causes may be circular.
    ...(error.cause === undefined || depth === 5 ? {} : { cause: describeError(error.cause, depth + 1) }),
  }
}

/** Redacts possibly secret or personal parts of foreign texts. */
export function redact(text: string): string {
  return (
    text
      // Passwords in URLs first: otherwise the part from password to host would match as an email address.
      .replace(/(:\/\/[^\s:/]*:)\S+@/g, '$1[password]@')
      .replace(/[^\s@<>()[\]:,;]+@[^\s@"'<>(),;]+/g, '[email]')
      .replace(/\b(sws|d(ac|at|cs|se|li))_\w{4,}[\w-]*/g, '[credential]')
  )
}

/** Formats a line for people: `10:01:02 info  request GET /v1/advertiser/applications 200 3.1 ms`. */
function toText(line: string): string {
  const { time, level, msg, err, method, route, status, ms, ...rest } = JSON.parse(line)
  const details = Object.entries(rest).map(([name, value]) => `${name}=${value}`)
  const request = method === undefined ? [] : [method, route, status, `${ms} ms`]
  const error = err === undefined ? [] : [`\n${err.stack ?? err.message}${causesOf(err)}`]
  return `${[time.slice(11, 19), level.padEnd(5), msg, ...request, ...details, ...error].join(' ')}\n`
}

interface Described {
  message: string
  cause?: Described
}

/** Omits their stacks. Our own errors often say less than their causes, such as which file or server failed. */
const causesOf = ({ cause }: Described): string =>
  cause === undefined ? '' : `\ncaused by: ${cause.message}${causesOf(cause)}`
