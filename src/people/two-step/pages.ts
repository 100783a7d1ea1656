import type { FastifyReply, RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { lineBreakOrTab, textFault } from '../../core/text.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import type { Html } from '../../web/html.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
import type { AccountLinks } from '../account/links-service.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import { passkeyScripts, sentPasskey } from '../account/passkey-markup.ts'
import { browserName, continueTarget } from '../account/rules.ts'
import type { Passkeys } from '../factors/passkey-service.ts'
import type { Enrolment, Factors } from '../factors/service.ts'
import {
  appPath,
  enrolmentForm,
  type FactorAction,
  factorList,
  factorsPath,
  passkeyForm,
  passkeyPath,
  shownCodes,
} from './markup.ts'
import { factorTexts as texts } from './texts.ts'

export interface FactorPageDeps {
  factors: Factors
  passkeys: Passkeys
  links: Pick<AccountLinks, 'securityMail' | 'attempt'>
  sessions: Sessions
  limits: Pick<Limits, 'passkeysPerAccount' | 'nameLength'>
}

type PageCall = Call<'session'>
type FormPageCall = FormCall<'session'>

const words = texts.makePasskey

interface Fault {
  field: 'name' | 'passkey'
  message: string
}

/** The page that a second factor is needed for. */
const wantedBy = (sent: FormFields): string => continueTarget(sent.get('continue') ?? factorsPath)

const queryOf = ({ request }: PageCall): FormFields => new FormFields(searchOf(request.url))

/** Passkeys, the authenticator app and the recovery codes of an account. */
export function factorPages({ factors, passkeys, links, sessions, limits }: FactorPageDeps): RouteOptions[] {
  function send({ reply }: PageCall, title: string, body: Html, status = 200): FastifyReply {
    const above = title === texts.title ? [] : [{ href: factorsPath, label: texts.title }]
    const ways = [{ href: '/account/security', label: texts.security }, ...above]
    return sendPage(reply, {
      status,
      title,
      heading: pageHead(title, false, breadcrumb(ways)),
      scripts: passkeyScripts,
      navigation: accountNavigation('/account/security'),
      body,
    })
  }

  function sendEnrolment(
    call: PageCall,
    enrolment: Enrolment,
    { wanted, fault }: { wanted: string; fault?: string },
  ): FastifyReply {
    const errors = fault === undefined ? [] : [{ field: 'code', code: 'wrong', message: fault }]
    const token = sessions.formToken(call.reply, appPath)
    return send(
      call,
      texts.enrol.title,
      enrolmentForm(enrolment, { token, wanted, errors }),
      fault === undefined ? 200 : 422,
    )
  }

  /** One line that can be shown; undefined if it is not. */
  function nameOf(fields: FormFields): string | undefined {
    const name = (fields.get('name') ?? '').trim()
    const rules = { maxLength: limits.nameLength, isRequired: true, notOnOneLine: lineBreakOrTab }
    return textFault(name, rules) === undefined ? name : undefined
  }

  async function sendPasskeyForm(
    call: PageCall,
    { name, wanted, fault }: { name: string; wanted: string; fault?: Fault },
  ): Promise<FastifyReply> {
    // Makes the key on one machine, so the request for a passkey finds it.
    if (!factors.canEnrol()) throw new Problem('unavailable', texts.noKey)
    const found = await factors.find(call.caller.candidateId)
    const request = passkeys.creation(call.caller, found.passkeys)
    if (request === undefined) return send(call, words.title, notice('warning', words.noName))
    const isOfName = fault?.field === 'name'
    const form = passkeyForm(request, {
      name,
      wanted,
      token: sessions.formToken(call.reply, passkeyPath),
      errors: isOfName ? [{ ...fault, code: 'wrong' }] : [],
    })
    const message = fault !== undefined && !isOfName && notice('problem', fault.message)
    return send(call, words.title, html`${message}${form}`, fault === undefined ? 200 : 422)
  }

  const handlers: Record<FactorAction, (call: FormPageCall) => Promise<FastifyReply>> = {
    async 'remove-app'(call) {
      const { candidateId } = call.caller
      const mails = links.securityMail(candidateId, 'app-removed')
      const isRemoved = await factors.removeTotp(candidateId, mails)
      if (isRemoved) links.attempt(mails)
      return redirect(call.reply, `${factorsPath}?done=${isRemoved ? 'app-removed' : 'not-there'}`)
    },
    async 'rename-passkey'(call) {
      const name = nameOf(call.fields)
      if (name === undefined) throw new Problem('bad-request', words.nameFault(limits.nameLength))
      const id = call.fields.get('passkey_id') ?? ''
      const isRenamed = await factors.renamePasskey(call.caller.candidateId, id, name)
      return redirect(call.reply, `${factorsPath}?done=${isRenamed ? 'renamed' : 'not-there'}`)
    },
    async 'remove-passkey'(call) {
      const { candidateId } = call.caller
      const mails = links.securityMail(candidateId, 'passkey-removed')
      const id = call.fields.get('passkey_id') ?? ''
      const isRemoved = await factors.removePasskey(candidateId, id, mails)
      if (isRemoved) links.attempt(mails)
      return redirect(call.reply, `${factorsPath}?done=${isRemoved ? 'passkey-removed' : 'not-there'}`)
    },
    async 'renew-codes'(call) {
      const codes = await factors.renewCodes(call.caller.candidateId)
      if (codes === undefined) return redirect(call.reply, `${factorsPath}?done=not-there`)
      return send(call, texts.shown.title, shownCodes(codes, false, factorsPath))
    },
  }

  return [
    accountPage.get(factorsPath, async call => {
      const query = queryOf(call)
      const done = query.get('done') ?? ''
      const found = await factors.find(call.caller.candidateId)
      const token = (action: FactorAction) => sessions.formToken(call.reply, factorsPath, action)
      const isDone = Object.hasOwn(texts.done, done)
      return send(
        call,
        texts.title,
        html`${query.has('needed') && found.totp === undefined && found.passkeys.length === 0 && notice('info', texts.needed)}${isDone && notice('good', texts.done[done as keyof typeof texts.done])}${factorList({ found, token, canEnrol: factors.canEnrol(), passkeys, max: limits.passkeysPerAccount, wanted: wantedBy(query) })}`,
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
      return sendEnrolment(call, await factors.beginTotp(call.caller), { wanted: wantedBy(queryOf(call)) })
    }),
    accountPage.fresh.post(appPath, async call => {
      const fields = sessions.checkForm(call, appPath)
      if (!factors.canEnrol()) throw new Problem('unavailable', texts.noKey)
      const { caller } = call
      const wanted = wantedBy(fields)
      const sealed = fields.get('secret') ?? ''
      const secret = factors.openEnrolment(caller, sealed)
      if (secret === undefined)
        return sendEnrolment(call, await factors.beginTotp(caller), { wanted, fault: texts.enrol.expired })
      const mails = links.securityMail(caller.candidateId, 'app-added')
      const result = await factors.addTotp(caller, { secret, code: fields.get('code') ?? '' }, mails)
      if (result.outcome === 'added') {
        links.attempt(mails)
        if (result.codes === undefined) return redirect(call.reply, `${factorsPath}?done=app-added`)
        return send(call, texts.shown.title, shownCodes(result.codes, true, wanted))
      }
      const fault = result.outcome === 'wrong' ? texts.enrol.wrong : texts.enrol.hasOne
      return sendEnrolment(call, { ...(await factors.show(secret, caller.email)), sealed }, { wanted, fault })
    }),
    accountPage.fresh.get(passkeyPath, call =>
      sendPasskeyForm(call, {
        name: browserName(call.request.headers['user-agent']),
        wanted: wantedBy(queryOf(call)),
      }),
    ),
    accountPage.fresh.post(passkeyPath, async call => {
      const fields = sessions.checkForm(call, passkeyPath)
      const typed = fields.get('name') ?? ''
      const wanted = wantedBy(fields)
      const again = (field: Fault['field'], message: string) =>
        sendPasskeyForm(call, { name: typed, wanted, fault: { field, message } })
      const name = nameOf(fields)
      if (name === undefined) return again('name', words.nameFault(limits.nameLength))
      const { candidateId } = call.caller
      const sent = sentPasskey(fields)
      const made = sent === undefined ? 'wrong' : await passkeys.checkNew(candidateId, { ...sent, name })
      if (typeof made === 'string') return again('passkey', words[made])
      const mails = links.securityMail(candidateId, 'passkey-added')
      const result = await factors.addPasskey(call.caller, made, mails)
      if (result.outcome === 'too-many') return again('passkey', words.tooMany(limits.passkeysPerAccount))
      if (result.outcome !== 'added')
        return again('passkey', result.outcome === 'used' ? words.expired : words.known)
      links.attempt(mails)
      if (result.codes === undefined) return redirect(call.reply, `${factorsPath}?done=passkey-added`)
      return send(call, texts.shown.title, shownCodes(result.codes, true, wanted))
    }),
  ]
}
