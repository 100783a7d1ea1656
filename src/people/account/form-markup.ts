import type { FieldError } from '../../core/problems.ts'
import { notice } from '../../web/components.ts'
import { textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { accountTexts } from './texts.ts'

export interface AccountField {
  name: string
  label: string
  type: 'text' | 'email' | 'password'
  autocomplete: string
  value?: string
  hint?: string
  /** Set when two forms on one page have a field of the same name. */
  id?: string
}

/** A required field. */
export function accountField(field: AccountField, errors: readonly FieldError[] = []): Html {
  const { type, autocomplete, value = '', ...rest } = field
  const attributes = html`type="${type}" autocomplete="${autocomplete}" required`
  return textField({ ...rest, value, errors, attributes })
}

/** Lists all errors above the form, each linked to its field. */
export function faultSummary(
  errors: readonly FieldError[],
  ids: Record<string, string> = {},
): Html | undefined {
  if (errors.length === 0) return undefined
  const items = errors.map(
    ({ field, message }) => html`<li><a href="#${ids[field] ?? field}">${message}</a></li>`,
  )
  return notice('problem', html`<p>${accountTexts.lookAgain}</p><ul>${items}</ul>`)
}

export function fault(message: string): Html {
  return notice('problem', message)
}
