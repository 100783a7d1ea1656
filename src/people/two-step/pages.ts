import type { FastifyReply, RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call } from '../../http/routes.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import type { Html } from '../../web/html.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
import type { AccountLinks } from '../account/links-service.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import type { Enrolment, Factors } from '../factors/service.ts'
import { appPath, enrolmentForm, type FactorAction, factorList, factorsPath, shownCodes } from './markup.ts'
import { factorTexts as texts } from './texts.ts'

export interface FactorPageDeps {
  factors: Factors
  links: Pick<AccountLinks, 'securityMail' | 'attempt'>
  sessions: Sessions
}

type PageCall = Call<'session'>

/** Two-step sign-in: the authenticator app and the recovery codes of an account. */
export function factorPages({ factors, links, sessions }: FactorPageDeps): RouteOptions[] {
  function send({ reply }: PageCall, title: string, body: Html, status = 200): FastifyReply {
    const above = title === texts.title ? [] : [{ href: factorsPath, label: texts.title }]
    const ways = [{ href: '/account/security', label: texts.security }, ...above]
    return sendPage(reply, {
      status,
      title,
      heading: pageHead(title, false, breadcrumb(ways)),
      navigation: accountNavigation('/account/security'),
      body,
    })
  }

  function sendEnrolment(call: PageCall, enrolment: Enrolment, fault?: string): FastifyReply {
    const errors = fault === undefined ? [] : [{ field: 'code', code: 'wrong', message: fault }]
    const token = sessions.formToken(call.reply, appPath)
    return send(
      call,
      texts.enrol.title,
      enrolmentForm(enrolment, token, errors),
      fault === undefined ? 200 : 422,
    )
  }

  const handlers: Record<FactorAction, (call: PageCall) => Promise<FastifyReply>> = {
    async 'remove-app'(call) {
      const { candidateId } = call.caller
      const mails = links.securityMail(candidateId, 'app-removed')
      const isRemoved = await factors.removeTotp(candidateId, mails)
      if (isRemoved) links.attempt(mails)
      return redirect(call.reply, `${factorsPath}?done=${isRemoved ? 'app-removed' : 'not-there'}`)
    },
    async 'renew-codes'(call) {
      const codes = await factors.renewCodes(call.caller.candidateId)
      if (codes === undefined) return redirect(call.reply, `${factorsPath}?done=not-there`)
      return send(call, texts.shown.title, shownCodes(codes, false))
    },
  }

  return [
    accountPage.get(factorsPath, async call => {
      const query = new FormFields(searchOf(call.request.url))
      const done = query.get('done') ?? ''
      const found = await factors.find(call.caller.candidateId)
      const token = (action: FactorAction) => sessions.formToken(call.reply, factorsPath, action)
      const isDone = Object.hasOwn(texts.done, done)
      return send(
        call,
        texts.title,
        html`${query.has('needed') && found.totp === undefined && notice('info', texts.needed)}${isDone && notice('good', texts.done[done as keyof typeof texts.done])}${factorList(found, factors.canEnrol(), token)}`,
      )
    }),
    accountPage.fresh.post(factorsPath, async call => {
      const action = call.fields.get('action') ?? ''
      sessions.checkForm(call, factorsPath, action)
      if (!Object.hasOwn(handlers, action)) throw new Problem('bad-request')
      return handlers[action as FactorAction](call)
    }),
    accountPage.fresh.get(appPath, async call => {
      if (!factors.canEnrol()) throw new Problem('unavailable', texts.noKey)
      return sendEnrolment(call, await factors.beginTotp(call.caller))
    }),
    accountPage.fresh.post(appPath, async call => {
      const fields = sessions.checkForm(call, appPath)
      if (!factors.canEnrol()) throw new Problem('unavailable', texts.noKey)
      const { caller } = call
      const sealed = fields.get('secret') ?? ''
      const secret = factors.openEnrolment(caller, sealed)
      if (secret === undefined)
        return sendEnrolment(call, await factors.beginTotp(caller), texts.enrol.expired)
      const mails = links.securityMail(caller.candidateId, 'app-added')
      const result = await factors.addTotp(caller, { secret, code: fields.get('code') ?? '' }, mails)
      if (result.outcome === 'added') {
        links.attempt(mails)
        return send(call, texts.shown.title, shownCodes(result.codes, true))
      }
      const fault = result.outcome === 'wrong' ? texts.enrol.wrong : texts.enrol.hasOne
      return sendEnrolment(call, { ...(await factors.show(secret, caller.email)), sealed }, fault)
    }),
  ]
}
