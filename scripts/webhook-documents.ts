import { eventEnvelope } from '../src/events/feed/schemas.ts'
import { sentPayloads } from '../src/events/payload-schemas.ts'
import { eventId } from '../src/model/events.ts'

/** The headers of every webhook. */
const headers: [name: string, description: string, isRequired: boolean][] = [
  ['webhook-id', 'ID of the event, the same at every attempt.', true],
  ['webhook-timestamp', 'Seconds since 1970, of this attempt.', true],
  ['webhook-signature', 'One or more signatures, separated by spaces: `v1,…` or `v1a,…`.', true],
  ['dossier-attempt', 'Number of the attempt, from 1.', true],
  ['dossier-replay', 'ID of the replay, if it is one.', false],
]

/** The section `webhooks` of the OpenAPI document: what receivers are sent, by type. */
export function webhookDocuments(): Record<string, { post: object }> {
  const entries = Object.entries(sentPayloads).map(([type, { data, summary, example }]) => {
    const schema = {
      type: 'object',
      required: ['id', 'type', 'timestamp', 'data'],
      properties: {
        id: eventEnvelope.id,
        type: { type: 'string', const: type },
        timestamp: eventEnvelope.timestamp,
        data: { $ref: `#/components/schemas/${data}` },
      },
      additionalProperties: false,
    }
    const number = Date.UTC(2026, 10, 14)
    const id = eventId({ advertiserId: 10000001 }, number)
    const sent = { id, type, timestamp: new Date(number).toISOString(), data: example }
    const operation = {
      tags: ['Webhooks'],
      operationId: type,
      summary,
      parameters: headers.map(([name, description, required]) => ({
        name,
        in: 'header',
        description,
        required,
        schema: { type: 'string' },
      })),
      requestBody: { required: true, content: { 'application/json': { schema, example: sent } } },
      responses: {
        '2XX': { description: 'Accepted: the next event follows.' },
        410: { description: 'Stops the endpoint.' },
        default: { description: 'Failed: the event is sent again.' },
      },
      security: [],
    }
    return [type, { post: operation }]
  })
  return Object.fromEntries(entries)
}
