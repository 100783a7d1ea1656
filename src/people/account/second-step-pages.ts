import type { FastifyReply, RouteOptions } from 'fastify'
import { isFromOwnPage, unsealHeldForm } from '../../http/auth/held-form.ts'
import { FormExpired, type Sessions } from '../../http/auth/sessions.ts'
import { sendHeldForm } from '../../web/held-form.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { visitorPage } from '../../web/page-routes.ts'
import { accountField, fault as faultMarkup } from './form-markup.ts'
import type { AccountLinks } from './links-service.ts'
import { continueTarget, pathTowards } from './rules.ts'
import { callerOf, type SignInDeps, signInBrowser } from './sign-in-pages.ts'
import { signInTexts as texts } from './sign-in-texts.ts'

const path = '/sign-in/code'

/** The page of the second step, after the right password. */
export function sendSecondStep(
  sessions: Sessions,
  reply: FastifyReply,
  step: {
    ticket: string
    continueTo: string
    formTarget?: string | undefined
    held?: string | undefined
    status?: number
    fault?: string
  },
): FastifyReply {
  const { ticket, continueTo, formTarget, held, status = 200, fault } = step
  return sendPage(reply, {
    isFocused: true,
    status,
    formTarget,
    title: texts.second.title,
    body: html`${fault !== undefined && faultMarkup(fault)}
<form class="card" method="post" action="${path}" novalidate>
<input type="hidden" name="form_token" value="${sessions.browserToken(reply, path)}">
<input type="hidden" name="ticket" value="${ticket}">
<input type="hidden" name="continue" value="${continueTo}">
${held !== undefined && html`<input type="hidden" name="held" value="${held}">`}
<p>${texts.second.lead}</p>
${accountField({ name: 'code', label: texts.second.code, type: 'text', autocomplete: 'one-time-code', hint: texts.second.hint })}
<div class="actions"><button type="submit">${texts.submit}</button></div>
</form>
<p><a href="${pathTowards('/sign-in', continueTo)}">${texts.second.again}</a></p>`,
  })
}

export function secondStepRoutes(deps: SignInDeps & { links: AccountLinks }): RouteOptions[] {
  const { accounts, sessions, sendSignInPage } = deps
  return [
    visitorPage.post(
      path,
      async ({ request, reply, fields }) => {
        const continueTo = continueTarget(fields.get('continue'))
        const held = fields.get('held')
        const target = await deps.formTargetOf(continueTo)
        const again = { continueTo, held, formTarget: target?.formTarget }
        const ticket = fields.get('ticket') ?? ''
        if (!sessions.isBrowserToken(request, fields.get('form_token'), path)) {
          if (!isFromOwnPage(request)) throw new FormExpired()
          return sendSecondStep(sessions, reply, {
            ...again,
            ticket,
            status: 403,
            fault: texts.second.expired,
          })
        }
        const result = await accounts.finishSignIn(
          { ticket, code: fields.get('code') ?? '', ...callerOf(request, sessions) },
          candidateId => deps.links.securityMail(candidateId, 'recovery-used'),
        )
        if (result.outcome === 'expired')
          return sendSignInPage(reply, { ...again, ...target, status: 403, fault: texts.expired })
        if (result.outcome === 'signed-in') {
          signInBrowser(reply, deps, result)
          const form = unsealHeldForm(sessions, request, held)
          if (form === undefined) return redirect(reply, continueTo)
          const token = sessions.heldToken(reply, form.action, result.session)
          const owner = await accounts.findSession(result.session)
          return sendHeldForm(reply, { held: form, token, account: owner?.email ?? '', status: 200 })
        }
        const isWait = result.outcome === 'wait'
        if (isWait) reply.header('retry-after', String(result.seconds))
        return sendSecondStep(sessions, reply, {
          ...again,
          ticket,
          status: isWait ? 429 : 401,
          fault: isWait ? texts.second.wait(result.seconds) : texts.second.wrong,
        })
      },
      { bodyLimit: deps.limits.formBytes + deps.limits.heldFormBytes },
    ),
  ]
}
