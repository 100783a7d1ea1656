import type { RouteOptions } from 'fastify'
import { sendFile } from '../../platform/http/responses/file-response.ts'
import { route } from '../../platform/http/routes.ts'
import { completeSchema, prefillSchema, progressSchema, resumeSchema } from './schemas.ts'
import type { Sharing } from './service.ts'

interface RouteDeps {
  sharing: Sharing
  baseUrl(): string
}

/** The routes of version 2. */
export function sharingRoutes({ sharing, baseUrl }: RouteDeps): RouteOptions[] {
  return [
    route({
      method: 'POST',
      url: '/v2/applications/prefilled',
      auth: 'profile-token',
      body: 'json',
      schema: prefillSchema(),
      handle: async ({ request, reply, caller }) => {
        const answer = await sharing.prefill(caller, request.body, baseUrl())
        return reply
          .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
          .send(JSON.stringify(answer))
      },
    }),
    route({
      method: 'GET',
      url: '/v2/resumes/:resumeId',
      auth: 'profile-token',
      schema: resumeSchema,
      handle: async ({ request, reply, caller, params }) => {
        const { file, ...ways } = await sharing.resume(caller, params.resumeId)
        const described = { ...file, contentType: 'application/octet-stream', changedAt: file.uploadedAt }
        return sendFile(request, reply, { file: described, ...ways, isLengthTold: true })
      },
    }),
    route({
      method: 'POST',
      url: '/v2/applications/:applicationId/complete',
      auth: 'client-token',
      body: 'json',
      schema: completeSchema,
      handle: async ({ request, reply, caller, params }) => {
        await sharing.complete(caller, params.applicationId, request.body)
        return reply.status(204).send()
      },
    }),
    route({
      method: 'POST',
      url: '/v2/progress',
      auth: 'client-token',
      body: 'json',
      schema: progressSchema,
      handle: async ({ request, reply, caller }) => {
        const results = await sharing.reportProgress(caller, request.body)
        return reply
          .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
          .send(JSON.stringify({ results }))
      },
    }),
  ]
}
