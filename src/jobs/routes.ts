import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { BoardAccess } from '../advertisers/board-access-ports.ts'
import type { Clock, EpochMs } from '../core/clock.ts'
import { contentHash } from '../core/content-hash.ts'
import { parseNumericId } from '../core/ids.ts'
import { Problem } from '../core/problems.ts'
import { searchOf } from '../http/requests/form.ts'
import { readIdempotencyKey } from '../http/requests/idempotency-key.ts'
import { isOpen, type PostingStatus } from '../model/job-ad.ts'
import { nextPageSearch, readAdvertiserQuery, readListQuery } from './list-query.ts'
import type { JobAd, StoredQuestionnaire } from './ports.ts'
import { jobAdWords, type PostingWords, postingSchemas, questionnaireWords } from './schemas.ts'
import type { Jobs, Postings, Questionnaires } from './service.ts'

interface RouteDeps {
  jobs: Jobs
  screens: Questionnaires
  access: BoardAccess
  baseUrl(): string
  clock: Clock
  limits: { pageSize: number; intakePageSize: number; idempotencyKeyLength: number }
}

/** Lets job boards manage the ads and questionnaires of the advertisers that they may act for. */
export function jobRoutes(deps: RouteDeps): RouteOptions[] {
  return [
    ...postingRoutes(deps, '/v1/intake/job-ads', deps.jobs, jobAdWords),
    ...postingRoutes(deps, '/v1/intake/screens', deps.screens, questionnaireWords),
  ]
}

/** The routes are the same for both kinds; only the content differs. */
function postingRoutes<Entry extends JobAd | StoredQuestionnaire, Content>(
  { access, baseUrl, clock, limits }: RouteDeps,
  path: string,
  postings: Postings<Entry, Content>,
  words: PostingWords,
): RouteOptions[] {
  const schemas = postingSchemas(words)
  const shown = (entry: Entry) => shownAt(entry, clock())
  const auth = 'intake-token'

  const assertMayActFor = (request: FastifyRequest, advertiserId: number) =>
    access.assertMayActFor(request.intakeToken.clientId, advertiserId)

  async function readBody(request: FastifyRequest) {
    const sent = postings.read(request.body)
    await assertMayActFor(request, sent.advertiserId)
    return sent
  }

  async function readAdvertiser(request: FastifyRequest): Promise<number> {
    const advertiserId = readAdvertiserQuery(searchOf(request.raw.url))
    await assertMayActFor(request, advertiserId)
    return advertiserId
  }

  async function add(
    request: FastifyRequest,
    key: string | undefined,
    advertiserId: number,
    content: Content,
  ) {
    if (key === undefined) return { entry: await postings.add(advertiserId, content), isReplay: false }
    const { clientId } = request.intakeToken
    // The hash includes the path, so that a key for a job ad cannot be reused for a screen.
    const sent = { clientId, key, contentHash: contentHash({ [path]: request.body }, []) }
    return postings.addOnce(advertiserId, content, sent)
  }

  const statusRoute = (verb: 'open' | 'close', status: PostingStatus): RouteOptions => ({
    method: 'POST',
    url: `${path}/:id/${verb}`,
    config: { auth },
    schema: schemas[verb],
    handler: async (request, reply) => {
      const advertiserId = await readAdvertiser(request)
      return sendJson(reply, shown(await postings.setStatus(advertiserId, idOf(request), status)))
    },
  })

  return [
    {
      method: 'POST',
      url: path,
      config: { auth, body: 'json' },
      schema: schemas.create,
      handler: async (request, reply) => {
        const key = readIdempotencyKey(request, limits.idempotencyKeyLength)
        const { advertiserId, content } = await readBody(request)
        const { entry, isReplay } = await add(request, key, advertiserId, content)
        if (isReplay) reply.header('idempotent-replayed', 'true')
        reply.status(201).header('location', `${baseUrl()}${path}/${entry.id}?advertiserId=${advertiserId}`)
        return sendJson(reply, shown(entry))
      },
    },
    {
      method: 'GET',
      url: path,
      config: { auth },
      schema: schemas.list,
      handler: async (request, reply) => {
        const query = readListQuery(searchOf(request.raw.url), limits)
        await assertMayActFor(request, query.advertiserId)
        const { entries, continueAfter } = await postings.list(
          query.advertiserId,
          query.afterId,
          query.limit,
          query.reference,
        )
        if (continueAfter !== undefined) {
          reply.header('link', `<${baseUrl()}${path}?${nextPageSearch(query, continueAfter)}>; rel="next"`)
        }
        return sendJson(reply, { [words.listKey]: entries.map(shown) })
      },
    },
    {
      method: 'GET',
      url: `${path}/:id`,
      config: { auth },
      schema: schemas.read,
      handler: async (request, reply) => {
        const advertiserId = await readAdvertiser(request)
        return sendJson(reply, shown(await postings.find(advertiserId, idOf(request))))
      },
    },
    {
      method: 'PUT',
      url: `${path}/:id`,
      config: { auth, body: 'json' },
      schema: schemas.replace,
      handler: async (request, reply) => {
        const { advertiserId, content } = await readBody(request)
        return sendJson(reply, shown(await postings.replace(advertiserId, idOf(request), content)))
      },
    },
    statusRoute('close', 'closed'),
    statusRoute('open', 'open'),
  ]
}

/** Anything that is not an ID cannot exist: throws not-found. */
function idOf(request: FastifyRequest): number {
  const id = parseNumericId((request.params as { id: string }).id)
  if (id === undefined) throw new Problem('not-found')
  return id
}

/**
 * Writes times as ISO 8601 in UTC, as everywhere except the advertiser's part of version 1. Shows an ad as closed once
 * its closing date has passed, because applications for it have closed.
 */
function shownAt(entry: JobAd | StoredQuestionnaire, now: EpochMs) {
  const isPast = 'closingDate' in entry && !isOpen(entry, now)
  return {
    ...entry,
    status: isPast ? 'closed' : entry.status,
    createdAt: new Date(entry.createdAt).toISOString(),
    updatedAt: new Date(entry.updatedAt).toISOString(),
  }
}

function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(JSON.stringify(body))
}
