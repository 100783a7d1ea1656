import type { RouteOptions } from 'fastify'
import { nameLength } from '../../model/text-lengths.ts'
import { Problem } from '../../platform/core/problems.ts'
import { lineBreakOrTab, textFault } from '../../platform/core/text.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import { card, notice } from '../../platform/web/components.ts'
import { textInput } from '../../platform/web/forms.ts'
import { Html, html } from '../../platform/web/html.ts'
import { icon } from '../../platform/web/icons.ts'
import { accountPage } from '../../platform/web/page-routes.ts'
import { type Outcome, type Page, type PageCall, refusal } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { AccountLinks } from '../account/links-service.ts'
import { passkeyButton, passkeyScripts, sentPasskey } from '../account/passkey-markup.ts'
import { browserName, continueTarget, pathTowards } from '../account/rules.ts'
import { accountTab } from '../account/tab-pages.ts'
import type { Passkeys } from '../factors/passkey-service.ts'
import type { FactorStatus, Passkey } from '../factors/records.ts'
import { type Factors, passkeysPerAccount } from '../factors/service.ts'

export interface FactorPageDeps {
  factors: Factors
  passkeys: Passkeys
  links: Pick<AccountLinks, 'securityMail' | 'attempt'>
  sessions: Sessions
}

const path = '/account/security/two-step'
const appPath = `${path}/app`
const passkeyPath = `${path}/passkey`
const title = 'Passkeys and two-step sign-in'

/** Passkeys, the authenticator app and the recovery codes of an account. */
export function factorPages(deps: FactorPageDeps): RouteOptions[] {
  return [...listPage(deps), ...appPage(deps), ...passkeyPage(deps)]
}

/** The page that requires a second factor; the list of factors if there is none. */
const wantedBy = ({ value }: Pick<PageCall<'session'>, 'value'>) => continueTarget(value('continue') || path)

const towards = (to: string, wanted: string) => (wanted === path ? to : pathTowards(to, wanted))

const cancel = (wanted: string) =>
  html`<a class="button second" href="${wanted === path ? path : pathTowards(`${path}?needed`, wanted)}">Cancel</a>`

const pageOf = (ownTitle: string, body: Html): Page => {
  const above = ownTitle === title ? [] : [{ href: path, label: title }]
  const crumbs = [{ href: '/account/security', label: 'Sign-in and security' }, ...above]
  return { title: ownTitle, crumbs, scripts: passkeyScripts, failed: '', body }
}

const codesPage = (codes: readonly string[], result: string, wanted: string): { page: Page } => ({
  page: pageOf(
    'Save your recovery codes',
    html`${notice('good', result)}
<section class="card"><p>Each code signs you in once, together with your password, if you don’t have your device. Print them or keep them in a password manager: we can’t show them again.</p>
<ul class="recovery-codes">${codes.map(code => html`<li><code>${code}</code></li>`)}</ul>
<p class="actions"><a class="button" href="${wanted}">I’ve saved them</a></p></section>`,
  ),
})

/** The outcome of adding a factor; codes are shown with the first one. */
const added = (codes: readonly string[] | undefined, done: string, wanted: string): Outcome =>
  codes === undefined
    ? { location: `${path}?done=${done}` }
    : codesPage(codes, 'Two-step sign-in is on, and you’re signed out everywhere else.', wanted)

const noKey =
  'Two-step sign-in isn’t available on this service yet: the people who run it have to set SECRETS_KEY first.'

function requireKey(factors: Factors): void {
  if (!factors.canEnrol()) throw new Problem('unavailable', noKey)
}

/** Returns a name that fits on one line; undefined if it cannot be shown. */
function nameIn(value: (name: string) => string) {
  const name = value('name').trim()
  const rules = { maxLength: nameLength, isRequired: true, notOnOneLine: lineBreakOrTab }
  return textFault(name, rules) === undefined ? name : undefined
}

const nameFault = `Enter a name of one line and at most ${nameLength} characters.`

const hintOf = (text: Html | string) => html`<span class="hint">${text}</span>`

const used = ({ createdAt, lastUsedAt }: { createdAt: number; lastUsedAt: number }) =>
  html`Added ${timeElement(createdAt)}, last used ${timeElement(lastUsedAt)}.`

function listPage({ factors, passkeys, links, sessions }: FactorPageDeps): RouteOptions[] {
  async function remove(
    candidateId: string,
    topic: 'app-removed' | 'passkey-removed',
    run: (mails: ReturnType<typeof links.securityMail>) => Promise<boolean>,
  ): Promise<Outcome> {
    const mails = links.securityMail(candidateId, topic)
    if (!(await run(mails))) return 'not-there'
    links.attempt(mails)
    return topic
  }

  function passkeyRow(passkey: Passkey, index: number, { form, button }: PageCall<'session'>): Html {
    const { id, name, rpId } = passkey
    return html`<li class="row">${icon('key')}<div><strong>${isolateBidi(name)}</strong>
${hintOf(used(passkey))}
${!passkeys.isHere(passkey) && hintOf(`It was made for ${rpId} and doesn’t work here any longer. Remove it and add a new one.`)}</div>
<details><summary>Rename <span class="visually-hidden">${isolateBidi(name)}</span></summary>
${form({
  action: path,
  act: 'rename-passkey',
  isInCard: true,
  hidden: { passkey_id: id },
  fields: [
    textInput({
      id: `name-${index}`,
      name: 'name',
      label: 'Name',
      value: name,
      attributes: html`required`,
    }),
  ],
  label: 'Save name',
  kind: 'second',
})}</details>
${button({ action: path, act: 'remove-passkey', fields: { passkey_id: id }, label: 'Remove', describedAs: `Remove passkey ${stripBidi(name)}` })}</li>`
  }

  function passkeyCard(list: readonly Passkey[], canEnrol: boolean, call: PageCall<'session'>): Html {
    const isPossible = passkeys.isPossible()
    const canAdd = canEnrol && isPossible && list.length < passkeysPerAccount
    return card(
      'Passkeys',
      html`<p>A passkey signs you in with your fingerprint, your face or the PIN of your device, without a password. It works on this site only, so no one can trick you out of it.</p>
${!isPossible && html`<p class="hint">${noHostName}</p>`}
${list.length > 0 && html`<ul class="plain">${list.map((passkey, index) => passkeyRow(passkey, index, call))}</ul>`}
${canAdd && html`<p class="actions"><a class="button${list.length > 0 && ' second'}" href="${towards(passkeyPath, wantedBy(call))}">Add passkey</a></p>`}`,
      'passkeys-title',
    )
  }

  function appCard({ totp, isAppLost }: FactorStatus, canEnrol: boolean, call: PageCall<'session'>): Html {
    const content =
      totp === undefined
        ? html`<p>An app on your phone shows a new code every 30 seconds. Any app for one-time codes works.</p>
${canEnrol && html`<p class="actions"><a class="button second" href="${towards(appPath, wantedBy(call))}">Set up authenticator app</a></p>`}`
        : html`${isAppLost && notice('warning', 'Codes from this app no longer work here: this service has lost the key to its secret. Remove the app, then set it up again.')}<p>${used(totp)}</p>
${call.form({ action: path, act: 'remove-app', isInCard: true, label: 'Remove app', kind: 'second' })}`
    return card('Authenticator app', content, 'app-title')
  }

  const codesCard = (left: number, { form }: PageCall<'session'>): Html =>
    card(
      'Recovery codes',
      html`${
        left === 0
          ? notice(
              'warning',
              'You have no recovery codes left. Get new ones now: without them you can’t sign in if you lose your device.',
            )
          : html`<p>You have ${left} unused recovery ${left === 1 ? 'code' : 'codes'}. Each signs you in once if you lose your device.</p>`
      }
${form({ action: path, act: 'renew-codes', isInCard: true, label: 'Get new recovery codes', kind: 'second', beside: hintOf('The old ones stop working.') })}`,
      'codes-title',
    )

  return accountTab(sessions, '/account/security')(path, {
    async show(call) {
      const found = await factors.find(call.caller.candidateId)
      const canEnrol = factors.canEnrol()
      const hasFactor = found.totp !== undefined || found.passkeys.length > 0
      const isNeeded = !hasFactor && call.query.has('needed')
      return pageOf(
        title,
        html`${isNeeded && notice('info', 'To continue, add a passkey or an authenticator app. The page you wanted to open isn’t available without it.')}
<p class="lead">With a passkey or two-step sign-in, a stolen password isn’t enough to get into your account.</p>
${!canEnrol && notice('warning', noKey)}
${passkeyCard(found.passkeys, canEnrol, call)}
${appCard(found, canEnrol, call)}
${hasFactor && codesCard(found.codesLeft, call)}`,
      )
    },
    // A lost device is removed with a recovery code.
    namedActs: {
      'remove-app': {
        proof: 'removal',
        run: ({ caller }) =>
          remove(caller.candidateId, 'app-removed', mails => factors.removeTotp(caller, mails)),
      },
      'remove-passkey': {
        proof: 'removal',
        run: ({ caller, value }) =>
          remove(caller.candidateId, 'passkey-removed', mails =>
            factors.removePasskey(caller, value('passkey_id'), mails),
          ),
      },
      'rename-passkey': {
        proof: 'sign-in',
        async run({ caller, value }) {
          const name = nameIn(value)
          if (name === undefined) throw new Problem('bad-request', nameFault)
          const isRenamed = await factors.renamePasskey(caller.candidateId, value('passkey_id'), name)
          return isRenamed ? 'renamed' : 'not-there'
        },
      },
      'renew-codes': {
        proof: 'sign-in',
        async run({ caller: { candidateId } }) {
          const mails = links.securityMail(candidateId, 'codes-renewed')
          const codes = await factors.renewCodes(candidateId, mails)
          if (codes === undefined) return 'not-there'
          links.attempt(mails)
          return codesPage(codes, 'These are your new recovery codes. The old ones no longer work.', path)
        },
      },
    },
    done: {
      'app-added': 'The authenticator app is set up. Your recovery codes stay the same.',
      'app-removed': 'The authenticator app is removed.',
      'passkey-added': 'The passkey is added. Your recovery codes stay the same.',
      'passkey-removed':
        'The passkey is removed. You may also delete it from the device or password manager that has it.',
      renamed: 'The passkey has its new name.',
      'not-there': 'It has already been removed.',
    },
  })
}

/** Groups of four characters, as people read them. */
const grouped = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? secret

const appFaults = {
  expired: 'This page was open for too long. Here is a new picture: scan it again.',
  'has-one': 'You already have an authenticator app. Remove it first if you want to use a different one.',
  wrong: 'This code is wrong. Check that your phone shows the right time, and enter the code it shows now.',
}

function appPage({ factors, links, sessions }: FactorPageDeps): RouteOptions[] {
  /** The enrolment that the form carries, or a new one. A URL must not choose the secret. */
  async function enrolmentOf({ request, caller, value }: PageCall<'session'>) {
    const sealed = request.method === 'POST' ? value('secret') : ''
    const secret = factors.openEnrolment(caller, sealed)
    if (secret === undefined) return factors.beginTotp(caller)
    return { ...(await factors.show(secret, caller.email)), sealed }
  }
  const wrong = (fault: keyof typeof appFaults): Outcome => ({
    errors: [{ field: 'code', code: 'wrong', message: appFaults[fault] }],
    values: {},
  })

  return accountTab(sessions, '/account/security', { pages: accountPage.signIn })(appPath, {
    async show(call) {
      requireKey(factors)
      const { secret, picture, sealed } = await enrolmentOf(call)
      const wanted = wantedBy(call)
      return pageOf(
        'Set up authenticator app',
        call.form({
          action: appPath,
          hidden: { secret: sealed, continue: wanted },
          lead: html`<p>Open your authenticator app and scan this picture.</p>
<figure class="qr" role="img" aria-label="QR code for your authenticator app">${new Html(picture)}</figure>
<p>Can’t scan it? Enter this key in the app:<br><code>${grouped(secret)}</code></p>`,
          fields: [
            textInput({
              name: 'code',
              label: 'Code that the app shows now',
              hint: 'Six digits. This proves that the app is set up.',
              attributes: html`inputmode="numeric" autocomplete="one-time-code" required`,
            }),
          ],
          label: 'Set up app',
          beside: html` ${cancel(wanted)}`,
        }),
      )
    },
    acts: {
      '': {
        async run(call) {
          requireKey(factors)
          const { caller, value } = call
          const secret = factors.openEnrolment(caller, value('secret'))
          if (secret === undefined) return wrong('expired')
          const mails = links.securityMail(caller.candidateId, 'app-added')
          const result = await factors.addTotp(caller, { secret, code: value('code') }, mails)
          if (result.outcome !== 'added') return wrong(result.outcome)
          links.attempt(mails)
          return added(result.codes, 'app-added', wantedBy(call))
        },
      },
    },
  })
}

const noHostName =
  'Passkeys need a name for this service, such as jobs.example.com, but its AUTH_URL has an IP address.'

const passkeyFaults = {
  expired: 'This page was open for too long. Please try again.',
  used: 'This page was open for too long. Please try again.',
  wrong: 'We couldn’t read what your device answered. Please try again.',
  known: 'This passkey belongs to an account already.',
  'too-many': `You have ${passkeysPerAccount} passkeys, which is the most we keep. Remove one first.`,
}

function passkeyPage({ factors, passkeys, links, sessions }: FactorPageDeps): RouteOptions[] {
  return accountTab(sessions, '/account/security', { pages: accountPage.signIn })(passkeyPath, {
    async show(call) {
      // Makes the key on one machine, so the request for a passkey finds it.
      requireKey(factors)
      const found = await factors.find(call.caller.candidateId)
      const request = passkeys.creation(call.caller, found.passkeys)
      const wanted = wantedBy(call)
      return pageOf(
        'Add passkey',
        request === undefined
          ? notice('warning', noHostName)
          : call.form({
              action: passkeyPath,
              hidden: { continue: wanted },
              lead: html`<p>Your device asks for your fingerprint, your face or its PIN. You can also use a security key, or your phone.</p>
<p data-without-passkeys>Your browser can’t make passkeys, or scripts are switched off. Use a different browser, or set up an authenticator app.</p>`,
              fields: [
                textInput({
                  name: 'name',
                  label: 'Name',
                  value: browserName(call.request.headers['user-agent']),
                  hint: 'So that you recognise it in your list.',
                  attributes: html`required`,
                }),
              ],
              below: html`${passkeyButton(request, { label: 'Create passkey', kind: 'create', isMain: true })}
<p class="actions">${cancel(wanted)}</p>`,
            }),
      )
    },
    acts: {
      '': {
        async run(call) {
          const { caller, fields, value, values } = call
          const rejected = (fault: keyof typeof passkeyFaults): Outcome => ({
            ...refusal(passkeyFaults[fault], 422),
            values,
          })
          const name = nameIn(value)
          if (name === undefined) return { errors: [{ field: 'name', code: 'wrong', message: nameFault }] }
          const sent = sentPasskey(fields)
          const made =
            sent === undefined ? 'wrong' : await passkeys.checkNew(caller.candidateId, { ...sent, name })
          if (typeof made === 'string') return rejected(made)
          const mails = links.securityMail(caller.candidateId, 'passkey-added')
          const result = await factors.addPasskey(caller, made, mails)
          if (result.outcome !== 'added') return rejected(result.outcome)
          links.attempt(mails)
          return added(result.codes, 'passkey-added', wantedBy(call))
        },
      },
    },
  })
}
