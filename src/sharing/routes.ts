import { create as contentDisposition } from 'content-disposition'
import type { FastifyRequest, RouteOptions } from 'fastify'
import { asciiFileName } from '../core/file-name.ts'
import { Problem } from '../core/problems.ts'
import { chooseRange, isUnchanged } from '../http/conditions.ts'
import { completeSchema, prefillSchema, resumeSchema } from './schemas.ts'
import type { Sharing } from './service.ts'

interface RouteDeps {
  sharing: Sharing
  baseUrl(): string
}

/** Version 2: what a candidate shares. */
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
        const { file, open } = await sharing.resume(request.profileToken, parameter(request, 'resumeId'))
        const etag = `"${file.sha256}"`
        const lastModified = new Date(file.uploadedAt).toUTCString()
        reply.headers({
          'cache-control': 'private',
          etag,
          'last-modified': lastModified,
          'accept-ranges': 'bytes',
        })
        if (isUnchanged(request.headers, { etag, lastModified })) return reply.status(304).send()
        reply.headers({
          'content-type': 'application/octet-stream',
          'content-disposition': contentDisposition(file.fileName, {
            fallback: asciiFileName(file.fileName),
          }),
          'content-length': file.size,
        })
        if (request.method === 'HEAD') return reply.send()
        const range = chooseRange(request.headers, { size: file.size, etag, lastModified })
        if (range === 'unsatisfiable') {
          reply.removeHeader('content-length').header('content-range', `bytes */${file.size}`)
          throw new Problem('range-not-satisfiable')
        }
        const content = await open(range)
        if (range !== undefined) {
          reply.status(206).headers({
            'content-range': `bytes ${range.start}-${range.end}/${file.size}`,
            'content-length': range.end - range.start + 1,
          })
        }
        return reply.send(content)
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
