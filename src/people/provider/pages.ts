import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { FieldError } from '../../platform/core/problems.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import { heldFormBytes, unsealHeldForm } from '../../platform/http/auth/held-form.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { addressKey, type RateLimit } from '../../platform/http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import type { Call, FormCall } from '../../platform/http/routes.ts'
import { notice } from '../../platform/web/components.ts'
import { sendHeldForm } from '../../platform/web/held-form.ts'
import { html } from '../../platform/web/html.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { accountPage, visitorPage } from '../../platform/web/page-routes.ts'
import type { Outcome } from '../../platform/web/tab.ts'
import { boldEmail, linkTowards, ownInput, sendFormPage } from '../account/form-markup.ts'
import type { AccountLinks } from '../account/links-service.ts'
import { continueTarget } from '../account/rules.ts'
import { callerOf, finishSignIn, isStale, type SignInDeps } from '../account/sign-in-pages.ts'
import { accountTab } from '../account/tab-pages.ts'
import type { Linked } from '../identities/identity-store.ts'
import { ProviderAway } from '../identities/ports.ts'
import { type ProviderKey, providerPath } from '../identities/records.ts'
import type { Doing, Flow, Newcomer, Providers } from '../identities/service.ts'

const securityPath = '/account/security'
const newcomerPath = '/sign-in/provider/new'
const linkPath = '/account/security/link'

export interface ProviderPageDeps extends Omit<SignInDeps, 'providers' | 'links'> {
  providers: Providers
  links: AccountLinks
  authUrl(): string
  /** Limits per network address the rows stored and the requests to the providers. */
  forms: RateLimit
  /** Limits messages about ended sessions per network address: a provider sends one for each session. */
  ends: RateLimit
}

/** Marks the browser: only the one that left for a provider may return from it. */
const markOf = (sessions: Sessions, reply: FastifyReply) => sessions.browserToken(reply, 'at a provider')
const isOfBrowser = (sessions: Sessions, request: FastifyRequest) => (mark: string) =>
  sessions.isBrowserToken(request, mark, 'at a provider')

const backTo = (authUrl: string, key: ProviderKey) => `${authUrl}${providerPath(key)}/back`

/** Redirects the browser to the provider, or explains why it cannot. */
export async function leave(
  deps: Pick<ProviderPageDeps, 'providers' | 'sessions' | 'authUrl' | 'forms'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  flow: Omit<Flow, 'mark'>,
): Promise<URL> {
  const { providers, sessions } = deps
  await deps.forms.take(reply, addressKey(request.ip))
  const mark = markOf(sessions, reply)
  return providers.begin({ ...flow, mark }, backTo(deps.authUrl(), flow.provider))
}

export const awayText = (name: string) =>
  `We can’t reach ${name} right now. Please try again in a few minutes, or use another way if you have one.`

/** Signing in with an OpenID provider, linking it to an account, and confirming with it. */
export function providerRoutes(deps: ProviderPageDeps): RouteOptions[] {
  const { providers, sessions, accounts, links, sendSignInPage } = deps

  function keyIn(text: string): ProviderKey {
    if (!providers.isKey(text)) throw new Problem('no-such-route')
    return text
  }

  const onSignInPage = async (
    reply: FastifyReply,
    { continueTo, held }: Pick<Flow, 'continueTo' | 'held'>,
    { status, fault }: { status: number; fault: string },
  ) => sendSignInPage(reply, { continueTo, held, status, fault, ...(await deps.formTargetOf(continueTo)) })

  async function signIn(
    { request, reply }: Call<'public'>,
    flow: Omit<Flow, 'mark'> & Pick<Newcomer, 'proof'>,
    owner: string,
  ): Promise<FastifyReply> {
    const { provider, proof, continueTo, held } = flow
    const name = providers.nameOf(provider)
    if (!(await providers.isFor(provider, owner))) {
      const fault =
        provider === 'operators'
          ? `Your account doesn’t run this board, so ${name} doesn’t open it. Sign in another way.`
          : `Your account runs this board, so ${name} doesn’t open it. Sign in another way.`
      return onSignInPage(reply, flow, { status: 403, fault })
    }
    const caller = { ...callerOf(request, sessions), securityMail: links.securityMail }
    const result = await accounts.signInByProvider(caller, owner, proof)
    if (result === undefined)
      return onSignInPage(reply, flow, { status: 401, fault: 'That didn’t work. Please try again.' })
    if (result.outcome === 'signed-in')
      return finishSignIn(deps, { request, reply }, result, { held, continueTo })
    const target = await deps.formTargetOf(continueTo)
    return deps.sendSecondStep(reply, {
      ticket: result.ticket,
      continueTo,
      held,
      formTarget: target?.formTarget,
    })
  }

  async function link(
    { candidateId }: SessionOwner,
    { provider, proof }: Pick<Newcomer, 'provider' | 'proof'>,
  ): Promise<Linked | 'not-for-it'> {
    if (!(await providers.isFor(provider, candidateId))) return 'not-for-it'
    const mails = links.securityMail(candidateId, 'provider-linked')
    const linked = await providers.link(candidateId, proof, mails)
    if (linked === 'linked') links.attempt(mails)
    return linked
  }

  /** Continues only in the session that left for the provider, if it still has the same owner. */
  async function returned(
    call: Call<'public'>,
    doing: Exclude<Doing, { what: 'sign-in' }>,
    flow: Flow & Pick<Newcomer, 'proof'>,
    owner: string | undefined,
  ): Promise<FastifyReply> {
    const { request, reply } = call
    const session = await sessions.of(request)
    if (session === undefined || session.sessionId !== doing.sessionId)
      return onSignInPage(reply, flow, {
        status: 401,
        fault: 'You were signed out in the meantime. Please sign in.',
      })
    if (doing.what === 'link') return redirect(reply, `${securityPath}?done=${await link(session, flow)}`)
    const isProved =
      owner === session.candidateId &&
      (await providers.isFor(flow.provider, owner)) &&
      (await accounts.proveByProvider(session, flow.proof))
    return isProved ? goOn(sessions, call, flow, session.email) : notProved(call, flow, 'not-proved')
  }

  /** Offers the held form again, which asks for the proof again. */
  async function notProved(
    call: Call<'public'>,
    flow: Flow,
    outcome: 'declined' | 'refused' | 'away' | 'not-proved',
  ): Promise<FastifyReply> {
    const session = flow.held === undefined ? undefined : await sessions.of(call.request)
    const continueTo = `${securityPath}?done=${outcome}`
    return session === undefined
      ? redirect(call.reply, continueTo)
      : goOn(
          sessions,
          call,
          { ...flow, continueTo },
          session.email,
          `We couldn’t confirm with ${providers.nameOf(flow.provider)} that it’s you. Try again, or confirm in another way.`,
        )
  }

  async function comeBack(call: Call<'public', 'provider'>): Promise<FastifyReply> {
    const { request, reply, params } = call
    const key = keyIn(params.provider)
    const query = new URLSearchParams(searchOf(request.url))
    const name = providers.nameOf(key)
    const redirectUri = backTo(deps.authUrl(), key)
    const result = await providers.finish(key, query, redirectUri, isOfBrowser(sessions, request))
    if (result.outcome === 'expired')
      return onSignInPage(
        reply,
        { continueTo: continueTarget(undefined) },
        {
          status: 403,
          fault:
            'This sign-in took too long, was already used, or began in another browser. Please begin again.',
        },
      )
    const { flow, outcome } = result
    if (outcome !== 'proved') {
      if (flow.doing.what !== 'sign-in') return notProved(call, flow, outcome)
      const [status, fault] = {
        away: [503, awayText(name)] as const,
        declined: [200, `You didn’t sign in with ${name}. Try again, or use another way.`] as const,
        refused: [
          401,
          `We couldn’t accept the answer of ${name}. Please try again. If it happens again, contact the people who run this service.`,
        ] as const,
      }[outcome]
      return onSignInPage(reply, flow, { status, fault })
    }
    const { proof, owner, token } = result
    if (flow.doing.what !== 'sign-in') return returned(call, flow.doing, { ...flow, proof }, owner)
    return owner === undefined
      ? redirect(reply, `${newcomerPath}?who=${token}`)
      : signIn(call, { ...flow, proof }, owner)
  }

  const gone = (reply: FastifyReply) =>
    onSignInPage(
      reply,
      { continueTo: continueTarget(undefined) },
      { status: 403, fault: 'This page was open for too long. Please begin again.' },
    )

  async function sendNewcomer(
    reply: FastifyReply,
    token: string,
    { provider, person, continueTo }: Newcomer,
    again: { status?: number; errors?: FieldError[]; values?: Record<string, string>; message?: string } = {},
  ): Promise<FastifyReply> {
    const name = providers.nameOf(provider)
    const own = linkTowards('/sign-in', 'Sign in to link it', `${linkPath}?who=${token}`)
    if (provider === 'operators')
      return sendPage(reply, {
        isFocused: true,
        status: 403,
        title: 'No account is linked',
        body: html`${notice('info', `${name} opens accounts that run this board, and none is linked to yours there.`)}
<p>Do you have one? ${own}.</p>`,
      })
    const target = await deps.formTargetOf(continueTo)
    const { termsUrl, privacyUrl } = reply.server.board
    return sendFormPage({ formToken: sessions.browserToken }, reply, {
      ...again,
      formTarget: target?.formTarget,
      title: 'You’re new here',
      draw: form => html`${form({
        action: newcomerPath,
        hidden: { who: token },
        text: person.isEmailVerified
          ? html`You’ve signed in with ${name}, and no account here is linked to it yet. Create one with ${boldEmail(person.email)}, without a password.`
          : `You’ve signed in with ${name}, and no account here is linked to it yet. Create one: we’ll email you a link to confirm that the address is yours.`,
        fields: [
          !person.isEmailVerified &&
            ownInput('email', 'Email address', 'email', { type: 'email', value: person.email }),
          (termsUrl ?? privacyUrl) &&
            html`<p class="hint">${termsUrl && html`By creating an account, you accept the <a href="${termsUrl}">terms</a>. `}${privacyUrl && html`See our <a href="${privacyUrl}">privacy notice</a>.`}</p>`,
        ],
        label: 'Create account',
      })}
<p>Already have an account here? ${own}.</p>`,
    })
  }

  async function createAccount(call: FormCall<'public'>): Promise<FastifyReply> {
    const { request, reply, fields } = call
    const token = fields.get('who') ?? ''
    if (isStale(sessions, request, fields, newcomerPath)) return gone(reply)
    await deps.forms.take(reply, addressKey(request.ip))
    const newcomer = await providers.findNewcomer(token, isOfBrowser(sessions, request))
    if (newcomer === undefined || newcomer.provider === 'operators') return gone(reply)
    const { person, continueTo, held } = newcomer
    if (!person.isEmailVerified) {
      const email = fields.get('email') ?? ''
      const browserMark = sessions.browserToken(reply, 'signed up in this browser')
      const departure = { continueTo: `${linkPath}?who=${token}`, browserMark }
      if (!links.isOn) throw new Problem('unavailable', 'This service isn’t set up to send email.')
      const asked = await links.signUpWithoutPassword(providers.namesOf(person), email, departure)
      const values = { email }
      if (asked.outcome === 'invalid')
        return sendNewcomer(reply, token, newcomer, { errors: asked.errors, values })
      if (asked.outcome === 'unavailable') {
        const message =
          'We can’t send email right now, so nothing has been sent. Please try again in a few minutes.'
        return sendNewcomer(reply, token, newcomer, { status: 503, message, values })
      }
      return sendPage(reply, {
        isFocused: true,
        title: 'Check your email',
        body: html`${notice('info', html`<p>We sent an email to ${boldEmail(email.trim())}. Open the link in it in this browser, within half an hour.</p>`)}`,
      })
    }
    const owner = await providers.addAccount(newcomer)
    if (owner === undefined || owner === 'taken') {
      const message = 'There is an account with this address already. Sign in to it below, and we link it.'
      return sendNewcomer(reply, token, newcomer, { status: 409, message })
    }
    await providers.forgetNewcomer(token)
    return signIn(call, { ...newcomer, doing: { what: 'sign-in' }, continueTo, held }, owner)
  }

  return [
    visitorPage.post(
      '/sign-in/provider/:provider',
      async call => {
        const { request, reply, fields, params } = call
        const provider = keyIn(params.provider)
        const continueTo = continueTarget(fields.get('continue'))
        const held = fields.get('held')
        if (isStale(sessions, request, fields, providerPath(provider))) {
          const fault = 'This page was open for too long. Please try again.'
          return onSignInPage(reply, { continueTo, held }, { status: 403, fault })
        }
        try {
          const flow = { provider, doing: { what: 'sign-in' }, continueTo, held } as const
          return redirect(reply, (await leave(deps, call, flow)).href)
        } catch (error) {
          if (!(error instanceof ProviderAway)) throw error
          request.log.warn({ provider, reason: error.message }, 'a provider is unavailable')
          const fault = awayText(providers.nameOf(provider))
          return onSignInPage(reply, { continueTo, held }, { status: 503, fault })
        }
      },
      { bodyLimit: heldFormBytes * 2 },
    ),
    visitorPage.get('/sign-in/provider/:provider/back', comeBack),
    visitorPage.post('/sign-in/provider/:provider/logout', async ({ request, reply, fields, params }) => {
      await deps.ends.take(reply, addressKey(request.ip))
      const isEnded = await providers.endSessions(keyIn(params.provider), fields.get('logout_token') ?? '')
      reply.header('cache-control', 'no-store')
      return isEnded ? reply.status(200).send() : reply.status(400).send({ error: 'invalid_request' })
    }),
    visitorPage.get(newcomerPath, async ({ request, reply }) => {
      const token = new FormFields(searchOf(request.url)).get('who') ?? ''
      const newcomer = await providers.findNewcomer(token, isOfBrowser(sessions, request))
      return newcomer === undefined ? gone(reply) : sendNewcomer(reply, token, newcomer)
    }),
    visitorPage.post(newcomerPath, createAccount),
    ...linkPages(deps, link),
    ...setOutPages(deps, keyIn),
  ]
}

/** Pages that lead from the account to a provider, to link it or to confirm with it. */
function setOutPages(deps: ProviderPageDeps, keyIn: (text: string) => ProviderKey): RouteOptions[] {
  const { providers, sessions } = deps

  async function setOut(
    call: Call<'session'>,
    flow: Pick<Flow, 'provider' | 'continueTo' | 'held'> & { what: 'link' | 'proof' },
  ): Promise<string> {
    const { what, ...rest } = flow
    const { candidateId, sessionId } = call.caller
    try {
      return (await leave(deps, call, { ...rest, doing: { what, candidateId, sessionId } })).href
    } catch (error) {
      if (!(error instanceof ProviderAway)) throw error
      call.request.log.warn({ provider: flow.provider, reason: error.message }, 'a provider is unavailable')
      return `${securityPath}?done=away`
    }
  }

  return [
    ...accountTab(sessions, securityPath, { pages: accountPage.signIn })(
      '/account/security/provider/:provider',
      {
        async show({ caller, params, form }) {
          const provider = keyIn(params.provider)
          const offer = (await providers.offeredTo(caller.candidateId)).find(({ key }) => key === provider)
          if (offer === undefined) throw new Problem('not-found')
          return {
            title: `Link ${offer.name}`,
            formTarget: offer.issuer,
            body: form({
              action: `/account/security/provider/${provider}`,
              text: html`You sign in with ${offer.name} next and come back here. From then on, it opens your account, ${boldEmail(caller.email)}.`,
              label: `Continue with ${offer.name}`,
              beside: html` <a class="button second" href="${securityPath}">Cancel</a>`,
            }),
          }
        },
        acts: {
          '': {
            async run(call) {
              const provider = keyIn(call.params.provider)
              return { location: await setOut(call, { provider, what: 'link', continueTo: securityPath }) }
            },
          },
        },
      },
    ),
    accountPage.post(
      '/account/confirm/provider/:provider',
      async call => {
        const provider = keyIn(call.params.provider)
        const fields = sessions.checkForm(call, `/account/confirm/provider/${provider}`)
        const flow = {
          provider,
          continueTo: continueTarget(fields.get('continue')),
          held: fields.get('held'),
        }
        return redirect(call.reply, await setOut(call, { ...flow, what: 'proof' }))
      },
      { bodyLimit: heldFormBytes * 2 },
    ),
  ]
}

/** Continues after the person has been authenticated, and offers the held form. */
function goOn(
  sessions: Sessions,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { continueTo, held }: Pick<Flow, 'continueTo' | 'held'>,
  account: string,
  fault?: string,
): FastifyReply {
  const form = unsealHeldForm(sessions, request, held)
  if (form === undefined) return redirect(reply, continueTo)
  const token = sessions.heldToken(reply, form.action)
  return sendHeldForm(reply, { held: form, token, account, fault, status: 200 })
}

/** Links the identity that the person has shown at a provider to the account that they have then signed in to. */
function linkPages(
  { providers, sessions }: ProviderPageDeps,
  link: (
    owner: SessionOwner,
    newcomer: Pick<Newcomer, 'provider' | 'proof'>,
  ) => Promise<Linked | 'not-for-it'>,
): RouteOptions[] {
  const expired = () => ({ location: `${securityPath}?done=link-expired` })
  return accountTab(sessions, securityPath, { pages: accountPage })(linkPath, {
    async show({ request, caller, value, form }) {
      const newcomer = await providers.findNewcomer(value('who'), isOfBrowser(sessions, request))
      const title = 'Link your account'
      if (newcomer === undefined)
        return { title, body: notice('problem', 'This page was open for too long. Please begin again.') }
      const name = providers.nameOf(newcomer.provider)
      return {
        title,
        body: form({
          action: linkPath,
          hidden: { who: value('who') },
          text: html`You’re signed in as ${boldEmail(caller.email)}. Link ${name} to this account? From then on, it opens it.`,
          label: `Link ${name}`,
          beside: html` <a class="button second" href="${newcomer.continueTo}">Not now</a>`,
        }),
      }
    },
    acts: {
      '': {
        proof: 'sign-in',
        async run({ request, reply, caller, value }): Promise<Outcome> {
          const token = value('who')
          const newcomer = await providers.findNewcomer(token, isOfBrowser(sessions, request))
          if (newcomer === undefined) return expired()
          const linked = await link(caller, newcomer)
          if (linked !== 'linked') return { location: `${securityPath}?done=${linked}` }
          await providers.forgetNewcomer(token)
          const continueTo =
            newcomer.continueTo === '/account' ? `${securityPath}?done=linked` : newcomer.continueTo
          return { download: goOn(sessions, { request, reply }, { ...newcomer, continueTo }, caller.email) }
        },
      },
    },
  })
}
