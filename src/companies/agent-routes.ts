import type { RouteOptions } from 'fastify'
import { problemResponses } from '../model/problem-responses.ts'
import { Type } from '../platform/core/input/json-schema.ts'
import { intakePageSize, maxPageSize, readPageParameters } from '../platform/core/input/page-parameters.ts'
import { KnownParameters } from '../platform/core/input/url-encoded.ts'
import { contentResponse, rateLimitHeaders } from '../platform/http/documents.ts'
import { searchOf } from '../platform/http/requests/form.ts'
import { route } from '../platform/http/routes.ts'
import type { Agents } from './agents-service.ts'

const path = '/v1/agent/advertisers'
const closed = { additionalProperties: false }
const known = new KnownParameters(['afterId', 'limit'])

export const AgentAdvertiserSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Send it as `advertiser_id` to get a token for this advertiser.' }),
    name: Type.String(),
    authorisedAt: Type.String({ format: 'date-time', description: 'Since when it authorises the agent.' }),
  },
  { ...closed, $id: 'AgentAdvertiser', description: 'An advertiser that authorises the agent.' },
)

const schema = {
  summary: 'List the advertisers that authorise the agent',
  description:
    'Needs the token of an agent with scope m_webhooks. Returns advertisers in ascending order of ID, including those on hold. Follow Link to continue.',
  operationId: 'listAdvertisers',
  tags: ['Webhooks'],
  security: [{ bearer: [] }],
  querystring: Type.Object({
    afterId: Type.Optional(
      Type.String({ pattern: '^\\d{1,19}$', description: 'Only advertisers with a higher ID.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxPageSize,
        default: intakePageSize,
        description: 'The maximum number of advertisers on a page.',
      }),
    ),
  }),
  response: {
    200: contentResponse(
      'The advertisers.',
      {
        'application/json': Type.Object({ advertisers: Type.Array(Type.Ref('AgentAdvertiser')) }, closed),
      },
      { ...rateLimitHeaders, Link: { description: 'The next page, if there is one.', type: 'string' } },
    ),
    ...problemResponses(['invalid-token', 'rate-limited', 'invalid-parameter', 'repeated-parameter']),
  },
}

/** Lists for an agent the advertisers for which it may act. */
export function agentRoute(
  agents: Pick<Agents, 'advertisersOf'>,
  { baseUrl }: { baseUrl(): string },
): RouteOptions {
  return route({
    method: 'GET',
    url: path,
    auth: 'agent-token',
    schema,
    async handle({ request, reply, caller }) {
      const page = readPageParameters(known.read(searchOf(request.raw.url)), {
        usual: intakePageSize,
        max: maxPageSize,
      })
      const { advertisers, continueAfter } = await agents.advertisersOf(caller.agentId, page)
      if (continueAfter !== undefined)
        reply.header('link', `<${baseUrl()}${path}?limit=${page.limit}&afterId=${continueAfter}>; rel="next"`)
      const shown = advertisers.map(({ advertiserId, name, authorisedAt }) => ({
        id: advertiserId,
        name,
        authorisedAt: new Date(authorisedAt).toISOString(),
      }))
      return reply
        .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
        .send(JSON.stringify({ advertisers: shown }))
    },
  })
}
