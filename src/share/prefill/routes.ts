import type { FastifyRequest, RouteOptions } from 'fastify'
import { sendFile } from '../../http/responses/file-response.ts'
import { completeSchema, prefillSchema, resumeSchema } from './schemas.ts'
import type { Sharing } from './service.ts'

interface RouteDeps {
  sharing: Sharing
  baseUrl(): string
}

/** The routes of version 2. */
export function sharingRoutes({ sharing, baseUrl }: RouteDeps): RouteOptions[] {
  return [
    {
      method: 'POST',
      url: '/v2/applications/prefilled',
      config: { auth: 'profile-token', body: 'json' },
      schema: prefillSchema,
      handler: async (request, reply) => {
        const answer = await sharing.prefill(request.profileToken, request.body, baseUrl())
        return reply
          .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
          .send(JSON.stringify(answer))
      },
    },
    {
      method: ['GET', 'HEAD'],
      url: '/v2/resumes/:resumeId',
      config: { auth: 'profile-token' },
      schema: resumeSchema,
      handler: async (request, reply) => {
        const { file, ...ways } = await sharing.resume(request.profileToken, parameter(request, 'resumeId'))
        const described = { ...file, contentType: 'application/octet-stream', changedAt: file.uploadedAt }
        return sendFile(request, reply, { file: described, ...ways, isLengthTold: true })
      },
    },
    {
      method: 'POST',
      url: '/v2/applications/:applicationId/complete',
      config: { auth: 'client-token', body: 'json' },
      schema: completeSchema,
      handler: async (request, reply) => {
        await sharing.complete(request.clientToken, parameter(request, 'applicationId'), request.body)
        return reply.status(204).send()
      },
    },
  ]
}

function parameter(request: FastifyRequest, name: string): string {
  return (request.params as Record<string, string>)[name] ?? ''
}
