import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { readerOf } from '../model/application-read.ts'
import type { Principal } from '../model/principal.ts'
import { problemResponses } from '../model/problem-responses.ts'
import { BoardProblem } from '../model/problems.ts'
import { type Format, renderingEdition } from '../model/v1/rendering.ts'
import { sha256Hex } from '../platform/core/hashing.ts'
import { Type } from '../platform/core/input/json-schema.ts'
import { maxPageSize } from '../platform/core/input/page-parameters.ts'
import { retryAfterSeconds } from '../platform/core/problems.ts'
import { contentResponse, rateLimitHeaders } from '../platform/http/documents.ts'
import type { Slots } from '../platform/http/rates/slots.ts'
import { matchesTag } from '../platform/http/requests/conditions.ts'
import { searchOf } from '../platform/http/requests/form.ts'
import { type AnswerType, negotiate } from '../platform/http/requests/negotiation.ts'
import { sendChunks } from '../platform/http/responses/chunked-response.ts'
import { type Coding, chooseCoding, compress } from '../platform/http/responses/compression.ts'
import { type Call, route } from '../platform/http/routes.ts'
import { minCompressedBytes } from '../platform/http/server.ts'
import { type ListQuery, nextPageSearch, readListQuery } from './list-query.ts'
import { type HandedOut, type KeptPage, PageCache } from './page-cache.ts'
import type { Reads } from './reads/service.ts'
import { ListParameters, security, swsProblems } from './schemas.ts'
import type { Applications } from './service.ts'

/** Limit: Memory per process for cached list pages and their compressed forms: 150 pages of 100. */
const pageCacheBytes = 16 * 1024 * 1024
/**
 * Limit: How long a list page stays cached when its advertiser makes no requests, so that erased data leaves the memory
 * too.
 */
const pageCacheSeconds = 60

export interface ListRouteDeps {
  applications: Applications
  reads: Pick<Reads, 'download' | 'fetch' | 'list'>
  baseUrl(): string
  wholeLists: Slots
}

/** The list of applications: in pages, or streamed in full. */
export function listRoute({ applications, reads, baseUrl, wholeLists }: ListRouteDeps): RouteOptions {
  const pages = new PageCache({ bytes: pageCacheBytes, keepMs: pageCacheSeconds * 1000 })
  const url = '/v1/advertiser/applications'

  const record = (principal: Principal, { firstId, lastId }: HandedOut) =>
    reads.list(principal.advertiserId, readerOf(principal), firstId, lastId)

  async function readPage(
    principal: Principal,
    name: string,
    format: Format,
    query: LimitedQuery,
    search: string,
  ): Promise<KeptPage> {
    const { content, continueAfter, handedOut } = await applications.listPage(
      principal,
      format,
      query,
      query.limit,
    )
    const next =
      continueAfter === undefined ? undefined : `${baseUrl()}${url}?${nextPageSearch(search, continueAfter)}`
    const link = next === undefined ? undefined : `<${next}>; rel="next"`
    return pages.put(principal.advertiserId, principal.version, name, { content, link, handedOut })
  }

  async function sendPage(
    { request, reply, caller: principal }: Call<'sws'>,
    format: Format,
    query: LimitedQuery,
  ) {
    const search = searchOf(request.raw.url)
    // Use the query as sent: a different spelling of the same query is cached separately, which is harmless.
    const name = `${principal.agentId} ${format} ${search}`
    const page =
      pages.get(principal.advertiserId, principal.version, name) ??
      (await readPage(principal, name, format, query, search))
    if (page.link !== undefined) reply.header('link', page.link)
    if (page.handedOut !== undefined && request.method === 'GET') record(principal, page.handedOut)
    await applications.whenDurable(principal)
    const coding = codingFor(request)
    if (coding === undefined || page.content.length < minCompressedBytes) {
      return reply.send(page.content)
    }
    const smaller = await pages.encoded(page, coding, content => compress(content, coding))
    return reply.header('content-encoding', coding).send(smaller)
  }

  const tooManyLists = () =>
    new BoardProblem('too-many-streams', undefined, { retryAfterSeconds: retryAfterSeconds })

  async function sendAll({ request, reply, caller }: Call<'sws'>, format: Format, query: ListQuery) {
    const coding = codingFor(request)
    if (request.method === 'HEAD') {
      if (coding !== undefined) reply.header('content-encoding', coding)
      return reply.send()
    }
    const slot = wholeLists.take(caller.credentialId)
    if (slot === undefined) throw tooManyLists()
    reply.raw.once('close', slot.release)
    // If the caller disconnected during authentication, 'close' has already been emitted and will not be emitted again.
    if (reply.raw.destroyed) slot.release()
    // A list that fits into one read is sent immediately; only a longer one needs a slot shared by all nodes.
    const chunks = await applications.listAll(caller, format, query, {
      async beforeMore() {
        if (!(await slot.share())) throw tooManyLists()
      },
      onChunk: handedOut => record(caller, handedOut),
    })
    return sendChunks(reply, chunks, coding)
  }

  return route({
    method: 'GET',
    url,
    auth: 'sws',
    schema: {
      summary: 'List applications',
      description:
        'Returns applications in ascending order of ID. All bounds are exclusive and combine with AND. Parameter names are case-insensitive, and an empty value counts as not sent. When polling, send the `ETag` of the last response to the same query as `If-None-Match`: while nothing has changed, the response is 304 without a body.',
      operationId: 'listApplications',
      tags: ['Version 1'],
      security,
      querystring: ListParameters,
      response: {
        200: contentResponse(
          'The applications.',
          {
            'application/json': Type.Ref('JobApplications'),
            'application/xml': Type.String(),
            'text/xml': Type.String(),
          },
          {
            ...rateLimitHeaders,
            ETag: {
              description:
                'Changes with each new application, verdict on a file and erasure. Different for each query.',
              type: 'string',
            },
            Link: { description: 'The next page, if `limit` cut the list short.', type: 'string' },
          },
        ),
        304: {
          description: 'Nothing has changed since the response with the ETag you sent.',
          type: 'null',
          headers: rateLimitHeaders,
        },
        ...problemResponses([
          ...swsProblems,
          'invalid-parameter',
          'repeated-parameter',
          'not-acceptable',
          'too-many-streams',
        ]),
      },
    },
    async handle(call) {
      const { request, reply, caller } = call
      const { format, contentType } = answerTypeFor(request, reply)
      const search = searchOf(request.raw.url)
      const query = readListQuery(search, maxPageSize)
      const etag = tagOf(caller, format, search)
      reply.headers({ etag, vary: 'Accept, Accept-Encoding', 'cache-control': 'private' })
      if (matchesTag(request.headers, etag)) {
        await applications.whenDurable(caller)
        return reply.status(304).send()
      }
      reply.header('content-type', contentType)
      return isLimited(query) ? sendPage(call, format, query) : sendAll(call, format, query)
    },
  })
}

type LimitedQuery = ListQuery & { limit: number }

function isLimited(query: ListQuery): query is LimitedQuery {
  return query.limit !== undefined
}

/**
 * Builds the ETag of a list. The version was read with the credential, before the list, so a list may be newer than its
 * tag but never older. The query is part of the tag, so that the tag of another `afterid` cannot hide unread
 * applications. The tag is weak, because the same list is sent in several codings.
 */
export function tagOf({ advertiserId, agentId, version }: Principal, format: Format, search: string): string {
  const question = sha256Hex(search).slice(0, 16)
  return `W/"${renderingEdition}.${format}.${advertiserId}.${agentId ?? ''}.${version}.${question}"`
}

function codingFor({ headers }: FastifyRequest): Coding | undefined {
  return chooseCoding(headers['accept-encoding'])
}

/** Negotiates JSON or XML, and the content type to send. */
export function answerTypeFor(request: FastifyRequest, reply: FastifyReply): AnswerType {
  const type = negotiate(request.headers.accept)
  if (type !== undefined) return type
  reply.header('vary', 'Accept')
  throw new BoardProblem('not-acceptable')
}
