import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { sha256Hex } from '../core/hashing.ts'
import { Problem } from '../core/problems.ts'
import { contentResponse, problemResponses, rateLimitHeaders } from '../http/documents.ts'
import type { Slots } from '../http/rates/slots.ts'
import { matchesTag } from '../http/requests/conditions.ts'
import { searchOf } from '../http/requests/form.ts'
import { type AnswerType, negotiate } from '../http/requests/negotiation.ts'
import { sendChunks } from '../http/responses/chunked-response.ts'
import { type Coding, chooseCoding, compress } from '../http/responses/compression.ts'
import type { Principal } from '../model/principal.ts'
import { type Format, renderingEdition } from '../model/v1/rendering.ts'
import { type ListQuery, nextPageSearch, readListQuery } from './list-query.ts'
import { type KeptPage, PageCache } from './page-cache.ts'
import { ListParameters, security, swsProblems } from './schemas.ts'
import type { Applications } from './service.ts'

export interface ListRouteDeps {
  applications: Applications
  baseUrl(): string
  wholeLists: Slots
  limits: {
    pageSize: number
    retryAfterSeconds: number
    pageCacheBytes: number
    pageCacheSeconds: number
    compressLeastBytes: number
  }
}

/** The list: in pages, or whole in a stream. */
export function listRoute({ applications, baseUrl, wholeLists, limits }: ListRouteDeps): RouteOptions {
  const pages = new PageCache({ bytes: limits.pageCacheBytes, keepMs: limits.pageCacheSeconds * 1000 })
  const url = '/v1/advertiser/applications'

  async function readPage(
    principal: Principal,
    name: string,
    format: Format,
    query: LimitedQuery,
    search: string,
  ): Promise<KeptPage> {
    const { content, continueAfter } = await applications.listPage(principal, format, query, query.limit)
    const next =
      continueAfter === undefined ? undefined : `${baseUrl()}${url}?${nextPageSearch(search, continueAfter)}`
    const link = next === undefined ? undefined : `<${next}>; rel="next"`
    return pages.put(principal.advertiserId, principal.version, name, { content, link })
  }

  async function sendPage(request: FastifyRequest, reply: FastifyReply, format: Format, query: LimitedQuery) {
    const { principal } = request
    const search = searchOf(request.raw.url)
    // As it was sent: what is spelled differently is another page, which does no harm and costs no thought.
    const name = `${principal.agentId} ${format} ${search}`
    const page =
      pages.get(principal.advertiserId, principal.version, name) ??
      (await readPage(principal, name, format, query, search))
    if (page.link !== undefined) reply.header('link', page.link)
    const coding = codingFor(request)
    if (coding === undefined || page.content.length < limits.compressLeastBytes) {
      return reply.send(page.content)
    }
    const smaller = await pages.encoded(page, coding, content => compress(content, coding))
    return reply.header('content-encoding', coding).send(smaller)
  }

  const tooManyLists = () =>
    new Problem('too-many-streams', undefined, { retryAfterSeconds: limits.retryAfterSeconds })

  async function sendAll(request: FastifyRequest, reply: FastifyReply, format: Format, query: ListQuery) {
    const coding = codingFor(request)
    if (request.method === 'HEAD') {
      if (coding !== undefined) reply.header('content-encoding', coding)
      return reply.send()
    }
    const slot = wholeLists.take(request.principal.credentialId)
    if (slot === undefined) throw tooManyLists()
    reply.raw.once('close', slot.release)
    // Whoever left while we asked who it was has closed already, and that is told only once.
    if (reply.raw.destroyed) slot.release()
    // What one read has found is gone in a moment. Only what takes its time needs a slot among all nodes.
    const chunks = await applications.listAll(request.principal, format, query, async () => {
      if (!(await slot.share())) throw tooManyLists()
    })
    return sendChunks(reply, chunks, coding)
  }

  return {
    method: ['GET', 'HEAD'],
    url,
    config: { auth: 'sws' },
    schema: {
      summary: 'List applications',
      description:
        'Ascending by ID; all bounds are exclusive and combine with AND. Parameter names are taken in any letter case, an empty value counts as not sent. Whoever polls sends the `ETag` of the last answer to the same question as `If-None-Match`: as long as nothing has changed, the answer is 304 and has no body.',
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
                'Another one after each new application, verdict on a file, and erasure, and for each query.',
              type: 'string',
            },
            Link: { description: 'The next page, when `limit` cut the list.', type: 'string' },
          },
        ),
        304: {
          description: 'Nothing has changed since the answer with the ETag that was sent.',
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
    handler: (request, reply) => {
      const { format, contentType } = answerTypeFor(request, reply)
      const search = searchOf(request.raw.url)
      const query = readListQuery(search, limits.pageSize)
      const etag = tagOf(request.principal, format, search)
      reply.headers({ etag, vary: 'Accept, Accept-Encoding', 'cache-control': 'private' })
      if (matchesTag(request.headers, etag)) return reply.status(304).send()
      reply.header('content-type', contentType)
      return isLimited(query)
        ? sendPage(request, reply, format, query)
        : sendAll(request, reply, format, query)
    },
  }
}

type LimitedQuery = ListQuery & { limit: number }

function isLimited(query: ListQuery): query is LimitedQuery {
  return query.limit !== undefined
}

/**
 * The version came with the credential, before anything of the list was read: a list may be newer than its tag, never
 * older. The question is part of it as it was sent: a tag kept from another `afterid` must not hide what is unread. It is
 * weak, because the same list goes out in several codings.
 */
export function tagOf({ advertiserId, agentId, version }: Principal, format: Format, search: string): string {
  const question = sha256Hex(search).slice(0, 16)
  return `W/"${renderingEdition}.${format}.${advertiserId}.${agentId ?? ''}.${version}.${question}"`
}

function codingFor({ headers }: FastifyRequest): Coding | undefined {
  return chooseCoding(headers['accept-encoding'])
}

/** Whether to answer in JSON or XML, and under which name. */
export function answerTypeFor(request: FastifyRequest, reply: FastifyReply): AnswerType {
  const type = negotiate(request.headers.accept)
  if (type !== undefined) return type
  reply.header('vary', 'Accept')
  throw new Problem('not-acceptable')
}
