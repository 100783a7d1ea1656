import type { RouteOptions } from 'fastify'
import { Type } from '../core/input/json-schema.ts'
import { Problem } from '../core/problems.ts'
import { contentResponse, elsewhereResponse, problemResponses, rateLimitHeaders } from '../http/documents.ts'
import { matchesTag } from '../http/requests/conditions.ts'
import { searchOf } from '../http/requests/form.ts'
import { sendFile } from '../http/responses/file-response.ts'
import { pathId, route } from '../http/routes.ts'
import { type FileType, fileTypes } from '../model/application.ts'
import { readerOf } from '../model/application-read.ts'
import { readPrimaryInfoQuery } from './list-query.ts'
import { answerTypeFor, type ListRouteDeps, listRoute, tagOf } from './list-routes.ts'
import { ListParameters, security, swsProblems } from './schemas.ts'

/** The routes of version 1, for an advertiser's applications. */
export function applicationRoutes(deps: ListRouteDeps): RouteOptions[] {
  const files: [FileType, string][] = [
    ['resume', 'Download the resume'],
    ['coverLetter', 'Download the cover letter'],
    ['selectionCriteria', 'Download the selection criteria'],
  ]
  // An Href is relative, and clients append it to {base_url}/v1/ as well as to {base_url}/.
  return [
    listRoute(deps),
    applicationRoute(deps),
    ...['/v1', ''].flatMap(prefix => [
      ...files.map(([type, summary]) => fileRoute(deps, prefix, type, summary)),
      screenRoute(deps, prefix),
    ]),
  ]
}

/** What stands in place of an ID in paths without one. */
const noIds = new Set(['', 'screen', ...fileTypes.map(type => type.toLowerCase())])

/** For followers of events, which name applications by their IDs. */
function applicationRoute({ applications, reads }: ListRouteDeps): RouteOptions {
  return route({
    method: 'GET',
    url: '/v1/advertiser/applications/:jobApplicationId',
    auth: 'sws',
    // Before authentication: paths such as /applications/resume, without an ID, have always been unknown to everyone.
    onRequest({ params }, _reply, done) {
      const { jobApplicationId } = params as { jobApplicationId: string }
      done(noIds.has(jobApplicationId.toLowerCase()) ? new Problem('no-such-route') : undefined)
    },
    config: { isCompressed: true },
    schema: {
      summary: 'Read one application',
      description: 'The same object as in the list, by the same rules.',
      operationId: 'readApplication',
      tags: ['Version 1'],
      security,
      params: idParameter,
      querystring: Type.Object({ include: ListParameters.properties.include }),
      response: {
        200: contentResponse(
          'The application.',
          {
            'application/json': Type.Ref('JobApplication'),
            'application/xml': Type.String(),
            'text/xml': Type.String(),
          },
          {
            ...rateLimitHeaders,
            ETag: {
              description: 'Changes with the advertiser’s list. Different with `include`.',
              type: 'string',
            },
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
          'not-found',
          'not-acceptable',
        ]),
      },
    },
    handle: async ({ request, reply, caller, params }) => {
      const id = pathId(params.jobApplicationId)
      const { format, contentType } = answerTypeFor(request, reply)
      const includePrimaryInfo = readPrimaryInfoQuery(searchOf(request.raw.url))
      const { advertiserId, version } = caller
      const content = await applications.one(advertiserId, id, { format, includePrimaryInfo }, version)
      const etag = tagOf(caller, format, `one ${id} ${includePrimaryInfo}`)
      reply.headers({ etag, vary: 'Accept', 'cache-control': 'private' })
      if (matchesTag(request.headers, etag)) return reply.status(304).send()
      if (request.method === 'GET') reads.list(advertiserId, readerOf(caller), id, id)
      return reply.header('content-type', contentType).send(content)
    },
  })
}

function screenRoute({ applications, reads }: ListRouteDeps, prefix: string): RouteOptions {
  return route({
    method: 'GET',
    url: `${prefix}/advertiser/applications/screen/:jobApplicationId`,
    auth: 'sws',
    config: { isCompressed: true },
    schema: {
      summary: 'Read the screening questionnaire with its answers',
      operationId: `screen${prefix === '' ? 'ByHref' : ''}`,
      tags: ['Version 1'],
      security,
      params: idParameter,
      response: {
        200: contentResponse(
          'The screen result.',
          {
            'application/json': Type.Ref('Screen'),
            'application/xml': Type.String(),
            'text/xml': Type.String(),
          },
          rateLimitHeaders,
        ),
        ...problemResponses([...swsProblems, 'not-found', 'not-acceptable']),
      },
    },
    handle: async ({ request, reply, caller, params }) => {
      const id = pathId(params.jobApplicationId)
      const { format, contentType } = answerTypeFor(request, reply)
      reply.headers({ vary: 'Accept', 'content-type': contentType, 'cache-control': 'private' })
      const answers = await applications.screen(caller.advertiserId, id, format, caller.version)
      if (request.method === 'GET') reads.list(caller.advertiserId, readerOf(caller), id, id)
      return reply.send(answers)
    },
  })
}

function fileRoute(
  { applications, reads }: ListRouteDeps,
  prefix: string,
  type: FileType,
  summary: string,
): RouteOptions {
  return route({
    method: 'GET',
    url: `${prefix}/advertiser/applications/${type.toLowerCase()}/:jobApplicationId`,
    auth: 'sws',
    schema: {
      summary,
      operationId: `${type}${prefix === '' ? 'ByHref' : ''}`,
      tags: ['Version 1'],
      security,
      params: idParameter,
      response: fileResponses,
    },
    handle: async ({ request, reply, caller, params }) => {
      const { advertiserId, version } = caller
      const id = pathId(params.jobApplicationId)
      const { file, ...ways } = await applications.download(advertiserId, id, type, version)
      if (file.scan !== 'infected') {
        const onContent = () => reads.fetch(advertiserId, readerOf(caller), id)
        return sendFile(request, reply, { file, ...ways, onContent, isLengthTold: false })
      }
      reply.header('x-has-virus', 'true')
      return sendFile(request, reply, { file, open: undefined, isLengthTold: false })
    },
  })
}

const idParameter = Type.Object({ jobApplicationId: Type.String({ description: 'The ID from the list.' }) })

const Binary = Type.String({ format: 'binary' })
const fileResponses = {
  200: contentResponse(
    'The file, byte for byte.',
    { '*/*': Binary },
    {
      ...rateLimitHeaders,
      ETag: { description: 'The Hash from the list, quoted.', type: 'string' },
      'X-Has-Virus': {
        description: '`true`, with an empty body, if the file was infected.',
        type: 'string',
      },
    },
  ),
  206: contentResponse('The requested range.', { '*/*': Binary }, rateLimitHeaders),
  302: elsewhereResponse,
  304: {
    description: 'Unchanged since the ETag or date you sent.',
    type: 'null',
    headers: rateLimitHeaders,
  },
  ...problemResponses([
    ...swsProblems,
    'not-found',
    'range-not-satisfiable',
    'file-not-judged',
    'not-yet-scanned',
  ]),
}
