import type { FieldError } from '../../core/problems.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { notice } from '../../web/components.ts'
import { textField } from '../../web/fields.ts'
import { Html, html } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { timeElement } from '../../web/time.ts'
import { passkeyButton } from '../account/passkey-markup.ts'
import { pathTowards } from '../account/rules.ts'
import type { PasskeyRequest, Passkeys } from '../factors/passkey-service.ts'
import type { FoundFactors, Passkey } from '../factors/ports.ts'
import { factorTexts as texts } from './texts.ts'

export const factorsPath = '/account/security/two-step'
export const appPath = `${factorsPath}/app`
export const passkeyPath = `${factorsPath}/passkey`

/** Leads on to the page that a second factor is needed for: `wanted`, which is the list of factors if there is none. */
const towards = (path: string, wanted: string): string =>
  wanted === factorsPath ? path : pathTowards(path, wanted)

const cancelled = (wanted: string): string =>
  wanted === factorsPath ? factorsPath : pathTowards(`${factorsPath}?needed`, wanted)

/** What the forms of the page do. */
export type FactorAction = 'remove-app' | 'rename-passkey' | 'remove-passkey' | 'renew-codes'

type Tokens = (action: FactorAction) => string

function actionForm(action: FactorAction, token: Tokens, label: string, hint?: string): Html {
  return html`<form class="actions" method="post" action="${factorsPath}"><input type="hidden" name="form_token" value="${token(action)}">
<input type="hidden" name="action" value="${action}"><button class="second" type="submit">${label}</button>${hint !== undefined && html`<span class="hint">${hint}</span>`}</form>`
}

const hidden = (action: FactorAction, token: Tokens, passkey: Passkey) =>
  html`<input type="hidden" name="form_token" value="${token(action)}"><input type="hidden" name="action" value="${action}"><input type="hidden" name="passkey_id" value="${passkey.id}">`

function passkeyRow(passkey: Passkey, index: number, { token, passkeys: { isHere } }: FactorPage): Html {
  const { name, createdAt, lastUsedAt } = passkey
  return html`<li class="row">${icon('key')}<div><strong>${isolateBidi(name)}</strong>
<span class="hint">${texts.passkeyUsed(timeElement(createdAt), timeElement(lastUsedAt))}</span>
${!isHere(passkey) && html`<span class="hint">${texts.elsewhere(passkey.rpId)}</span>`}</div>
<details><summary>${texts.rename(html`<span class="for-readers">${isolateBidi(name)}</span>`)}</summary>
<form method="post" action="${factorsPath}" novalidate>${hidden('rename-passkey', token, passkey)}
${textField({ id: `name-${index}`, name: 'name', label: texts.name, value: name, errors: [], attributes: html`required` })}
<div class="actions"><button class="second" type="submit">${texts.saveName}</button></div></form></details>
<form class="inline" method="post" action="${factorsPath}">${hidden('remove-passkey', token, passkey)}
<button class="second" type="submit" aria-label="${texts.removePasskeyOf(name)}">${texts.removePasskey}</button></form></li>`
}

export interface FactorPage {
  found: FoundFactors
  canEnrol: boolean
  passkeys: Pick<Passkeys, 'isHere' | 'isPossible'>
  max: number
  token: Tokens
  wanted: string
}

function passkeyList(page: FactorPage): Html {
  const { passkeys } = page.found
  const isPossible = page.passkeys.isPossible()
  const canAdd = page.canEnrol && isPossible && passkeys.length < page.max
  return html`<section class="card" aria-labelledby="passkeys-title"><h2 class="first" id="passkeys-title">${texts.passkeys}</h2>
<p>${texts.passkeysText}</p>
${!isPossible && html`<p class="hint">${texts.makePasskey.noName}</p>`}
${passkeys.length > 0 && html`<ul class="plain">${passkeys.map((passkey, index) => passkeyRow(passkey, index, page))}</ul>`}
${canAdd && html`<p class="actions"><a class="button${passkeys.length > 0 && ' second'}" href="${towards(passkeyPath, page.wanted)}">${texts.addPasskey}</a></p>`}</section>`
}

export function factorList(page: FactorPage): Html {
  const { found, canEnrol, token, wanted } = page
  const { totp, codesLeft } = found
  return html`<p class="lead">${texts.lead}</p>
${!canEnrol && notice('warning', texts.noKey)}
${passkeyList(page)}
<section class="card" aria-labelledby="app-title"><h2 class="first" id="app-title">${texts.app}</h2>
${
  totp === undefined
    ? html`<p>${texts.appOff}</p>
${canEnrol && html`<p class="actions"><a class="button second" href="${towards(appPath, wanted)}">${texts.addApp}</a></p>`}`
    : html`<p>${texts.appOn(timeElement(totp.createdAt), timeElement(totp.lastUsedAt))}</p>
${actionForm('remove-app', token, texts.removeApp)}`
}</section>
${
  (totp !== undefined || found.passkeys.length > 0) &&
  html`<section class="card" aria-labelledby="codes-title"><h2 class="first" id="codes-title">${texts.codes}</h2>
${codesLeft === 0 ? notice('warning', texts.codesLeft(0)) : html`<p>${texts.codesLeft(codesLeft)}</p>`}
${actionForm('renew-codes', token, texts.renewCodes, texts.renewHint)}</section>`
}`
}

/** Groups of four, as people read them. */
const grouped = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? secret

export function enrolmentForm(
  { secret, picture, sealed }: { secret: string; picture: string; sealed: string },
  { token, wanted, errors }: { token: string; wanted: string; errors: readonly FieldError[] },
): Html {
  const { enrol: words } = texts
  return html`<form class="card" method="post" action="${appPath}" novalidate>
<input type="hidden" name="form_token" value="${token}">
<input type="hidden" name="secret" value="${sealed}">
<input type="hidden" name="continue" value="${wanted}">
<p>${words.scan}</p>
<figure class="qr" role="img" aria-label="${words.picture}">${new Html(picture)}</figure>
<p>${words.typeIt}<br><code>${grouped(secret)}</code></p>
${textField({ name: 'code', label: words.code, value: '', hint: words.hint, errors, attributes: html`inputmode="numeric" autocomplete="one-time-code" required` })}
<div class="actions"><button type="submit">${words.submit}</button> <a class="button second" href="${cancelled(wanted)}">${words.cancel}</a></div>
</form>`
}

export function passkeyForm(
  request: PasskeyRequest,
  {
    token,
    name,
    wanted,
    errors,
  }: { token: string; name: string; wanted: string; errors: readonly FieldError[] },
): Html {
  const { makePasskey: words } = texts
  return html`<form class="card" method="post" action="${passkeyPath}" novalidate>
<input type="hidden" name="form_token" value="${token}">
<input type="hidden" name="continue" value="${wanted}">
<p>${words.text}</p>
<p data-without-passkeys>${words.without}</p>
${textField({ name: 'name', label: texts.name, value: name, hint: words.nameHint, errors, attributes: html`required` })}
${passkeyButton(request, { label: words.submit, kind: 'create', isMain: true })}
<p class="actions"><a class="button second" href="${cancelled(wanted)}">${words.cancel}</a></p>
</form>`
}

export function shownCodes(codes: readonly string[], isNew: boolean, wanted: string): Html {
  const { shown: words } = texts
  return html`${notice('good', isNew ? words.on : words.renewed)}
<section class="card"><p>${words.text}</p>
<ul class="recovery-codes">${codes.map(code => html`<li><code>${code}</code></li>`)}</ul>
<p class="actions"><a class="button" href="${wanted}">${words.done}</a></p></section>`
}
