import type { RouteOptions } from 'fastify'
import { rememberTheme } from '../../http/responses/theme-cookie.ts'
import { redirect } from '../../web/page-response.ts'
import { publicPage } from '../../web/page-routes.ts'

/** Needs no form token: a forged request could change nothing but the colours. */
export function themeRoute(isSecure: () => boolean): RouteOptions {
  return publicPage.post('/theme', async ({ fields, reply }) => {
    const theme = fields.get('theme')
    rememberTheme(reply, theme === 'light' || theme === 'dark' ? theme : undefined, isSecure())
    const back = fields.get('to') ?? ''
    // A second slash or a backslash would begin another host.
    return redirect(reply, /^\/(?![/\\])/.test(back) ? back : '/')
  })
}
