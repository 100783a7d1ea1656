import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { heldFormBytes } from '../../platform/http/auth/held-form.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { FormFields } from '../../platform/http/requests/form.ts'
import { html } from '../../platform/web/html.ts'
import { visitorPage } from '../../platform/web/page-routes.ts'
import type { Passkeys } from '../factors/passkey-service.ts'
import type { Factors, FirstStep } from '../factors/service.ts'
import { linkTowards, ownInput, sendFormPage } from './form-markup.ts'
import type { AccountLinks } from './links-service.ts'
import { passkeyButton, passkeyRefusals, passkeyScripts, sentPasskey } from './passkey-markup.ts'
import { continueTarget } from './rules.ts'
import {
  callerOf,
  expired,
  finishSignIn,
  inWords,
  isStale,
  type SecondStep,
  type SignInDeps,
} from './sign-in-pages.ts'

const path = '/sign-in/code'

const firstSteps: Record<FirstStep, string> = {
  password: 'Your password is right.',
  code: 'The code from our email is right.',
  provider: 'We know now who you are.',
}

/** The page of the second step, after the right password or code from an email. */
export async function sendSecondStep(
  { sessions, factors, passkeys, links }: SecondStepDeps,
  reply: FastifyReply,
  { ticket, continueTo, formTarget, held, status = 200, fault }: SecondStep,
): Promise<FastifyReply> {
  const { candidateId, first } = factors.readTicket(ticket) ?? {}
  const right = firstSteps[first ?? 'password']
  const found = candidateId === undefined ? undefined : await factors.find(candidateId)
  const isLost = found?.isAppLost === true
  const isCode = found === undefined || (found.totp !== undefined && !isLost)
  const request = candidateId && found && passkeys.request('second-step', { ...found, candidateId })
  const button = (isMain: boolean) => passkeyButton(request || undefined, { label: 'Use a passkey', isMain })
  const forgotten = linkTowards('/forgotten', 'Set a new password', continueTo)
  const lostWays = links.isOn
    ? html`No recovery codes? ${forgotten}: the link that we email to you also removes the app.`
    : 'No recovery codes? Ask the people who run this service to remove the app.'
  return sendFormPage({ formToken: sessions.browserToken }, reply, {
    status,
    formTarget,
    title: isCode ? 'Enter your code' : request ? 'Use your passkey' : 'Enter a recovery code',
    scripts: passkeyScripts,
    message: isLost && fault === wrong ? 'This recovery code is wrong or has already been used.' : fault,
    draw: form => html`${form({
      action: path,
      hidden: { ticket, continue: continueTo, ...(held !== undefined && { held }) },
      text: isCode
        ? `${right} This account has two-step sign-in, so we also need a code.`
        : isLost
          ? `${right} Codes from your authenticator app no longer work, because this service has lost the key to its secret.`
          : `${right} This account has two-step sign-in, so we also need your passkey.`,
      fields: [
        !isCode && button(true),
        isCode
          ? ownInput('code', 'Code from your authenticator app', 'one-time-code', {
              hint: 'Six digits. If you don’t have your phone, enter one of your recovery codes instead.',
            })
          : ownInput(
              'code',
              isLost && !request ? 'One of your recovery codes' : 'Or one of your recovery codes',
              'off',
              {
                hint: isLost
                  ? 'Each code works once.'
                  : 'If you don’t have the device with your passkey. Each code works once.',
              },
            ),
      ],
      label: 'Sign in',
      kind: !isCode && request ? 'second' : 'first',
      below: html`${isLost && html`<p>${lostWays}</p>`}${isCode && button(false)}`,
    })}
<p>${linkTowards('/sign-in', 'Sign in with a different account', continueTo)}</p>`,
  })
}

const wrong = 'This code is wrong, has expired or has already been used. Wait for the next one and try again.'

export interface SecondStepDeps {
  sessions: Sessions
  factors: Pick<Factors, 'readTicket' | 'find'>
  passkeys: Passkeys
  links: Pick<AccountLinks, 'isOn'>
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
        if (isStale(sessions, request, fields, path)) {
          const fault = 'This page was open for too long. Please enter the code again.'
          return sendSecondStep(deps, reply, { ...again, ticket, status: 403, fault })
        }
        const result = await finish(request, fields)
        if (result.outcome === 'expired')
          return sendSignInPage(reply, { ...again, ...target, status: 403, fault: expired })
        if (result.outcome === 'signed-in') return finishSignIn(deps, { request, reply }, result, again)
        const isWait = result.outcome === 'wait'
        if (isWait) reply.header('retry-after', String(result.seconds))
        return sendSecondStep(deps, reply, {
          ...again,
          ticket,
          status: isWait ? 429 : 401,
          fault: isWait
            ? `Too many wrong codes. Try again in ${inWords(result.seconds)}.`
            : result.outcome === 'refused'
              ? passkeyRefusals[result.refusal]
              : wrong,
        })
      },
      { bodyLimit: deps.limits.formBytes + heldFormBytes },
    ),
  ]
}
