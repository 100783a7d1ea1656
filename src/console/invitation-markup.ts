import type { FieldError } from '../core/problems.ts'
import { actionForm, notice } from '../web/components.ts'
import { errorSummary, textField } from '../web/fields.ts'
import { type Html, html } from '../web/html.ts'
import { invitationTexts as texts } from './invitation-texts.ts'
import type { OpenInvitation } from './ports.ts'

/** The page of one invitation, with the token of its form where it has one. */
interface InvitationPage {
  invitation: OpenInvitation
  /** The secret of the link. */
  link: string
  formToken: string
}

/** What it is about, whoever reads it. */
const lead = ({ advertiserName, email, role }: OpenInvitation) =>
  html`<p>${texts.invited(advertiserName, email, role)}</p>`

const disclaimer = html`<p class="quiet">${texts.notYours}</p>`

export function joinMarkup({ invitation, link, formToken }: InvitationPage): Html {
  return html`<div class="card">${lead(invitation)}
<p>${texts.joinText(invitation.email)}</p>
<div class="actions">${actionForm({ action: '/invitations', token: formToken, fields: { token: link, advertiserId: String(invitation.advertiserId) }, label: texts.join, kind: 'first' })}</div></div>
${disclaimer}`
}

/** For whoever is somebody else at present. */
export function othersMarkup({
  invitation,
  link,
  formToken,
  current,
}: InvitationPage & { current: string }): Html {
  return html`${notice('warning', html`<p>${texts.othersText(current, invitation.email)}</p>`)}
<div class="actions">${actionForm({ action: '/sign-out', token: formToken, fields: { continue: pathOf(link) }, label: texts.signOut, kind: 'first' })}</div>`
}

export function signInMarkup({ invitation, link }: Omit<InvitationPage, 'formToken'>): Html {
  return html`<div class="card">${lead(invitation)}
<p>${texts.signInText(invitation.email)}</p>
<div class="actions"><a class="button" href="/sign-in?continue=${encodeURIComponent(pathOf(link))}">${texts.signIn}</a></div></div>
${disclaimer}`
}

export function newAccountMarkup({
  invitation,
  link,
  formToken,
  passwordLeast,
  typed,
}: InvitationPage & {
  passwordLeast: number
  typed: { firstName: string; lastName: string; errors: readonly FieldError[] }
}): Html {
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
<form class="card" method="post" action="/invitations" novalidate>
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="token" value="${link}">
<input type="hidden" name="advertiserId" value="${invitation.advertiserId}">
${lead(invitation)}
<p>${texts.newText}</p>
<input type="text" name="username" autocomplete="username" value="${invitation.email}" hidden>
<div class="fields">${name('firstName', 'given-name')}
${name('lastName', 'family-name')}</div>
${textField({ name: 'password', label: texts.password, hint: texts.passwordHint(passwordLeast), value: '', errors, attributes: html`type="password" autocomplete="new-password" required` })}
<div class="actions"><button type="submit">${texts.make}</button></div>
</form>
${disclaimer}`
}

export function goneMarkup(): Html {
  return html`${notice('problem', texts.goneText)}
<p>${texts.goneHelp}</p>`
}

export function pathOf(link: string): string {
  return `/invitations?token=${encodeURIComponent(link)}`
}
