import { stringifySetCookie } from 'cookie'
import type { RouteOptions } from 'fastify'
import { redirect } from '../../web/page-response.ts'
import { publicPage } from '../../web/page-routes.ts'

const aYear = 365 * 24 * 60 * 60

/** Needs no form token: a forged request could change nothing but the colours. */
export function themeRoute(isSecure: () => boolean): RouteOptions {
  return publicPage.post('/theme', async ({ fields, reply }) => {
    const theme = fields.get('theme')
    const isChosen = theme === 'light' || theme === 'dark'
    const cookie = stringifySetCookie({
      name: 'dossier-theme',
      value: isChosen ? theme : '',
      maxAge: isChosen ? aYear : 0,
      ...{ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure() },
    })
    const back = fields.get('to') ?? ''
    // A second slash or a backslash would begin another host.
    return redirect(reply.header('set-cookie', cookie), /^\/(?![/\\])/.test(back) ? back : '/')
  })
}
