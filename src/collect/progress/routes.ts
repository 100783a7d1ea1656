import type { RouteOptions } from 'fastify'
import { problemResponses } from '../../model/problem-responses.ts'
import { progressBody } from '../../model/progress-report.ts'
import { Type } from '../../platform/core/input/json-schema.ts'
import { contentResponse, rateLimitHeaders } from '../../platform/http/documents.ts'
import { route } from '../../platform/http/routes.ts'
import { security, swsProblems } from '../schemas.ts'
import type { ProgressReports } from './report-service.ts'

/** Version 1: an advertiser's program reports the progress of its applications. */
export function progressRoute(reports: ProgressReports): RouteOptions {
  return route({
    method: 'POST',
    url: '/v1/advertiser/progress',
    auth: 'progress-token',
    body: 'json',
    schema: {
      summary: 'Report the progress of applications',
      description:
        'Sets the states of up to 100 applications. Of two entries for one application the one with the later `at` wins, from any sender and in any order of arrival, and at equal times the later state, so late and repeated entries are harmless. An agent needs a token with the scope w_progress, and the advertiser’s permission to report. An Idempotency-Key is ignored.',
      operationId: 'reportProgress',
      tags: ['Version 1'],
      security,
      body: progressBody('ProgressEntry'),
      response: {
        200: contentResponse(
          'One result per entry, in their order.',
          { 'application/json': Type.Ref('ProgressResults') },
          rateLimitHeaders,
        ),
        ...problemResponses([
          ...swsProblems,
          'progress-not-granted',
          'bad-request',
          'invalid-fields',
          'payload-too-large',
          'unsupported-media-type',
        ]),
      },
    },
    async handle({ request, reply, caller }) {
      const results = await reports.report(caller, request.body)
      return reply
        .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
        .send(JSON.stringify({ results }))
    },
  })
}
