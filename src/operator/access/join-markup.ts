import type { FieldError } from '../../core/problems.ts'
import { actionForm, notice } from '../../web/components.ts'
import { errorSummary, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { joinTexts as texts } from './join-texts.ts'
import type { OpenOperatorInvitation } from './ports.ts'

interface JoinPage {
  invitation: OpenOperatorInvitation
  /** The secret in the link. */
  link: string
  token(path: string): string
}

const lead = ({ email, role }: OpenOperatorInvitation) =>
  html`<p>${texts.invited(email, role)}</p><p>${texts.secondFactor}</p>`

/** For a person who has an account: signs in first unless they are signed in. */
export function acceptMarkup({ invitation, link, token }: JoinPage, isSignedIn: boolean): Html {
  const action = '/operator/join/accept'
  return html`<div class="card">${lead(invitation)}
${!isSignedIn && html`<p>${texts.signInFirst(invitation.email)}</p>`}
<div class="actions">${actionForm({ action, token: token(action), fields: { token: link }, label: isSignedIn ? texts.accept : texts.signIn, kind: 'first' })}</div></div>`
}

export function otherMarkup({ invitation, token }: JoinPage, current: string): Html {
  return html`${notice('warning', html`<p>${texts.other(current, invitation.email)}</p>`)}
<div class="actions">${actionForm({ action: '/sign-out', token: token('/sign-out'), label: texts.signOut, kind: 'first' })}</div>`
}

export interface TypedName {
  firstName: string
  lastName: string
  errors: readonly FieldError[]
}

export function newOperatorMarkup(
  { invitation, link, token }: JoinPage,
  typed: TypedName,
  passwordLeast: number,
): Html {
  const { errors } = typed
  const name = (field: 'firstName' | 'lastName', autocomplete: string) =>
    textField({
      name: field,
      label: texts[field],
      value: typed[field],
      errors,
      attributes: html`autocomplete="${autocomplete}" required`,
    })
  return html`${errorSummary(errors, undefined, texts.notJoined)}
<form class="card" method="post" action="/operator/join" novalidate>
<input type="hidden" name="form_token" value="${token('/operator/join')}">
<input type="hidden" name="token" value="${link}">
<input type="text" name="username" autocomplete="username" value="${invitation.email}" hidden>
${lead(invitation)}
<p>${texts.newText}</p>
<div class="fields">${name('firstName', 'given-name')}
${name('lastName', 'family-name')}</div>
${textField({ name: 'password', label: texts.password, hint: texts.passwordHint(passwordLeast), value: '', errors, attributes: html`type="password" autocomplete="new-password" required` })}
<div class="actions"><button type="submit">${texts.make}</button></div>
</form>`
}

export function goneMarkup(): Html {
  return html`${notice('problem', texts.goneText)}
<p>${texts.goneHelp}</p>`
}
