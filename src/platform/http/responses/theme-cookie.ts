import { stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Light or dark, as chosen on a page and remembered by the browser; undefined follows the system. */
export type Theme = 'light' | 'dark'

const name = 'dossier-theme'
const aYear = 365 * 24 * 60 * 60

export function themeOf({ headers }: FastifyRequest): Theme | undefined {
  return /(?:^|;\s*)dossier-theme=(light|dark)(?:;|$)/.exec(headers.cookie ?? '')?.[1] as Theme | undefined
}

export function rememberTheme(
  reply: FastifyReply,
  theme: Theme | undefined,
  isSecure: boolean,
): FastifyReply {
  return reply.header(
    'set-cookie',
    stringifySetCookie({
      name,
      value: theme ?? '',
      maxAge: theme === undefined ? 0 : aYear,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure,
    }),
  )
}
