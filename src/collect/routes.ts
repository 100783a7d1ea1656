import type { FastifyReply, RouteOptions } from 'fastify'
import { type AnyFileType, type FileType, fileTypes, readFileType } from '../model/application.ts'
import { readerOf } from '../model/application-read.ts'
import { problemResponses } from '../model/problem-responses.ts'
import { Type } from '../platform/core/input/json-schema.ts'
import { Problem } from '../platform/core/problems.ts'
import { contentResponse, elsewhereResponse, rateLimitHeaders } from '../platform/http/documents.ts'
import { matchesTag } from '../platform/http/requests/conditions.ts'
import { searchOf } from '../platform/http/requests/form.ts'
import { sendFile } from '../platform/http/responses/file-response.ts'
import { type Call, pathId, route } from '../platform/http/routes.ts'
import { readPrimaryInfoQuery } from './list-query.ts'
import { answerTypeFor, type ListRouteDeps, listRoute, tagOf } from './list-routes.ts'
import { ListParameters, security, swsProblems } from './schemas.ts'
import type { Download } from './service.ts'

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
    answerFileRoute(deps),
    ...['/v1', ''].flatMap(prefix => [
      ...files.map(([type, summary]) => fileRoute(deps, prefix, type, summary)),
      screenRoute(deps, prefix),
    ]),
  ]
}

/** Path segments that may replace the ID in paths without one. */
const noIds = new Set(['', 'screen', ...fileTypes.map(type => type.toLowerCase())])

/** For followers of events, which refer to applications by ID. */
function applicationRoute({ applications, reads }: ListRouteDeps): RouteOptions {
  return route({
    method: 'GET',
    url: '/v1/advertiser/applications/:jobApplicationId',
    auth: 'sws',
    // Before authentication: paths without an ID, such as /applications/resume, have always been unknown to everyone.
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
    handle: call => sendAttached({ applications, reads }, call, pathId(call.params.jobApplicationId), type),
  })
}

/** A file that answers a question. */
function answerFileRoute({ applications, reads }: ListRouteDeps): RouteOptions {
  return route({
    method: 'GET',
    url: '/v1/advertiser/applications/:jobApplicationId/answers/:number/file',
    auth: 'sws',
    schema: {
      summary: 'Download a file that answers a question',
      operationId: 'answerFile',
      tags: ['Version 1'],
      security,
      params: Type.Object({
        ...idParameter.properties,
        number: Type.String({ description: 'Which of the answers, from 1.' }),
      }),
      response: fileResponses,
    },
    handle: call => {
      const type = readFileType(`answer-${call.params.number}`)
      if (type === undefined) throw new Problem('not-found')
      return sendAttached({ applications, reads }, call, pathId(call.params.jobApplicationId), type)
    },
  })
}

async function sendAttached(
  { applications, reads }: Pick<ListRouteDeps, 'applications' | 'reads'>,
  { request, reply, caller }: Pick<Call<'sws'>, 'request' | 'reply' | 'caller'>,
  id: number,
  type: AnyFileType,
): Promise<FastifyReply> {
  const { advertiserId, version } = caller
  const reader = readerOf(caller)

  function send({ file, ...ways }: Download): Promise<FastifyReply> {
    if (file.scan === 'infected') {
      reply.header('x-has-virus', 'true')
      return sendFile(request, reply, { file, open: undefined, isLengthTold: false })
    }
    const beforeContent = async () => {
      if (!file.isReplaceable) return void reads.fetch(advertiserId, reader, id)
      // From here on the candidate cannot replace the file, but it may have been replaced before.
      await reads.download(advertiserId, reader, id)
      const now = await applications.download(advertiserId, id, type)
      return now.file.blob === file.blob ? undefined : () => send(now)
    }
    return sendFile(request, reply, { file, ...ways, beforeContent, isLengthTold: false })
  }

  return send(await applications.download(advertiserId, id, type, version))
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
