import { stringifySetCookie } from 'cookie'
import type { FastifyRequest, RouteOptions } from 'fastify'
import { redirect } from './page-response.ts'
import { publicPage } from './page-routes.ts'

/** Light or dark, as chosen on a page and remembered by the browser; undefined follows the system. */
export type Theme = 'light' | 'dark'

const cookieName = 'dossier-theme'

export function themeOf({ headers }: FastifyRequest): Theme | undefined {
  return /(?:^|;\s*)dossier-theme=(light|dark)(?:;|$)/.exec(headers.cookie ?? '')?.[1] as Theme | undefined
}

const aYear = 365 * 24 * 60 * 60

/** Needs no form token: a forged request could change nothing but the colours. */
export function themeRoute(isSecure: () => boolean): RouteOptions {
  return publicPage.post('/theme', async ({ fields, reply }) => {
    const theme = fields.get('theme')
    const isChosen = theme === 'light' || theme === 'dark'
    const cookie = stringifySetCookie({
      name: cookieName,
      value: isChosen ? theme : '',
      maxAge: isChosen ? aYear : 0,
      ...{ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure() },
    })
    const back = fields.get('to') ?? ''
    // A second slash or a backslash would begin another host.
    return redirect(reply.header('set-cookie', cookie), /^\/(?![/\\])/.test(back) ? back : '/')
  })
}
