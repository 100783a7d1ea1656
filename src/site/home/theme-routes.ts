import type { RouteOptions } from 'fastify'
import { rememberTheme } from '../../platform/http/responses/theme-cookie.ts'
import { redirect } from '../../platform/web/page-response.ts'
import { publicPage } from '../../platform/web/page-routes.ts'

/** Needs no form token: a forged request could only change the colours. */
export function themeRoute(isSecure: () => boolean): RouteOptions {
  return publicPage.post('/theme', async ({ fields, reply }) => {
    const theme = fields.get('theme')
    rememberTheme(reply, theme === 'light' || theme === 'dark' ? theme : undefined, isSecure())
    return redirect(reply, pathIn(fields.get('to') ?? ''))
  })
}

const anywhere = 'http://anywhere.invalid'

/** Read as browsers read it, which drop tabs and line breaks and take a backslash for a slash; `/` if it leads elsewhere. */
function pathIn(target: string): string {
  if (!target.startsWith('/') || !URL.canParse(target, anywhere)) return '/'
  const { origin, pathname, search } = new URL(target, anywhere)
  return origin === anywhere && !pathname.startsWith('//') ? pathname + search : '/'
}
