import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { parseNumericId } from '../core/ids.ts'
import { Problem, type ProblemCode } from '../core/problems.ts'
import { sendChunks } from '../http/chunked-response.ts'
import { contentResponse, problemResponses, rateLimitHeaders } from '../http/documents.ts'
import { sendFile } from '../http/file-response.ts'
import { searchOf } from '../http/form.ts'
import { contentTypes, negotiateFormat } from '../http/negotiation.ts'
import { Slots } from '../http/slots.ts'
import { type ListQuery, nextPageSearch, readListQuery } from './list-query.ts'
import type { Format } from './rendering.ts'
import type { FileType } from './rules.ts'
import { ListParameters } from './schemas.ts'
import type { Applications } from './service.ts'

const security = [{ sws: [] }]
const swsProblems: ProblemCode[] = ['invalid-credential', 'advertiser-on-hold', 'rate-limited']

interface RouteDeps {
  applications: Applications
  baseUrl(): string
  limits: { pageSize: number; wholeListsPerCredential: number; retryAfterSeconds: number }
}

/** Version 1: the advertiser's applications. */
export function applicationRoutes(deps: RouteDeps): RouteOptions[] {
  const files: [FileType, string][] = [
    ['resume', 'The resume'],
    ['coverLetter', 'The cover letter'],
    ['selectionCriteria', 'The selection criteria'],
  ]
  // An Href is relative, and clients put it behind {base_url}/v1/ as well as behind {base_url}/.
  return [
    listRoute(deps),
    ...['/v1', ''].flatMap(prefix => [
      ...files.map(([type, summary]) => fileRoute(deps, prefix, type, summary)),
      screenRoute(deps, prefix),
    ]),
  ]
}

function listRoute({ applications, baseUrl, limits }: RouteDeps): RouteOptions {
  const wholeLists = new Slots(limits.wholeListsPerCredential)
  const url = '/v1/advertiser/applications'

  async function sendPage(request: FastifyRequest, reply: FastifyReply, format: Format, query: LimitedQuery) {
    const page = await applications.listPage(request.principal, format, query, query.limit)
    if (page.continueAfter !== undefined) {
      const next = `${baseUrl()}${url}?${nextPageSearch(searchOf(request.raw.url), page.continueAfter)}`
      reply.header('link', `<${next}>; rel="next"`)
    }
    return reply.send(page.content)
  }

  async function sendAll(request: FastifyRequest, reply: FastifyReply, format: Format, query: ListQuery) {
    if (request.method === 'HEAD') return reply.send()
    const release = wholeLists.take(request.principal.credentialId)
    if (release === undefined) {
      throw new Problem('too-many-streams', undefined, { retryAfterSeconds: limits.retryAfterSeconds })
    }
    reply.raw.once('close', release)
    // Whoever left while we asked who it was has closed already, and that is told only once.
    if (reply.raw.destroyed) release()
    const chunks = await applications.listAll(request.principal, format, query)
    return sendChunks(reply, chunks)
  }

  return {
    method: ['GET', 'HEAD'],
    url,
    config: { auth: 'sws' },
    schema: {
      summary: 'List applications',
      description:
        'Ascending by ID; all bounds are exclusive and combine with AND. Parameter names are taken in any letter case, an empty value counts as not sent.',
      operationId: 'listApplications',
      tags: ['Version 1'],
      security,
      querystring: ListParameters,
      response: {
        200: contentResponse(
          'The applications.',
          { 'application/json': Type.Ref('JobApplications'), 'application/xml': Type.String() },
          {
            ...rateLimitHeaders,
            Link: { description: 'The next page, when `limit` cut the list.', type: 'string' },
          },
        ),
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
      const format = prepareNegotiated(request, reply)
      const query = readListQuery(searchOf(request.raw.url), limits.pageSize)
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

function screenRoute({ applications }: RouteDeps, prefix: string): RouteOptions {
  return {
    method: ['GET', 'HEAD'],
    url: `${prefix}/advertiser/applications/screen/:jobApplicationId`,
    config: { auth: 'sws' },
    schema: {
      summary: 'The screening questionnaire with its answers',
      operationId: `screen${prefix === '' ? 'ByHref' : ''}`,
      tags: ['Version 1'],
      security,
      params: idParameter,
      response: {
        200: contentResponse(
          'The screen result.',
          { 'application/json': Type.Ref('Screen'), 'application/xml': Type.String() },
          rateLimitHeaders,
        ),
        ...problemResponses([...swsProblems, 'not-found', 'not-acceptable']),
      },
    },
    handler: async (request, reply) => {
      const id = applicationIdOf(request)
      const format = prepareNegotiated(request, reply)
      return reply.send(await applications.screen(request.principal.advertiserId, id, format))
    },
  }
}

function fileRoute(
  { applications }: RouteDeps,
  prefix: string,
  type: FileType,
  summary: string,
): RouteOptions {
  return {
    method: ['GET', 'HEAD'],
    url: `${prefix}/advertiser/applications/${type.toLowerCase()}/:jobApplicationId`,
    config: { auth: 'sws' },
    schema: {
      summary,
      operationId: `${type}${prefix === '' ? 'ByHref' : ''}`,
      tags: ['Version 1'],
      security,
      params: idParameter,
      response: fileResponses,
    },
    handler: async (request, reply) => {
      const download = await applications.download(
        request.principal.advertiserId,
        applicationIdOf(request),
        type,
      )
      const { file } = download
      if (file.scan === 'infected') reply.header('x-has-virus', 'true')
      const open = file.scan === 'infected' ? undefined : download.open
      return sendFile(request, reply, { file, open, isLengthTold: false })
    },
  }
}

const idParameter = Type.Object({ jobApplicationId: Type.String({ description: 'The ID from the list.' }) })

const Binary = Type.String({ format: 'binary' })
const fileResponses = {
  200: contentResponse(
    'The file, byte for byte.',
    { '*/*': Binary },
    {
      ...rateLimitHeaders,
      ETag: { description: 'The Hash of the list, quoted.', type: 'string' },
      'X-Has-Virus': {
        description: '`true`, with an empty body, when the file was infected.',
        type: 'string',
      },
    },
  ),
  206: contentResponse('The range that was asked for.', { '*/*': Binary }, rateLimitHeaders),
  304: {
    description: 'Unchanged since the ETag or date that was sent.',
    type: 'null',
    headers: rateLimitHeaders,
  },
  ...problemResponses([...swsProblems, 'not-found', 'range-not-satisfiable', 'not-yet-scanned']),
}

/** Whatever is no ID cannot belong to anybody. */
function applicationIdOf(request: FastifyRequest): number {
  const id = parseNumericId((request.params as { jobApplicationId: string }).jobApplicationId)
  if (id === undefined) throw new Problem('not-found')
  return id
}

function prepareNegotiated(request: FastifyRequest, reply: FastifyReply): Format {
  reply.header('vary', 'Accept')
  const format = negotiateFormat(request.headers.accept)
  if (format === undefined) throw new Problem('not-acceptable')
  reply.headers({ 'content-type': contentTypes[format], 'cache-control': 'private' })
  return format
}
