import type { RouteOptions } from 'fastify'
import { isEmail, spellEmail } from '../../core/email.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { notice } from '../../web/components.ts'
import type { Html } from '../../web/html.ts'
import { viewerPage } from '../../web/page-routes.ts'
import { actionsOf, sendOperatorPage, tokensOf } from '../acting-pages.ts'
import { type HomePage, homeMarkup } from './markup.ts'
import { homeTexts as texts } from './texts.ts'

/** What is wrong and what needs attention. */
export function operatorHomePages(deps: {
  look(isComplete: boolean): Promise<Pick<HomePage, 'findings' | 'attention' | 'isEmpty'>>
  isMailOn: boolean
  /** Undefined if the mail server has taken it; otherwise its words. */
  sendTestMail(email: string): Promise<string | undefined>
  sessions: Sessions
  limits: Pick<Limits, 'emailLength'>
}): RouteOptions[] {
  const { sessions, isMailOn, limits } = deps
  const act = actionsOf(sessions, 'home')

  async function send(
    { request, reply, caller }: Call<'operator'>,
    { status = 200, above, typed }: { status?: number; above?: Html; typed?: HomePage['typed'] } = {},
  ) {
    const areAllChecks = request.method === 'GET' && request.url.endsWith('?checks=all')
    const body = homeMarkup({
      ...(await deps.look(areAllChecks)),
      ...{ areAllChecks, isMailOn },
      isOperator: caller.operatorRole === 'operator',
      token: tokensOf(sessions, reply),
      typed: typed ?? { email: '', errors: [] },
    })
    return sendOperatorPage(reply, { tab: 'home', title: texts.title, status, above, body })
  }

  return [
    viewerPage.get('/operator', call => send(call)),
    act('/operator/test-mail', { command: 'mail test', audit: 'mail.test' }, async call => {
      const email = spellEmail(call.fields.get('email') ?? '')
      if (!isEmail(email, limits)) {
        const errors = [{ field: 'email', code: 'not-an-email', message: texts.invalidAddress }]
        return send(call, { status: 422, typed: { email, errors } })
      }
      const words = await deps.sendTestMail(email)
      return words === undefined
        ? send(call, { above: notice('good', texts.sent) })
        : send(call, { status: 422, above: notice('problem', texts.refused(words)) })
    }),
  ]
}
