import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../http/sessions.ts'
import type { Navigation, NavigationLink } from '../web/layout.ts'
import { layoutTexts } from '../web/layout-texts.ts'
import { accountNavigationTexts as texts } from './account-navigation-texts.ts'

const accountPages: readonly NavigationLink[] = [
  { path: '/account', label: texts.profile },
  { path: '/account/resumes', label: texts.resumes },
  { path: '/account/applications', label: texts.applications },
  { path: '/account/sharing', label: texts.sharing },
  { path: '/account/security', label: texts.security },
  { path: '/account/data', label: texts.data },
]

/** The header of every page of somebody who is signed in. */
export function accountNavigation(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
  current: string,
): Navigation {
  const { firstName, email, isMember } = request.session
  return {
    area: layoutTexts.accountArea,
    pages: accountPages,
    isMember,
    account: firstName === '' ? email : firstName,
    current,
    signOutToken: sessions.formToken(request, reply, '/sign-out'),
  }
}
