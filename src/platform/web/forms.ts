import type { FastifyReply } from 'fastify'
import { newUuid } from '../core/ids.ts'
import type { FieldError } from '../core/problems.ts'
import type { Sessions } from '../http/auth/sessions.ts'
import { fileField, logoField, selectField, textArea, textField, tickBox } from './fields.ts'
import { type Html, type HtmlValue, html } from './html.ts'
import { t } from './t.ts'

/** What was typed into the form that is shown again, and what is wrong with it. */
export interface FormState {
  values: Readonly<Record<string, string>>
  errors: readonly FieldError[]
  /** Where the form was sent. Other forms of the page keep their values; without it, every form takes these. */
  action?: string | undefined
  /** Which form, where several post to one address: see `Form`. */
  act?: string | undefined
}

/** A field, drawn with what was typed before and its error. */
export type Field = (state: FormState) => Html

/** `value`: until something was typed. */
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

/** `tickedUntil`: ticked until a form with the field of this name was sent, which an empty box is not part of. */
export const tick =
  ({
    tickedUntil,
    ...field
  }: Omit<Parameters<typeof tickBox>[0], 'errors' | 'isTicked'> & { tickedUntil?: string }): Field =>
  state => {
    const isPreset = tickedUntil !== undefined && state.values[tickedUntil] === undefined
    return tickBox({ ...field, isTicked: isPreset || valueIn(state, field) === 'yes', errors: state.errors })
  }

/** What was typed is never shown again. */
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

/** Tells password managers whose password the form has. */
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

/** Attributes of text inputs. Browsers do not fill them in, because they are about other people and things. */
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
  /** Its accessible name, where a page has several alike. */
  describedAs?: string | undefined
  kind?: 'first' | 'second' | 'danger' | 'link'
}

export interface Form {
  action: string
  /** One of several acts at that address. Sent along as `action`; a token is for this act alone. */
  act?: string
  title?: string
  /** Before the text. */
  lead?: Html
  text?: HtmlValue
  /** Sent along. */
  hidden?: Readonly<Record<string, string>>
  /** Sent twice, the form creates one thing: see `SentForms`. */
  isOnce?: boolean | undefined
  isUpload?: boolean
  /** Stands in a card with other content. */
  isInCard?: boolean
  /** In place of the card's. */
  className?: string
  /** Also content between the fields. */
  fields?: readonly (Field | HtmlValue)[]
  /** Label of the button; without it, `below` has a button. */
  label?: string
  kind?: 'first' | 'second' | 'danger'
  /** Beside the button, for example another one. */
  beside?: HtmlValue
  below?: HtmlValue
}

/** A form with its own content and buttons. */
export interface OwnForm extends Pick<Form, 'action' | 'hidden' | 'isOnce'> {
  className?: string | undefined
  attributes?: Html
  /** By the browser, before it is sent. */
  isChecked?: boolean
  content: HtmlValue
}

/** What is asked before an act that cannot be taken back. */
export interface Question {
  title: string
  /** What goes, and what stays. */
  text: HtmlValue
  label: string
  /** The page to return to, and what the link says. */
  back: string
  keep?: string
  /** The pages above the question, at the address of an act. */
  crumbs?: readonly { href: string; label: string }[]
  isOnce?: boolean
  /** Sent again with the answer. */
  fields?: Readonly<Record<string, string>>
  /** An address that has to be typed. */
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

/** Not restored by browsers that fill in a page that is loaded again: the second thing needs its own key. */
const formKeyField = () => html`<input type="hidden" name="form_key" value="${newUuid()}" autocomplete="off">`

const submit = (label: string, kind: Form['kind'] = 'first') =>
  html`<button${kind !== 'first' && html` class="${kind}"`} type="submit">${label}</button>`

const untouched: FormState = { values: {}, errors: [] }

const pathOf = (action: string) => action.replace(/\?.*$/s, '')

const nameOf = (act: string | undefined): Record<string, string> => (act === undefined ? {} : { action: act })

/** The forms of one page, with the tokens for this reader. */
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

/** The page that asks a question, with the form that answers it. */
export function questionForm(
  { text, label, back, fields, address }: Question,
  {
    action,
    token,
    isWrong,
    act,
  }: { action: string; token: string; isWrong: boolean; act?: string | undefined },
): Html {
  const message = t`This is another address. Nothing was erased.`
  const errors = isWrong ? [{ field: 'typed', code: 'other', message }] : []
  const attributes = html`type="email" autocomplete="off" spellcheck="false" required`
  return html`<form class="card" method="post" action="${action}" novalidate>
${hiddenField('form_token', token)}${hiddenField('confirmed', 'yes')}${hiddenFields({ ...nameOf(act), ...fields })}
<p>${text}</p>
${address !== undefined && textField({ name: 'typed', label: t`To confirm, enter ${address}`, value: '', errors, attributes })}
<div class="actions">${submit(label, 'danger')} <a class="button second" href="${back}">${t`Cancel`}</a></div></form>`
}
