import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { isFromOwnPage, unsealHeldForm } from '../../http/auth/held-form.ts'
import { FormExpired, type Sessions } from '../../http/auth/sessions.ts'
import type { FormFields } from '../../http/requests/form.ts'
import { sendHeldForm } from '../../web/held-form.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { visitorPage } from '../../web/page-routes.ts'
import type { PasskeyRequest, Passkeys } from '../factors/passkey-service.ts'
import type { Factors } from '../factors/service.ts'
import { accountField, fault as faultMarkup } from './form-markup.ts'
import { passkeyButton, passkeyScripts, sentPasskey } from './passkey-markup.ts'
import { passkeyTexts } from './passkey-texts.ts'
import { continueTarget, pathTowards } from './rules.ts'
import { callerOf, type SignInDeps, signInBrowser } from './sign-in-pages.ts'
import { signInTexts as texts } from './sign-in-texts.ts'

const path = '/sign-in/code'

/** The page of the second step, after the right password. */
export async function sendSecondStep(
  { sessions, factors, passkeys }: SecondStepDeps,
  reply: FastifyReply,
  step: {
    ticket: string
    continueTo: string
    formTarget?: string | undefined
    held?: string | undefined
    status?: number
    fault?: string
  },
): Promise<FastifyReply> {
  const { ticket, continueTo, formTarget, held, status = 200, fault } = step
  const candidateId = factors.readTicket(ticket)?.candidateId
  const found = candidateId === undefined ? undefined : await factors.find(candidateId)
  const isCode = found === undefined || found.totp !== undefined
  const request = candidateId && found && passkeys.request('second-step', { ...found, candidateId })
  return sendPage(reply, {
    isFocused: true,
    status,
    formTarget,
    title: isCode ? texts.second.title : texts.second.passkeyTitle,
    scripts: passkeyScripts,
    body: html`${fault !== undefined && faultMarkup(fault)}
<form class="card" method="post" action="${path}" novalidate>
<input type="hidden" name="form_token" value="${sessions.browserToken(reply, path)}">
<input type="hidden" name="ticket" value="${ticket}">
<input type="hidden" name="continue" value="${continueTo}">
${held !== undefined && html`<input type="hidden" name="held" value="${held}">`}
<p>${isCode ? texts.second.lead : texts.second.passkeyLead}</p>
${!isCode && button(request || undefined, true)}
${
  isCode
    ? accountField({
        name: 'code',
        label: texts.second.code,
        type: 'text',
        autocomplete: 'one-time-code',
        hint: texts.second.hint,
      })
    : accountField({
        name: 'code',
        label: texts.second.recovery,
        type: 'text',
        autocomplete: 'off',
        hint: texts.second.recoveryHint,
      })
}
<div class="actions"><button type="submit"${!isCode && html` class="second"`}>${texts.submit}</button></div>
${isCode && button(request || undefined, false)}
</form>
<p><a href="${pathTowards('/sign-in', continueTo)}">${texts.second.again}</a></p>`,
  })
}

const button = (request: PasskeyRequest | undefined, isMain: boolean) =>
  passkeyButton(request, { label: passkeyTexts.secondStep, isMain })

export interface SecondStepDeps {
  sessions: Sessions
  factors: Pick<Factors, 'readTicket' | 'find'>
  passkeys: Passkeys
}

export function secondStepRoutes(deps: SignInDeps & SecondStepDeps): RouteOptions[] {
  const { accounts, sessions, sendSignInPage } = deps

  async function finish(request: FastifyRequest, fields: FormFields) {
    const { securityMail } = deps.links
    const attempt = { ticket: fields.get('ticket') ?? '', ...callerOf(request, sessions), securityMail }
    const sent = sentPasskey(fields)
    if (sent === undefined) {
      return accounts.finishSignIn({ ...attempt, code: fields.get('code') ?? '' })
    }
    const owner = deps.factors.readTicket(attempt.ticket)?.candidateId
    if (owner === undefined) return { outcome: 'expired' } as const
    const passkey = await deps.passkeys.check('second-step', sent, owner)
    if (typeof passkey === 'string') return { outcome: 'refused', refusal: passkey } as const
    return accounts.finishByPasskey(attempt, passkey)
  }
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
          return sendSecondStep(deps, reply, {
            ...again,
            ticket,
            status: 403,
            fault: texts.second.expired,
          })
        }
        const result = await finish(request, fields)
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
        const isRefused = result.outcome === 'refused'
        const wrong = isRefused ? passkeyTexts.refused[result.refusal] : texts.second.wrong
        return sendSecondStep(deps, reply, {
          ...again,
          ticket,
          status: isWait ? 429 : 401,
          fault: isWait ? texts.second.wait(result.seconds) : wrong,
        })
      },
      { bodyLimit: deps.limits.formBytes + deps.limits.heldFormBytes },
    ),
  ]
}
