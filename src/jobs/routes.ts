import type { FastifyReply, RouteOptions } from 'fastify'
import type { BoardAccess } from '../advertisers/board-access-ports.ts'
import type { Clock, EpochMs } from '../core/clock.ts'
import { contentHash } from '../core/content-hash.ts'
import { searchOf } from '../http/requests/form.ts'
import { readIdempotencyKey } from '../http/requests/idempotency-key.ts'
import { type Call, pathId, route } from '../http/routes.ts'
import type { Limits } from '../limits.ts'
import { isOpen, type PostingStatus } from '../model/job-ad.ts'
import type { JobAdLimits } from './job-ad-check.ts'
import { nextPageSearch, readAdvertiserQuery, readListQuery } from './list-query.ts'
import type { Posting, Stored } from './ports.ts'
import type { QuestionnaireLimits } from './questionnaire-check.ts'
import { jobAdWords, type PostingWords, postingSchemas, questionnaireWords } from './schemas.ts'
import type { Jobs, Postings, Questionnaires } from './service.ts'

interface RouteDeps {
  jobs: Jobs
  questionnaires: Questionnaires
  access: BoardAccess
  baseUrl(): string
  clock: Clock
  limits: Pick<Limits, 'pageSize' | 'intakePageSize' | 'idempotencyKeyLength'> &
    JobAdLimits &
    QuestionnaireLimits
}

type BoardCall = Call<'intake-token'>

/** Lets job boards manage the ads and questionnaires of the advertisers that they may act for. */
export function jobRoutes(deps: RouteDeps): RouteOptions[] {
  return [
    ...postingRoutes(deps, '/v1/intake/job-ads', deps.jobs, jobAdWords(deps.limits)),
    ...postingRoutes(deps, '/v1/intake/screens', deps.questionnaires, questionnaireWords(deps.limits)),
  ]
}

/** The routes are the same for both kinds; only the content differs. */
function postingRoutes<Content>(
  { access, baseUrl, clock, limits }: RouteDeps,
  path: '/v1/intake/job-ads' | '/v1/intake/screens',
  postings: Postings<Content>,
  words: PostingWords,
): RouteOptions[] {
  const schemas = postingSchemas(words)
  const shown = (entry: Stored<Content>) => shownAt(entry, clock())
  const auth = 'intake-token'
  const one = `${path}/:id` as const

  async function readBody({ request, caller }: BoardCall) {
    const sent = postings.read(request.body)
    await access.assertMayActFor(caller.clientId, sent.advertiserId)
    return sent
  }

  async function readAdvertiser({ request, caller }: BoardCall): Promise<number> {
    const advertiserId = readAdvertiserQuery(searchOf(request.raw.url))
    await access.assertMayActFor(caller.clientId, advertiserId)
    return advertiserId
  }

  async function add(
    { request, caller: { clientId } }: BoardCall,
    key: string | undefined,
    advertiserId: number,
    content: Content,
  ) {
    if (key === undefined) return { entry: await postings.add(advertiserId, content), isReplay: false }
    // The hash includes the path, so that a key for a job ad cannot be reused for a screen.
    const sent = { clientId, key, contentHash: contentHash({ [path]: request.body }, []) }
    return postings.addOnce(advertiserId, content, sent)
  }

  const statusRoute = (verb: 'open' | 'close', status: PostingStatus) =>
    route({
      method: 'POST',
      url: `${one}/${verb}`,
      auth,
      schema: schemas[verb],
      async handle(call) {
        const advertiserId = await readAdvertiser(call)
        const entry = await postings.setStatus(advertiserId, pathId(call.params.id), status)
        return sendJson(call.reply, shown(entry))
      },
    })

  return [
    route({
      method: 'POST',
      url: path,
      auth,
      body: 'json',
      schema: schemas.create,
      async handle(call) {
        const { request, reply } = call
        const key = readIdempotencyKey(request, limits.idempotencyKeyLength)
        const { advertiserId, content } = await readBody(call)
        const { entry, isReplay } = await add(call, key, advertiserId, content)
        if (isReplay) reply.header('idempotent-replayed', 'true')
        reply.status(201).header('location', `${baseUrl()}${path}/${entry.id}?advertiserId=${advertiserId}`)
        return sendJson(reply, shown(entry))
      },
    }),
    route({
      method: 'GET',
      url: path,
      auth,
      schema: schemas.list,
      async handle({ request, reply, caller }) {
        const query = readListQuery(searchOf(request.raw.url), limits)
        const { advertiserId, afterId, limit, reference } = query
        await access.assertMayActFor(caller.clientId, advertiserId)
        const { entries, continueAfter } = await postings.list(advertiserId, afterId, limit, reference)
        if (continueAfter !== undefined) {
          reply.header('link', `<${baseUrl()}${path}?${nextPageSearch(query, continueAfter)}>; rel="next"`)
        }
        return sendJson(reply, { [words.listKey]: entries.map(shown) })
      },
    }),
    route({
      method: 'GET',
      url: one,
      auth,
      schema: schemas.read,
      async handle(call) {
        const advertiserId = await readAdvertiser(call)
        return sendJson(call.reply, shown(await postings.find(advertiserId, pathId(call.params.id))))
      },
    }),
    route({
      method: 'PUT',
      url: one,
      auth,
      body: 'json',
      schema: schemas.replace,
      async handle(call) {
        const { advertiserId, content } = await readBody(call)
        const entry = await postings.replace(advertiserId, pathId(call.params.id), content)
        return sendJson(call.reply, shown(entry))
      },
    }),
    statusRoute('close', 'closed'),
    statusRoute('open', 'open'),
  ]
}

/**
 * Writes times as ISO 8601 in UTC, as everywhere except the advertiser's part of version 1. Shows an ad as closed once
 * its closing date has passed, because applications for it have closed.
 */
function shownAt(entry: Posting & { closingDate?: string | null }, now: EpochMs) {
  const { status, closingDate = null } = entry
  return {
    ...entry,
    status: isOpen({ status, closingDate }, now) ? 'open' : 'closed',
    createdAt: new Date(entry.createdAt).toISOString(),
    updatedAt: new Date(entry.updatedAt).toISOString(),
  }
}

function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(JSON.stringify(body))
}
