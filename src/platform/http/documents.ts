// @fastify/swagger declares the document's keys (summary, tags, ...); the package itself is only needed to generate.

import type {} from '@fastify/swagger'
import type { TSchema } from '../core/input/json-schema.ts'
import { Type } from '../core/input/json-schema.ts'
import type { PlatformCode, ProblemCatalogue, ProblemCode } from '../core/problems.ts'
import { STATUS_CODES } from './node-http.ts'

/** The parts of the OpenAPI document that many routes share. */

/** `what`: the resource that the request creates, such as "application". */
export const idempotencyHeaders = (what: string) =>
  Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: `Visible ASCII characters, one key per ${what}, such as a UUID. Kept for 24 hours. A request with the same key and content returns the ${what} that the first request created, in its current state.`,
      }),
    ),
  })

export const replayedHeader = {
  'Idempotent-Replayed': {
    description: '`true` if an earlier request with the same key created it.',
    type: 'string',
  },
}

export const problemSchema = (codes: readonly ProblemCode[]) =>
  Type.Object(
    {
      type: Type.String({ format: 'uri', description: 'Address of an explanation of the code.' }),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String(),
      code: Type.Enum(codes, { description: 'Stable code for programs.' }),
      requestId: Type.String(),
      errors: Type.Optional(
        Type.Array(
          Type.Object(
            { field: Type.String(), code: Type.String(), message: Type.String() },
            { additionalProperties: false },
          ),
        ),
      ),
    },
    { $id: 'Problem', additionalProperties: false, description: 'Problem details (RFC 9457).' },
  )

export const rateLimitHeaders = {
  RateLimit: { description: 'Requests left in this minute: `"v1";r=5990;t=30`.', type: 'string' },
  'RateLimit-Policy': { description: 'The limit: `"v1";q=6000;w=60`.', type: 'string' },
}

/** Problems that every route can return. */
const everywhere: PlatformCode[] = [
  'bad-request',
  'demo-loopback-only',
  'method-not-allowed',
  'uri-too-long',
  'headers-too-large',
  'internal',
  'unavailable',
]

/** The problem responses of a route, grouped by status as OpenAPI requires. */
export function documentProblems(
  catalogue: ProblemCatalogue,
  codes: readonly ProblemCode[],
): Record<number, unknown> {
  const byStatus = Map.groupBy([...new Set([...codes, ...everywhere])], code => catalogue[code].status)
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codesOfStatus]) => [
        status,
        {
          description: `${STATUS_CODES[status]}: ${codesOfStatus.map(code => `\`${code}\``).join(', ')}`,
          content: {
            'application/problem+json': { schema: Type.Ref('Problem') },
            'application/problem+xml': { schema: Type.String() },
          },
        },
      ]),
  )
}

/** The redirect that may be returned instead of a file. */
export const elsewhereResponse = {
  description:
    'Only if the operator has enabled it, and only for whole files: the file is at `Location` for a short time, without credentials.',
  type: 'null',
  headers: {
    ...rateLimitHeaders,
    Location: { description: 'A signed address.', type: 'string' },
    ETag: { description: 'ETag of the file.', type: 'string' },
  },
}

/** A response with one schema per content type. */
export function contentResponse(
  description: string,
  content: Record<string, TSchema>,
  headers: Record<string, unknown> = {},
) {
  return {
    description,
    headers,
    content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
  }
}
