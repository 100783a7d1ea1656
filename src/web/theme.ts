import { stringifySetCookie } from 'cookie'
import type { FastifyRequest, RouteOptions } from 'fastify'
import type { FormFields } from '../http/requests/form.ts'
import { redirect } from './page-response.ts'

/** Light or dark, as chosen on a page and remembered by the browser; undefined follows the system. */
export type Theme = 'light' | 'dark'

const cookieName = 'dossier-theme'

export function themeOf({ headers }: FastifyRequest): Theme | undefined {
  return /(?:^|;\s*)dossier-theme=(light|dark)(?:;|$)/.exec(headers.cookie ?? '')?.[1] as Theme | undefined
}

const aYear = 365 * 24 * 60 * 60

/** Needs no form token: a forged request could change nothing but the colours. */
export function themeRoute(isSecure: () => boolean): RouteOptions {
  return {
    method: 'POST',
    url: '/theme',
    config: { auth: 'public', body: 'form', errors: 'page' },
    schema: { hide: true },
    handler: async (request, reply) => {
      const fields = request.body as FormFields
      const theme = fields.get('theme')
      const isChosen = theme === 'light' || theme === 'dark'
      reply.header(
        'set-cookie',
        stringifySetCookie({
          name: cookieName,
          value: isChosen ? theme : '',
          ...{ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure() },
          maxAge: isChosen ? aYear : 0,
        }),
      )
      const back = fields.get('to') ?? ''
      // Rejects other hosts: `//host` and `/\host` are addresses of their own.
      return redirect(reply, /^\/(?![/\\])/.test(back) ? back : '/')
    },
  }
}
