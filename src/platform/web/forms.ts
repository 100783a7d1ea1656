import type { FastifyReply } from 'fastify'
import { newUuid } from '../core/ids.ts'
import type { FieldError } from '../core/problems.ts'
import type { Sessions } from '../http/auth/sessions.ts'
import { fileField, logoField, selectField, textArea, textField, tickBox } from './fields.ts'
import { type Html, type HtmlValue, html } from './html.ts'

/** The values entered in a form that is shown again, and their errors. */
export interface FormState {
  values: Readonly<Record<string, string>>
  errors: readonly FieldError[]
  /**
   * Address to which the form was sent. Other forms on the page keep their values; without it, all forms take these.
   */
  action?: string | undefined
  /** Identifies the form if several post to one address: see `Form`. */
  act?: string | undefined
}

/** A field, rendered with the entered value and its error. */
export type Field = (state: FormState) => Html

/** `value`: the initial value. */
type FieldOf<Drawn> = Omit<Drawn, 'errors' | 'value'> & { value?: string }
const valueIn = ({ values }: FormState, { name, value = '' }: { name: string; value?: string }) =>
  values[name] ?? value

export const textInput =
  (field: FieldOf<Parameters<typeof textField>[0]>): Field =>
  state =>
    textField({ ...field, value: valueIn(state, field), errors: state.errors })

export const textLines =
  (field: FieldOf<Parameters<typeof textArea>[0]>): Field =>
  state =>
    textArea({ ...field, value: valueIn(state, field), errors: state.errors })

export const choice =
  (field: FieldOf<Parameters<typeof selectField>[0]>): Field =>
  state =>
    selectField({ ...field, value: valueIn(state, field), errors: state.errors })

/**
 * `tickedUntil`: ticked until a form with the field of this name was sent, because an empty box is not part of the
 * form.
 */
export const tick =
  ({
    tickedUntil,
    ...field
  }: Omit<Parameters<typeof tickBox>[0], 'errors' | 'isTicked'> & { tickedUntil?: string }): Field =>
  state => {
    const isPreset = tickedUntil !== undefined && state.values[tickedUntil] === undefined
    return tickBox({ ...field, isTicked: isPreset || valueIn(state, field) === 'yes', errors: state.errors })
  }

/** Entered passwords are never shown again. */
export const passwordInput =
  ({ autocomplete, ...field }: PasswordField): Field =>
  ({ errors }) =>
    textField({
      ...field,
      value: '',
      attributes: html`type="password" autocomplete="${autocomplete}" required`,
      errors,
    })

interface PasswordField {
  name: string
  id?: string | undefined
  label: string
  hint?: string | undefined
  autocomplete: 'current-password' | 'new-password' | 'off'
}

/** Tells password managers which account the form's password belongs to. */
export const usernameOf = (email: string, name = 'username'): Html =>
  html`<input type="text" name="${name}" autocomplete="username" value="${email}" hidden>`

export const fileInput =
  (field: Omit<Parameters<typeof fileField>[0], 'errors'>): Field =>
  ({ errors }) =>
    fileField({ ...field, errors })

export const logoInput =
  (label: string): Field =>
  ({ errors }) =>
    logoField({ label, errors })

/** Attributes of text inputs. Browsers do not autofill them, because they are about other people and things. */
export const inputs = {
  email: html`type="email" autocomplete="off" required`,
  text: html`type="text" autocomplete="off"`,
  requiredText: html`type="text" autocomplete="off" required`,
  number: html`type="text" inputmode="numeric" autocomplete="off"`,
  requiredNumber: html`type="text" inputmode="numeric" autocomplete="off" required`,
}

/** Fields side by side. */
export const row =
  (...fields: readonly Field[]): Field =>
  state =>
    html`<div class="fields">${fields.map(field => field(state))}</div>`

/** A form with one button. */
export interface Button {
  action: string
  /** See `Form`. */
  act?: string
  fields?: Readonly<Record<string, string>>
  label: string
  /** Accessible name, if a page has several similar buttons. */
  describedAs?: string | undefined
  kind?: 'first' | 'second' | 'danger' | 'link'
}

export interface Form {
  action: string
  /** Selects one of several acts at that address. Sent as `action`; a token is valid for this act alone. */
  act?: string
  title?: string
  /** Content before the text. */
  lead?: Html
  text?: HtmlValue
  /** Hidden fields to send. */
  hidden?: Readonly<Record<string, string>>
  /** Submitted twice, the form creates only one entry: see `SentForms`. */
  isOnce?: boolean | undefined
  isUpload?: boolean
  /** Whether it is in a card with other content. */
  isInCard?: boolean
  /** Replaces the card's class. */
  className?: string
  /** May include content between the fields. */
  fields?: readonly (Field | HtmlValue)[]
  /** Label of the button; if undefined, `below` contains a button. */
  label?: string
  kind?: 'first' | 'second' | 'danger'
  /** Content beside the button, for example another one. */
  beside?: HtmlValue
  below?: HtmlValue
}

/** A form with its own content and buttons. */
export interface OwnForm extends Pick<Form, 'action' | 'hidden' | 'isOnce'> {
  className?: string | undefined
  attributes?: Html
  /** Whether the browser validates it before sending. */
  isChecked?: boolean
  content: HtmlValue
}

/** A confirmation before an act that cannot be undone. */
export interface Question {
  title: string
  /** What will be lost, and what remains. */
  text: HtmlValue
  label: string
  /** The page to return to, and the text of the link. */
  back: string
  keep?: string
  /** The pages above the question, which is at the act's address. */
  crumbs?: readonly { href: string; label: string }[]
  isOnce?: boolean
  /** Fields to send again with the answer. */
  fields?: Readonly<Record<string, string>>
  /** An address that the person must type. */
  address?: string
}

export interface Forms {
  form(form: Form): Html
  ownForm(form: OwnForm): Html
  button(button: Button): Html
}

export const hiddenField = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

const hiddenFields = (fields: Readonly<Record<string, string>> = {}) =>
  Object.entries(fields).map(([name, value]) => hiddenField(name, value))

/** Browsers must not restore this field when they reload a page: a second entry needs its own key. */
const formKeyField = () => html`<input type="hidden" name="form_key" value="${newUuid()}" autocomplete="off">`

const submit = (label: string, kind: Form['kind'] = 'first') =>
  html`<button${kind !== 'first' && html` class="${kind}"`} type="submit">${label}</button>`

const untouched: FormState = { values: {}, errors: [] }

const pathOf = (action: string) => action.replace(/\?.*$/s, '')

const nameOf = (act: string | undefined): Record<string, string> => (act === undefined ? {} : { action: act })

/** The forms of one page, with tokens for this reader. */
export function formsOf(
  sessions: Pick<Sessions, 'formToken'>,
  reply: FastifyReply,
  state: FormState = untouched,
): Forms {
  const tokenFor = (action: string, act?: string) =>
    sessions.formToken(reply, pathOf(action), ...(act === undefined ? [] : [act]))

  const stateOf = ({ action, act }: Pick<Form, 'action' | 'act'>) =>
    state.act === act && (state.action ?? pathOf(action)) === pathOf(action) ? state : untouched

  const opening = ({
    action,
    act,
    className,
    isUpload,
    isChecked = false,
    attributes,
    hidden,
    isOnce,
  }: Omit<OwnForm, 'content'> & Pick<Form, 'act' | 'isUpload'>) =>
    html`<form${className !== undefined && html` class="${className}"`} method="post" action="${action}"${isUpload && html` enctype="multipart/form-data"`}${!isChecked && ' novalidate'}${attributes && html` ${attributes}`}>${hiddenField('form_token', tokenFor(action, act))}${isOnce && formKeyField()}${hiddenFields({ ...nameOf(act), ...hidden })}`

  return {
    ownForm: ({ content, ...form }) => html`${opening(form)}
${content}</form>`,

    button: ({ action, act, fields, label, describedAs, kind = 'second' }) =>
      html`<form class="inline" method="post" action="${action}">${hiddenField('form_token', tokenFor(action, act))}${hiddenFields({ ...nameOf(act), ...fields })}<button type="submit"${kind !== 'first' && html` class="${kind}"`}${describedAs !== undefined && html` aria-label="${describedAs}"`}>${label}</button></form>`,

    form: ({
      title,
      lead,
      text,
      isInCard,
      className = isInCard ? undefined : 'card',
      fields = [],
      label,
      kind,
      beside,
      below,
      ...form
    }) =>
      html`${opening({ ...form, className, isChecked: fields.length === 0 })}
${title !== undefined && html`<h2 class="first">${title}</h2>`}${lead}${text !== undefined && html`<p>${text}</p>`}
${fields.map(field => (typeof field === 'function' ? field(stateOf(form)) : field))}
${label !== undefined && html`<div class="actions">${submit(label, kind)}${beside}</div>`}${below}</form>`,
  }
}

/** A page with a question and the form that answers it. */
export function questionForm(
  { text, label, back, fields, address }: Question,
  {
    action,
    token,
    isWrong,
    act,
  }: { action: string; token: string; isWrong: boolean; act?: string | undefined },
): Html {
  const message = 'This is another address. Nothing was erased.'
  const errors = isWrong ? [{ field: 'typed', code: 'other', message }] : []
  const attributes = html`type="email" autocomplete="off" spellcheck="false" required`
  return html`<form class="card" method="post" action="${action}" novalidate>
${hiddenField('form_token', token)}${hiddenField('confirmed', 'yes')}${hiddenFields({ ...nameOf(act), ...fields })}
<p>${text}</p>
${address !== undefined && textField({ name: 'typed', label: `To confirm, enter ${address}`, value: '', errors, attributes })}
<div class="actions">${submit(label, 'danger')} <a class="button second" href="${back}">Cancel</a></div></form>`
}
