import type { FastifyReply, RouteOptions } from 'fastify'
import { heldFormBytes } from '../../platform/http/auth/held-form.ts'
import { addressKey, type Limit, type RateLimit } from '../../platform/http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { textInput } from '../../platform/web/forms.ts'
import { html } from '../../platform/web/html.ts'
import { redirect } from '../../platform/web/page-response.ts'
import { visitorPage } from '../../platform/web/page-routes.ts'
import { boldEmail, linkTowards, sendFormPage } from '../account/form-markup.ts'
import { continueTarget, pathTowards } from '../account/rules.ts'
import { newBrowser } from '../account/service.ts'
import { callerOf, finishSignIn, inWords, isStale, type SignInDeps } from '../account/sign-in-pages.ts'
import { codeSeconds } from './rules.ts'
import type { EmailCodes, Redeemed } from './service.ts'

export interface EmailCodePageDeps extends SignInDeps {
  codes: EmailCodes
  /** Per network and minute, with the other forms that send emails. */
  forms: RateLimit
  /** Per network and hour. */
  networkCodes: Limit
  /** For all callers together. */
  allCodes: Limit
  isDemo: boolean
}

/** Asks for a code, also from the sign-in form. */
const askPath = '/sign-in/email'
const codePath = '/sign-in/email/code'

const stale = 'This page was open for too long. Please try again.'

export function emailCodeRoutes(deps: EmailCodePageDeps): RouteOptions[] {
  const { codes, sessions } = deps

  /** Together with the cookie of the browser that asked, the secret of a challenge. */
  const secretOf = (reply: FastifyReply, ticket: string) =>
    sessions.browserToken(reply, 'emailed code', ticket)

  /** Values that the pages carry along. */
  async function carriedBy(fields: FormFields) {
    const continueTo = continueTarget(fields.get('continue'))
    const { formTarget, clientName } = (await deps.formTargetOf(continueTo)) ?? {}
    return { continueTo, held: fields.get('held'), email: fields.get('email') ?? '', formTarget, clientName }
  }

  type Carried = Awaited<ReturnType<typeof carriedBy>>

  function sendCodePage(
    reply: FastifyReply,
    { continueTo, held, email, formTarget }: Carried,
    ticket: string,
    { status = 200, fault }: { status?: number; fault?: string } = {},
  ) {
    const hidden = { ticket, email, continue: continueTo, ...(held !== undefined && { held }) }
    return sendFormPage({ formToken: sessions.browserToken }, reply, {
      status,
      formTarget,
      title: 'Enter the code from our email',
      message: fault,
      draw: form => html`${form({
        action: codePath,
        hidden,
        text: html`If you can sign in with ${boldEmail(email.trim())} and a code, we sent you one by email. It works once, within ${codeSeconds / 60} minutes, and only in this browser.`,
        fields: [
          textInput({
            name: 'code',
            label: 'Code from our email',
            hint: 'Six digits.',
            attributes: html`type="text" inputmode="numeric" autocomplete="one-time-code" required`,
          }),
        ],
        label: 'Sign in',
      })}
${form({
  action: askPath,
  hidden,
  text: 'Nothing there? Check your spam folder, and check that the address is right.',
  label: 'Send a new code',
  kind: 'second',
})}
<p>${linkTowards('/sign-in', 'Use another address or another way to sign in', continueTo)}</p>
${deps.isDemo && html`<p><a class="button" href="/demo/outbox">Open the demo inbox</a></p>`}`,
    })
  }

  return [
    visitorPage.post(
      askPath,
      async ({ request, reply, fields }) => {
        const carried = await carriedBy(fields)
        const again = (status: number, fault: string) =>
          deps.sendSignInPage(reply, { ...carried, status, fault })
        // The button is also on the sign-in form, which has its own token.
        if (!sessions.isBrowserToken(request, fields.get('form_token'), '/sign-in'))
          if (isStale(sessions, request, fields, askPath)) return again(403, stale)
        const former = fields.get('ticket')
        const seconds = former === undefined ? 0 : await codes.waitSeconds('sign-in', secretOf(reply, former))
        if (former !== undefined && seconds > 0) {
          reply.header('retry-after', String(seconds))
          const fault = `We’ve just sent you a code. You can get a new one in ${inWords(seconds)}.`
          return sendCodePage(reply, carried, former, { status: 429, fault })
        }
        const network = addressKey(request.ip)
        await deps.forms.take(reply, network)
        await deps.networkCodes.take(reply, network)
        await deps.allCodes.take(reply, 'all')
        const ticket = newBrowser()
        const { browser } = callerOf(request, sessions)
        const asked = await codes.ask('sign-in', carried.email, { secret: secretOf(reply, ticket), browser })
        if (asked.outcome === 'sent' && carried.held === undefined) {
          const query = new URLSearchParams({ ticket, continue: carried.continueTo })
          return redirect(reply, `${codePath}?${query}`)
        }
        // A held form does not fit in a URL.
        if (asked.outcome === 'sent') return sendCodePage(reply, carried, ticket)
        if (asked.outcome === 'invalid') return again(422, asked.errors[0]?.message ?? '')
        return again(
          503,
          'We can’t send email right now, so nothing has been sent. Please try again in a few minutes, or sign in another way.',
        )
      },
      { bodyLimit: deps.limits.formBytes + heldFormBytes },
    ),
    // At its own URL, so that a phone that discards the tab to show the email loads it again.
    visitorPage.get(codePath, async ({ request, reply }) => {
      const query = new FormFields(searchOf(request.url))
      const carried = { ...(await carriedBy(query)), held: undefined }
      const ticket = query.get('ticket') ?? ''
      const found = await codes.find('sign-in', secretOf(reply, ticket))
      if (found !== undefined && found.usedAt === null)
        return sendCodePage(reply, { ...carried, email: found.email }, ticket)
      const isSignedIn = (await sessions.of(request)) !== undefined
      return redirect(reply, isSignedIn ? carried.continueTo : pathTowards('/sign-in', carried.continueTo))
    }),
    visitorPage.post(
      codePath,
      async ({ request, reply, fields }) => {
        const carried = await carriedBy(fields)
        const ticket = fields.get('ticket') ?? ''
        if (isStale(sessions, request, fields, codePath))
          return sendCodePage(reply, carried, ticket, { status: 403, fault: stale })
        await deps.forms.take(reply, addressKey(request.ip))
        const redeemed = await codes.redeem('sign-in', secretOf(reply, ticket), fields.get('code') ?? '')
        const shown = { ...carried, email: redeemed.email ?? carried.email }
        const isUsed = redeemed.outcome === 'used'
        // After a double click, the browser shows only the second response.
        if (isUsed && (await sessions.of(request)) !== undefined) return redirect(reply, carried.continueTo)
        if (redeemed.outcome !== 'right')
          return sendCodePage(reply, shown, ticket, { status: 401, fault: faultOf(redeemed) })
        const caller = { ...callerOf(request, sessions), securityMail: deps.links.securityMail }
        const result = await deps.accounts.signInByCode(caller, redeemed.email)
        if (result === undefined)
          return deps.sendSignInPage(reply, {
            ...shown,
            status: 401,
            fault: 'Codes from our emails don’t open your account. Sign in in another way.',
          })
        return result.outcome === 'signed-in'
          ? finishSignIn(deps, { request, reply }, result, carried)
          : deps.sendSecondStep(reply, { ...carried, ticket: result.ticket })
      },
      { bodyLimit: deps.limits.formBytes + heldFormBytes },
    ),
  ]
}

const faults = {
  used: 'This code has already been used. Get a new one to sign in again.',
  expired: 'This code has expired, or it isn’t for this browser. Get a new one.',
  'too-many': 'Too many wrong codes, so this one no longer works. Get a new one.',
}

function faultOf(redeemed: Exclude<Redeemed, { outcome: 'right' }>): string {
  if (!('left' in redeemed)) return faults[redeemed.outcome]
  if (redeemed.outcome === 'malformed') return 'Enter the six digits of the code.'
  return redeemed.left === 1
    ? 'This code is wrong. You have one try left.'
    : `This code is wrong. You have ${redeemed.left} tries left.`
}
