import type { FastifyReply } from 'fastify'
import { notice } from './components.ts'
import { errorSummary } from './fields.ts'
import { type Form, type FormState, type Forms, row, textInput, usernameOf } from './forms.ts'
import { type Html, html } from './html.ts'
import { sendPage } from './page-response.ts'

/** Sign-up form for an invited address. `failed` begins the error summary. */
export const newAccountForm = (
  {
    email,
    lead,
    minPasswordLength,
    failed,
    ...form
  }: Pick<Form, 'action' | 'hidden' | 'label'> & {
    email: string
    lead: Html
    minPasswordLength: number
    failed: string
  },
  forms: Forms,
  errors: FormState['errors'] = [],
): Html => html`${errorSummary(errors, undefined, failed)}
${forms.form({
  ...form,
  lead: html`${usernameOf(email)}\n${lead}`,
  text: 'There is no account with this address yet. Create one below. Your email address is already confirmed.',
  fields: [
    row(
      textInput({
        name: 'firstName',
        label: 'First name',
        attributes: html`autocomplete="given-name" required`,
      }),
      textInput({
        name: 'lastName',
        label: 'Last name',
        attributes: html`autocomplete="family-name" required`,
      }),
    ),
    textInput({
      name: 'password',
      label: 'Password',
      hint: `At least ${minPasswordLength} characters. Three or four random words work well.`,
      attributes: html`type="password" autocomplete="new-password" required`,
    }),
  ],
})}`

/** `next`: the person's next step. */
export const sendInvitationGone = (reply: FastifyReply, next: Html): FastifyReply =>
  sendPage(reply, {
    isFocused: true,
    status: 404,
    title: 'This invitation no longer works',
    body: html`${notice('problem', 'An invitation works once, for a few days. It may have expired, or been used, revoked or replaced by a newer one, or the link may be incomplete.')}
<p>${next}</p>`,
  })
