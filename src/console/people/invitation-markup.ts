import type { FieldError } from '../../core/problems.ts'
import type { OpenInvitation } from '../../people/members/ports.ts'
import { actionForm, notice } from '../../web/components.ts'
import { errorSummary, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { invitationTexts as texts } from './invitation-texts.ts'

/** The page of an invitation. */
interface InvitationPage {
  invitation: OpenInvitation
  /** The secret in the link. */
  link: string
  formToken: string
}

/** The invitation itself, the same for every reader. */
const lead = ({ ownerName, email, role }: OpenInvitation) =>
  html`<p>${texts.invited(ownerName, email, role)}</p>`

const isOfAgent = ({ owner }: OpenInvitation) => 'agentId' in owner

/** The name and value of the hidden field that says whom the person joins. */
const ownerField = ({ owner }: OpenInvitation): [name: string, value: string] =>
  'agentId' in owner ? ['agentId', String(owner.agentId)] : ['advertiserId', String(owner.advertiserId)]

const disclaimer = html`<p class="quiet">${texts.notYours}</p>`

export function joinMarkup({ invitation, link, formToken }: InvitationPage): Html {
  return html`<div class="card">${lead(invitation)}
<p>${texts.joinText(invitation.email)}</p>
<div class="actions">${actionForm({ action: '/invitations', token: formToken, fields: Object.fromEntries([['token', link], ownerField(invitation)]), label: isOfAgent(invitation) ? texts.joinAgent : texts.join, kind: 'first' })}</div></div>
${disclaimer}`
}

/** For a person signed in with another address: submitting the form signs them in with the invited one. */
export function othersMarkup(current: string, invited: string, form: Html): Html {
  return html`${notice('warning', html`<p>${texts.othersText(current, invited)}</p>`)}
${form}`
}

/** The hidden fields of every invitation form. */
function hiddenFields({ invitation, link, formToken }: InvitationPage): Html {
  const [name, value] = ownerField(invitation)
  return html`<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="token" value="${link}">
<input type="hidden" name="${name}" value="${value}">
<input type="text" name="username" autocomplete="username" value="${invitation.email}" hidden>`
}

export function signInMarkup({ message, ...page }: InvitationPage & { message: string | undefined }): Html {
  return html`${message !== undefined && notice('problem', message)}
<form class="card" method="post" action="/invitations" novalidate>
${hiddenFields(page)}
${lead(page.invitation)}
<p>${texts.signInText(page.invitation.email)}</p>
${textField({ name: 'password', label: texts.password, value: '', errors: [], attributes: html`type="password" autocomplete="current-password" required` })}
<div class="actions"><button type="submit">${texts.signIn}</button></div>
</form>
<p>${texts.forgotten(label => html`<a href="/forgotten">${label}</a>`)}</p>
${disclaimer}`
}

export function newAccountMarkup({
  passwordLeast,
  typed,
  ...page
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
${hiddenFields(page)}
${lead(page.invitation)}
<p>${texts.newText}</p>
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
