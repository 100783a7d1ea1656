import type { FastifyReply, RouteOptions } from 'fastify'
import type { BoardAccess } from '../companies/board-access-ports.ts'
import type { AdDetails } from '../model/ad-details.ts'
import { type AdRuleSet, brokenRules } from '../model/ad-rules.ts'
import { isOpen, type PostingStatus } from '../model/job-ad.ts'
import type { AdHold } from '../model/job-report.ts'
import type { Clock, EpochMs } from '../platform/core/clock.ts'
import { contentHash } from '../platform/core/content-hash.ts'
import { searchOf } from '../platform/http/requests/form.ts'
import { readIdempotencyKey } from '../platform/http/requests/idempotency-key.ts'
import { type Call, pathId, route } from '../platform/http/routes.ts'
import { nextPageSearch, readAdvertiserQuery, readListQuery } from './list-query.ts'
import type { Posting, Stored } from './postings.ts'
import { jobAdWords, type PostingWords, postingSchemas, questionnaireWords } from './schemas.ts'
import type { Jobs, Postings, Questionnaires } from './service.ts'

interface RouteDeps {
  jobs: Jobs
  questionnaires: Questionnaires
  access: BoardAccess
  baseUrl(): string
  clock: Clock
  adRules: readonly AdRuleSet[]
}

type BoardCall = Call<'intake-token'>

/** Lets job boards manage the ads and questionnaires of the advertisers that they may act for. */
export function jobRoutes(deps: RouteDeps): RouteOptions[] {
  return [
    ...postingRoutes(deps, '/v1/intake/job-ads', deps.jobs, jobAdWords()),
    ...postingRoutes(deps, '/v1/intake/screens', deps.questionnaires, questionnaireWords()),
  ]
}

/** The routes are the same for both kinds; only the content differs. */
function postingRoutes<Content>(
  { access, baseUrl, clock, adRules }: RouteDeps,
  path: '/v1/intake/job-ads' | '/v1/intake/screens',
  postings: Postings<Content>,
  words: PostingWords,
): RouteOptions[] {
  const schemas = postingSchemas(words)
  const shown = (entry: Stored<Content>, { timeZone }: { timeZone: string }) =>
    shownAt(entry, clock(), timeZone, adRules)
  const auth = 'intake-token'
  const one = `${path}/:id` as const

  async function readBody({ request, caller }: BoardCall) {
    const sent = postings.read(request.body)
    const { timeZone } = await access.assertMayActFor(caller.clientId, sent.advertiserId)
    return { ...sent, timeZone }
  }

  async function readAdvertiser({ request, caller }: BoardCall) {
    const advertiserId = readAdvertiserQuery(searchOf(request.raw.url))
    return { advertiserId, ...(await access.assertMayActFor(caller.clientId, advertiserId)) }
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
        const advertiser = await readAdvertiser(call)
        const entry = await postings.setStatus(advertiser.advertiserId, pathId(call.params.id), status)
        return sendJson(call.reply, shown(entry, advertiser))
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
        const key = readIdempotencyKey(request)
        const { advertiserId, content, timeZone } = await readBody(call)
        const { entry, isReplay } = await add(call, key, advertiserId, content)
        if (isReplay) reply.header('idempotent-replayed', 'true')
        reply.status(201).header('location', `${baseUrl()}${path}/${entry.id}?advertiserId=${advertiserId}`)
        return sendJson(reply, shown(entry, { timeZone }))
      },
    }),
    route({
      method: 'GET',
      url: path,
      auth,
      schema: schemas.list,
      async handle({ request, reply, caller }) {
        const query = readListQuery(searchOf(request.raw.url))
        const { advertiserId, afterId, limit, reference } = query
        const advertiser = await access.assertMayActFor(caller.clientId, advertiserId)
        const { entries, continueAfter } = await postings.list(advertiserId, afterId, limit, reference)
        if (continueAfter !== undefined) {
          reply.header('link', `<${baseUrl()}${path}?${nextPageSearch(query, continueAfter)}>; rel="next"`)
        }
        return sendJson(reply, { [words.listKey]: entries.map(entry => shown(entry, advertiser)) })
      },
    }),
    route({
      method: 'GET',
      url: one,
      auth,
      schema: schemas.read,
      async handle(call) {
        const advertiser = await readAdvertiser(call)
        const entry = await postings.find(advertiser.advertiserId, pathId(call.params.id))
        return sendJson(call.reply, shown(entry, advertiser))
      },
    }),
    route({
      method: 'PUT',
      url: one,
      auth,
      body: 'json',
      schema: schemas.replace,
      async handle(call) {
        const { advertiserId, timeZone } = await readBody(call)
        const id = pathId(call.params.id)
        const content = await postings.readReplacement(call.request.body, advertiserId, id)
        const entry = await postings.replace(advertiserId, id, content)
        return sendJson(call.reply, shown(entry, { timeZone }))
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
function shownAt(
  entry: Posting & { closingDate?: string | null; hold?: AdHold | null; details?: AdDetails },
  now: EpochMs,
  timeZone: string,
  adRules: readonly AdRuleSet[],
) {
  const { hold = null, details, ...shown } = entry
  const { status, closingDate = null } = shown
  const warnings = details === undefined ? [] : brokenRules(adRules, details)
  return {
    ...shown,
    ...details,
    ...(warnings.length > 0 && {
      warnings: warnings.map(({ field, reason }) => ({ field, message: reason })),
    }),
    ...(hold && { hold: { ...hold, at: new Date(hold.at).toISOString() } }),
    status: isOpen({ status, closingDate, hold }, now, timeZone) ? 'open' : 'closed',
    createdAt: new Date(entry.createdAt).toISOString(),
    updatedAt: new Date(entry.updatedAt).toISOString(),
  }
}

function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(JSON.stringify(body))
}
