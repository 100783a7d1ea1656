import type { FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../../platform/core/clock.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import {
  createFreshProof,
  type FreshProofDeps,
  type MissingProof,
  missingProof,
  proofNeeds,
} from '../../platform/http/auth/fresh-proof.ts'
import { sealHeldForm } from '../../platform/http/auth/held-form.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import type { Call } from '../../platform/http/routes.ts'
import { type Field, formsOf, hiddenField, passwordInput, usernameOf } from '../../platform/web/forms.ts'
import { fieldNameInWords } from '../../platform/web/held-form.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { redirect } from '../../platform/web/page-response.ts'
import { accountPage } from '../../platform/web/page-routes.ts'
import type { Passkeys } from '../factors/passkey-service.ts'
import type { Factors } from '../factors/service.ts'
import type { ProviderKey } from '../identities/records.ts'
import type { Providers } from '../identities/service.ts'
import { boldEmail, currentPasswordInput, ownInput, sendFormPage } from './form-markup.ts'
import type { AccountLinks } from './links-service.ts'
import { passkeyButton, passkeyScripts, sentPasskey } from './passkey-markup.ts'
import { continueTarget } from './rules.ts'
import type { Accounts } from './service.ts'
import { callerOf, waitText } from './sign-in-pages.ts'

export interface ProofPageDeps {
  accounts: Pick<Accounts, 'prove' | 'proveByCode' | 'proveByPasskey' | 'hasPassword'>
  providers: Pick<Providers, 'offeredTo' | 'list'>
  factors: Pick<Factors, 'find' | 'hasSecondFactor'>
  links: Pick<AccountLinks, 'securityMail' | 'attempt'>
  clock: Clock
  passkeys: Pick<Passkeys, 'request' | 'check'>
  sessions: Sessions
}

const path = '/account/confirm'

/** Asks for the proof that a held form or the next page requires. */
const askFor =
  ({ accounts, factors, passkeys, providers, sessions }: ProofPageDeps): FreshProofDeps['ask'] =>
  async (reply, { owner, form: waiting, missing, refusal }) => {
    /** Keeps the held form until the person returns from the provider. */
    function byProvider(key: ProviderKey, name: string): Html {
      const { formToken: _, ...held } = waiting
      const target = new Map(waiting.fields).get('continue') ?? '/account'
      const hidden =
        waiting.action === path
          ? { continue: target }
          : {
              held: sealHeldForm(sessions, reply, {
                ...held,
                fields: held.fields.filter(([each]) => !each.startsWith('proof_')),
              }),
            }
      return formsOf(sessions, reply).form({
        action: `/account/confirm/provider/${key}`,
        hidden,
        label: `Confirm with ${name}`,
        kind: 'second',
      })
    }

    const found = await factors.find(owner.candidateId)
    const hasCodes = found.totp !== undefined && !found.isAppLost
    const request = passkeys.request('proof', { ...found, candidateId: owner.candidateId })
    // No code can be entered: the account has no app, and a recovery code is not enough.
    const hasPassword = await accounts.hasPassword(owner.candidateId)
    const isCodeAsked = codeField(missing, hasCodes) !== false
    const isPasskeyOnly =
      !isCodeAsked && (missing.factor ? !hasCodes && missing.need !== 'removal' : !hasPassword)
    const identities = await providers.list(owner.candidateId)
    const linked = (await providers.offeredTo(owner.candidateId)).filter(({ issuer }) =>
      identities.some(each => each.issuer === issuer),
    )
    const isWait = refusal?.outcome === 'wait'
    if (isWait) reply.header('retry-after', String(refusal.seconds))
    const isForm = waiting.action !== path
    const signedIn = html`You’re signed in as ${boldEmail(owner.email)}.`
    return sendFormPage({ formToken: () => waiting.formToken }, reply, {
      status: isWait ? 429 : refusal || isForm ? 401 : 200,
      title: 'Confirm that it’s you',
      formTarget: linked[0]?.issuer,
      scripts: passkeyScripts,
      message: refusal && (isWait ? waitText(refusal.seconds) : wrongText(request !== undefined, hasCodes)),
      draw: form => html`${form({
        action: waiting.action,
        text:
          missing.need === 'fresh'
            ? html`${signedIn} To continue, confirm that it’s still you.`
            : html`${signedIn} This changes how you sign in, so it takes more than your password: confirm that it’s still you.`,
        fields: [
          isForm &&
            html`<p class="hint">Once you’ve confirmed, we carry out what you asked for. Nothing has changed yet.</p>`,
          waiting.fields.map(([name, value]) => hiddenField(name, value)),
          usernameOf(owner.email, 'proof_username'),
          ...waiting.secrets.map(name =>
            passwordInput({ name, label: fieldNameInWords(name), autocomplete: 'off' }),
          ),
          missing.password &&
            !isPasskeyOnly &&
            hasPassword &&
            currentPasswordInput('proof_password', 'Your password'),
          codeField(missing, hasCodes),
          isPasskeyOnly &&
            (request !== undefined || linked.length === 0) &&
            html`<p>${request === undefined && found.passkeys.length === 0 ? html`Your account has nothing to confirm with yet: <a href="/forgotten">set a password</a> with a link that we email to you.` : request === undefined ? 'None of your passkeys works here. To remove one, press Remove in your list and enter a recovery code.' : 'Confirm with one of your passkeys. Your browser asks for it when you press the button.'}</p>`,
        ],
        ...(isPasskeyOnly ? {} : { label: 'Confirm and continue', beside: html` ${leave}` }),
        below: html`${passkeyButton(request, { label: 'Confirm with a passkey', prefix: 'proof_', isMain: isPasskeyOnly })}
${isPasskeyOnly && html`<p class="actions">${leave}</p>`}`,
      })}
${linked.map(({ key, name }) => byProvider(key, name))}`,
    })
  }

const leave = html`<a class="button second" href="/account">Cancel</a>`

function wrongText(isPasskeyPossible: boolean, hasCodes: boolean): string {
  if (isPasskeyPossible)
    return 'That wasn’t right, or it has already been used. Try again, or confirm in another way.'
  return hasCodes
    ? 'The password or the code is wrong, or the code has already been used.'
    : 'The password is wrong.'
}

/** The field for a code, beside the password or instead of it. */
function codeField({ need, factor }: MissingProof, hasCodes: boolean): Field | false {
  const field = (label: string, hint?: string) => ownInput('proof_code', label, 'one-time-code', { hint })
  if (need === 'removal' && factor)
    return field(
      hasCodes ? 'Code from your authenticator app, or a recovery code' : 'Recovery code',
      'For a lost device. It’s used up, and lets you remove passkeys and the app only.',
    )
  if (!hasCodes) return false
  if (need === 'fresh') return field('Or a code from your authenticator app', 'Enter one of the two.')
  return factor && field('Code from your authenticator app')
}

/** Checks the proof in the fields of a form. */
const createProve =
  ({ accounts, sessions, passkeys, links }: ProofPageDeps): FreshProofDeps['prove'] =>
  async (request: FastifyRequest, owner: SessionOwner, sent: FormFields, missing: MissingProof) => {
    const signed = sentPasskey(sent, 'proof_')
    if (signed !== undefined) {
      const passkey = await passkeys.check('proof', signed, owner.candidateId)
      return typeof passkey === 'string' ? { outcome: 'wrong' } : accounts.proveByPasskey(owner, passkey)
    }
    const [password = '', code = ''] = [sent.get('proof_password'), sent.get('proof_code')]
    const caller = callerOf(request, sessions)
    if (missing.need === 'fresh')
      return password === '' && code !== ''
        ? accounts.proveByCode(owner, { code, ...caller })
        : accounts.prove(owner, { password, ...caller })
    const first = missing.password ? await accounts.prove(owner, { password, ...caller }) : undefined
    if (first?.outcome === 'wrong' || first?.outcome === 'wait') return first
    if (!missing.factor) return first ?? { outcome: 'wrong' }
    const mails = links.securityMail(owner.candidateId, 'recovery-used')
    const recovery = missing.need === 'removal' ? { recoveryMails: mails } : {}
    const wrongMails = links.securityMail(owner.candidateId, 'wrong-codes')
    const guessed = missing.need === 'factor' ? {} : { wrongMails }
    const second = await accounts.proveByCode(owner, { code, ...caller, ...recovery, ...guessed })
    if (second.outcome === 'proved' && second.by === 'recovery') links.attempt(mails)
    return second
  }

/** For routes with `proof`. */
export const freshProof = (deps: ProofPageDeps) =>
  createFreshProof({
    clock: deps.clock,
    hasSecondFactor: owner => deps.factors.hasSecondFactor(owner.candidateId),
    prove: createProve(deps),
    ask: askFor(deps),
  })

/** The page that asks for a proof before a download, and before a form whose content could not be held. */
export function proofRoutes(deps: ProofPageDeps): RouteOptions[] {
  const { clock, factors, sessions } = deps
  const [prove, ask] = [createProve(deps), askFor(deps)]

  async function respond(
    { request, reply, caller: owner }: Call<'session'>,
    fields: FormFields,
    isSent: boolean,
  ) {
    const continueTo = continueTarget(fields.get('continue'))
    const need = proofNeeds.find(each => each === fields.get('for')) ?? 'fresh'
    // The page asks even if nothing is missing: the person was led here, or wants to confirm.
    const missing = (await missingProof(owner, need, {
      clock,
      hasSecondFactor: () => factors.hasSecondFactor(owner.candidateId),
    })) ?? {
      need: 'fresh',
      password: true,
      factor: false,
    }
    const proof = isSent ? await prove(request, owner, fields, missing) : undefined
    if (proof?.outcome === 'proved') return redirect(reply, continueTo)
    const carried = [
      ['continue', continueTo],
      ['for', need],
    ] as const
    const formToken = sessions.formToken(reply, path)
    const form = { action: path, formToken, fields: carried, secrets: [], isUpload: false }
    return ask(reply, { owner, form, missing, refusal: proof })
  }

  return [
    accountPage.get(path, call => respond(call, new FormFields(searchOf(call.request.url)), false)),
    accountPage.post(path, call => respond(call, sessions.checkForm(call, path), true)),
  ]
}
