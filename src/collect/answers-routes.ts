import type { RouteOptions } from 'fastify'
import { readerOf } from '../model/application-read.ts'
import { problemResponses } from '../model/problem-responses.ts'
import { Type } from '../platform/core/input/json-schema.ts'
import { contentResponse, rateLimitHeaders } from '../platform/http/documents.ts'
import { pathId, route } from '../platform/http/routes.ts'
import type { TypedAnswersReader } from './answers-service.ts'
import type { Reads } from './reads/service.ts'
import { security, swsProblems } from './schemas.ts'

/** Details of answers that version 1 cannot express: their kinds, and the company's references. */
export function answersRoutes({
  answers,
  reads,
}: {
  answers: TypedAnswersReader
  reads: Pick<Reads, 'list'>
}): RouteOptions[] {
  return [
    route({
      method: 'GET',
      url: '/v1/advertiser/applications/:jobApplicationId/answers',
      auth: 'sws',
      config: { isCompressed: true },
      schema: {
        summary: 'Read the answers of an application, with their kinds',
        description:
          'Every question as it was when the candidate answered, with your reference and a value of its kind. Without a questionnaire, or after an erasure, `screen` is null.',
        operationId: 'readAnswers',
        tags: ['Version 1'],
        security,
        params: Type.Object({ jobApplicationId: Type.String({ description: 'The ID from the list.' }) }),
        response: {
          200: contentResponse(
            'The answers.',
            { 'application/json': Type.Ref('ApplicationAnswers') },
            rateLimitHeaders,
          ),
          ...problemResponses([...swsProblems, 'not-found']),
        },
      },
      handle: async ({ request, reply, caller, params }) => {
        const id = pathId(params.jobApplicationId)
        const found = await answers.one(caller.advertiserId, id)
        if (request.method === 'GET') reads.list(caller.advertiserId, readerOf(caller), id, id)
        return reply
          .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private' })
          .send(JSON.stringify(found))
      },
    }),
  ]
}
