import type { FieldError } from '../../core/problems.ts'
import { notice } from '../../web/components.ts'
import { textField } from '../../web/fields.ts'
import { Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { FoundFactors } from '../factors/ports.ts'
import { factorTexts as texts } from './texts.ts'

export const factorsPath = '/account/security/two-step'
export const appPath = `${factorsPath}/app`

/** What the forms of the page do. */
export type FactorAction = 'remove-app' | 'renew-codes'

type Tokens = (action: FactorAction) => string

function actionForm(action: FactorAction, token: Tokens, label: string, hint?: string): Html {
  return html`<form class="actions" method="post" action="${factorsPath}"><input type="hidden" name="form_token" value="${token(action)}">
<input type="hidden" name="action" value="${action}"><button class="second" type="submit">${label}</button>${hint !== undefined && html`<span class="hint">${hint}</span>`}</form>`
}

export function factorList({ totp, codesLeft }: FoundFactors, canEnrol: boolean, token: Tokens): Html {
  return html`<p class="lead">${texts.lead}</p>
${!canEnrol && notice('warning', texts.noKey)}
<section class="card" aria-labelledby="app-title"><h2 class="first" id="app-title">${texts.app}</h2>
${
  totp === undefined
    ? html`<p>${texts.appOff}</p>
${canEnrol && html`<p class="actions"><a class="button" href="${appPath}">${texts.addApp}</a></p>`}`
    : html`<p>${texts.appOn(timeElement(totp.createdAt), timeElement(totp.lastUsedAt))}</p>
${actionForm('remove-app', token, texts.removeApp)}`
}</section>
${
  totp !== undefined &&
  html`<section class="card" aria-labelledby="codes-title"><h2 class="first" id="codes-title">${texts.codes}</h2>
${codesLeft === 0 ? notice('warning', texts.codesLeft(0)) : html`<p>${texts.codesLeft(codesLeft)}</p>`}
${actionForm('renew-codes', token, texts.renewCodes, texts.renewHint)}</section>`
}`
}

/** Groups of four, as people read them. */
const grouped = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? secret

export function enrolmentForm(
  { secret, picture, sealed }: { secret: string; picture: string; sealed: string },
  token: string,
  errors: readonly FieldError[],
): Html {
  const { enrol: words } = texts
  return html`<form class="card" method="post" action="${appPath}" novalidate>
<input type="hidden" name="form_token" value="${token}">
<input type="hidden" name="secret" value="${sealed}">
<p>${words.scan}</p>
<figure class="qr" role="img" aria-label="${words.picture}">${new Html(picture)}</figure>
<p>${words.typeIt}<br><code>${grouped(secret)}</code></p>
${textField({ name: 'code', label: words.code, value: '', hint: words.hint, errors, attributes: html`inputmode="numeric" autocomplete="one-time-code" required` })}
<div class="actions"><button type="submit">${words.submit}</button> <a class="button second" href="${factorsPath}">${words.cancel}</a></div>
</form>`
}

export function shownCodes(codes: readonly string[], isNew: boolean): Html {
  const { shown: words } = texts
  return html`${notice('good', isNew ? words.on : words.renewed)}
<section class="card"><p>${words.text}</p>
<ul class="codes">${codes.map(code => html`<li><code>${code}</code></li>`)}</ul>
<p class="actions"><a class="button" href="${factorsPath}">${words.done}</a></p></section>`
}
