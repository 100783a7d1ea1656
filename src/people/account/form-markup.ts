import type { FastifyReply } from 'fastify'
import type { FieldError } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { notice } from '../../platform/web/components.ts'
import { errorSummary } from '../../platform/web/fields.ts'
import { type Field, type Forms, formsOf, passwordInput, textInput } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { type PageOptions, sendPage } from '../../platform/web/page-response.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { FactorAtReset } from '../factors/records.ts'
import { minPasswordLength, pathTowards } from './rules.ts'

/** A required field that browsers may fill in, because it is about the person. */
export const ownInput = (
  name: string,
  label: string,
  autocomplete: string,
  {
    type = 'text',
    ...field
  }: { type?: 'text' | 'email'; id?: string; value?: string; hint?: string | undefined } = {},
): Field =>
  textInput({
    ...field,
    name,
    label,
    attributes: html`type="${type}" autocomplete="${autocomplete}" required`,
  })

export const currentPasswordInput = (name: string, label: string, id?: string): Field =>
  passwordInput({ name, id, label, autocomplete: 'current-password' })

export const newPasswordInput = (label: string = 'Password'): Field =>
  passwordInput({
    name: 'password',
    label,
    autocomplete: 'new-password',
    hint: `At least ${minPasswordLength} characters. Three or four random words work well.`,
  })

/** A link to a page for signed-out people that continues to `continueTo`. */
export const linkTowards = (path: string, label: string, continueTo = '/account'): Html =>
  html`<a href="${pathTowards(path, continueTo)}">${label}</a>`

export const boldEmail = (email: string): Html => html`<strong>${isolateBidi(email)}</strong>`

export interface FormPage extends Omit<PageOptions, 'body'> {
  /** Values as typed. */
  values?: Readonly<Record<string, string>>
  errors?: readonly FieldError[]
  /** Why the form is shown again. */
  message?: Html | string | undefined
  draw(form: Forms['form']): Html
}

/** Sends a page with one form, for people who sign in, sign up or confirm that it is them. */
export function sendFormPage(
  sessions: Pick<Sessions, 'formToken'>,
  reply: FastifyReply,
  { values = {}, errors = [], message, status = errors.length > 0 ? 422 : 200, draw, ...page }: FormPage,
): FastifyReply {
  const { form } = formsOf(sessions, reply, { values, errors })
  return sendPage(reply, {
    ...page,
    isFocused: true,
    status,
    body: html`${message !== undefined && notice('problem', message)}${errorSummary(errors, undefined, '')}
${draw(form)}`,
  })
}

/** Explains what happens to the second factors when a link sets the password. */
export const factorsAtReset = (factors: readonly FactorAtReset[], why: string): Html | false =>
  factors.length > 0 &&
  html`<p>The other ways into your account, newest first:</p>
<ul>${factors.map(({ name, issuer, createdAt, isRemoved }) => {
    const app = issuer === undefined ? 'Authenticator app' : `Sign-in with ${new URL(issuer).host}`
    const factor = name === undefined ? app : html`Passkey ${isolateBidi(name)}`
    return html`<li>${factor}, added ${timeElement(createdAt)}: <strong>${isRemoved ? 'will be removed' : 'stays'}</strong></li>`
  })}</ul>
${factors.some(({ isRemoved }) => isRemoved) && html`<p class="hint">${why}</p>`}`
