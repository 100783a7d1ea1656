import type { RouteOptions } from 'fastify'
import { logosPath } from '../platform/core/brand/logo.ts'
import { route } from '../platform/http/routes.ts'
import { immutable } from '../platform/web/assets.ts'
import { logoPolicy } from '../platform/web/board.ts'
import type { Logos } from './logo-service.ts'

/** The logos of advertisers and clients, as pages show them. */
export function logoRoute(logos: Pick<Logos, 'find'>): RouteOptions {
  return route({
    method: 'GET',
    url: `${logosPath}/:hash`,
    auth: 'public',
    schema: { hide: true },
    async handle({ reply, params }) {
      const { type, bytes } = await logos.find(params.hash)
      return reply.headers({ 'content-type': type, ...immutable, ...logoPolicy }).send(bytes)
    },
  })
}
