import type { RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { contentResponse, elsewhereResponse, problemResponses, rateLimitHeaders } from '../http/documents.ts'
import { sendFile } from '../http/responses/file-response.ts'
import { pathId, route } from '../http/routes.ts'
import type { FileType } from '../model/application.ts'
import { readerOf } from '../model/application-read.ts'
import { answerTypeFor, type ListRouteDeps, listRoute } from './list-routes.ts'
import { security, swsProblems } from './schemas.ts'

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
    ...['/v1', ''].flatMap(prefix => [
      ...files.map(([type, summary]) => fileRoute(deps, prefix, type, summary)),
      screenRoute(deps, prefix),
    ]),
  ]
}

function screenRoute({ applications, reads }: ListRouteDeps, prefix: string): RouteOptions {
  return route({
    method: ['GET', 'HEAD'],
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
    method: ['GET', 'HEAD'],
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
        await sendFile(request, reply, { file, ...ways, isLengthTold: false })
        const isSent = request.method === 'GET' && reply.statusCode !== 304
        if (isSent) reads.fetch(advertiserId, readerOf(caller), id)
        return reply
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
