import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { writableText } from '../../core/text.ts'
import { xmlDeclaration, xmlElement } from '../../core/xml.ts'
import { negotiateProblemFormat } from '../requests/negotiation.ts'

/** RFC 9457 problem details, with our `code`, `requestId` and field errors. */
export function problemDetails(problem: Problem, baseUrl: string, requestId: string) {
  return {
    type: `${baseUrl}/problems/${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    requestId,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
  }
}

const contentHeaders = [
  'content-disposition',
  'content-encoding',
  'etag',
  'last-modified',
  'link',
  'accept-ranges',
]

type ProblemDetails = ReturnType<typeof problemDetails>

export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  baseUrl: string,
): FastifyReply {
  const details = problemDetails(problem, baseUrl, request.id)
  const format = negotiateProblemFormat(request.headers.accept)
  reply.status(details.status).header('cache-control', 'no-store')
  // Headers that the handler set for the response that this problem replaces.
  for (const name of contentHeaders) reply.removeHeader(name)
  // A token may also expire or be revoked while the request is served.
  if (problem.challenge !== undefined && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', problem.challenge)
  }
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds))
  return format === 'json'
    ? reply.header('content-type', 'application/problem+json; charset=utf-8').send(JSON.stringify(details))
    : reply.header('content-type', 'application/problem+xml; charset=utf-8').send(problemXml(details))
}

/** The XML form of RFC 9457, appendix B. */
function problemXml({ errors = [], ...details }: ProblemDetails): string {
  const members = Object.entries(details).map(([name, value]) => writable(name, value))
  const fields = errors.map(
    error =>
      `<i>${writable('field', error.field)}${writable('code', error.code)}${writable('message', error.message)}</i>`,
  )
  const list = fields.length > 0 ? `<errors>${fields.join('')}</errors>` : ''
  return `${xmlDeclaration}<problem xmlns="urn:ietf:rfc:7807">${members.join('')}${list}</problem>`
}

/** Problems may repeat a caller's input, with characters that XML cannot represent. */
function writable(name: string, value: string | number | boolean): string {
  return xmlElement(name, typeof value === 'string' ? writableText(value) : value)
}

/** Turns an error of Fastify into a problem; undefined if the error is our own fault. */
export function problemOfFrameworkError(error: unknown): Problem | undefined {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Problem('payload-too-large', undefined, { cause: error })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem(
      'unsupported-media-type',
      'Send a content type that /openapi.json lists for this path.',
      {
        cause: error,
      },
    )
  }
  // Parameters may be as long as a whole URL, so only an overlong URL can exceed the limit.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new Problem('uri-too-long', undefined, { cause: error })
  const isCallersFault = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
  return isCallersFault ? new Problem('bad-request', undefined, { cause: error }) : undefined
}
