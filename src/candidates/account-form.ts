import type { FieldError } from '../core/problems.ts'
import { flag, type Html, html } from '../web/html.ts'

export interface TextField {
  name: string
  label: string
  type: 'text' | 'email' | 'password'
  autocomplete: string
  value?: string
  hint?: string
  /** Set where two forms of one page have a field of the same name. */
  id?: string
}

/** A labelled field, with what is wrong about it said where it is and read out with it. */
export function textField(field: TextField, errors: readonly FieldError[] = []): Html {
  const { name, label, type, autocomplete, value, hint, id = name } = field
  const error = errors.find(found => found.field === name)
  const notes = [hint && `${id}-hint`, error && `${id}-fault`].filter(note => note !== undefined).join(' ')
  return html`<div class="field"><label for="${id}">${label}</label>
${hint && html`<span class="hint" id="${id}-hint">${hint}</span>`}
${error && html`<span class="fault" id="${id}-fault">${error.message}</span>`}
<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}"${
    value !== undefined && html` value="${value}"`
  }${error !== undefined && html` aria-invalid="true"`}${
    notes !== '' && html` aria-describedby="${notes}"`
  } ${flag('required', true)}></div>`
}

/** Everything that is wrong, before the form, with a way to each field. */
export function faultSummary(
  errors: readonly FieldError[],
  ids: Record<string, string> = {},
): Html | undefined {
  if (errors.length === 0) return undefined
  const items = errors.map(
    ({ field, message }) => html`<li><a href="#${ids[field] ?? field}">${message}</a></li>`,
  )
  return html`<div class="problem" role="alert"><p>Please look at this again:</p><ul>${items}</ul></div>`
}

export function fault(message: string): Html {
  return html`<div class="problem" role="alert"><p>${message}</p></div>`
}
