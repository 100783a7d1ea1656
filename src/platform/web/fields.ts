import type { FieldError } from '../core/problems.ts'
import { notice } from './components.ts'
import { flag, type Html, html } from './html.ts'

/** Form fields, each with its label, hint and error, linked for screen readers. */

interface Field {
  /** Also used as the element ID, so that the error summary can link to it. */
  name: string
  /** The element ID, if two forms on a page have a field of the same name. */
  id?: string | undefined
  label: Html | string
  hint?: string | undefined
  errors: readonly FieldError[]
}

/** Marks a label as required. Screen readers get this from the field itself. */
export function needed(label: Html | string): Html {
  return html`${label} <span class="needed" aria-hidden="true">*</span>`
}

interface TextField extends Field {
  value: string
  /** Further attributes, such as `autocomplete`. */
  attributes?: Html
}

export function textField({ value, attributes, ...field }: TextField): Html {
  return wrapped(
    field,
    html`<input id="${idOf(field)}" name="${field.name}" value="${value}" ${attributes}${described(field)}>`,
  )
}

export function textArea({ value, attributes, ...field }: TextField): Html {
  // Browsers drop the first line break, so add another one.
  return wrapped(
    field,
    html`<textarea id="${idOf(field)}" name="${field.name}" ${attributes}${described(field)}>
${value}</textarea>`,
  )
}

interface SelectField extends Field {
  value: string
  choices: readonly { id: string; description: string }[]
  /** Label of the empty choice; undefined if a choice is required. */
  none?: string
  attributes?: Html
}

export function selectField({ value, choices, none, attributes, ...field }: SelectField): Html {
  // Omits optional end tags, because some lists have hundreds of options.
  const options = choices.map(
    ({ id, description }) => html`<option value="${id}" ${flag('selected', id === value)}>${description}`,
  )
  return wrapped(
    field,
    html`<select id="${idOf(field)}" name="${field.name}" ${attributes}${described(field)}>
${none !== undefined && html`<option value="">${none}`}${options}</select>`,
  )
}

/** `kinds`: the file extensions that it offers. */
export function fileField({
  kinds,
  isRequired,
  isSaved,
  ...field
}: Field & { kinds: readonly string[]; isRequired?: boolean; isSaved?: boolean }): Html {
  return wrapped(
    field,
    html`<input type="file" id="${idOf(field)}" name="${field.name}"${isRequired && html` required`}${isSaved && html` data-saved`} accept="${kinds.map(kind => `.${kind}`).join()}"${described(field)}>`,
  )
}

/** The field for the image that `receiveLogo` reads. */
export const logoField = (field: Pick<Field, 'label' | 'errors'>): Html =>
  fileField({
    ...field,
    name: 'logo',
    hint: 'SVG or PNG, at most 64 KiB and 2048 pixels. A square image on a plain background works best.',
    kinds: ['svg', 'png'],
  })

export function tickBox({ isTicked, ...field }: Field & { isTicked: boolean }): Html {
  return html`<div class="field"><label class="tick"><input type="checkbox" id="${idOf(field)}" name="${field.name}" value="yes" ${flag('checked', isTicked)}${described(field)}> ${field.label}</label>
${hintOf(field)}${faultNote(field)}</div>`
}

function wrapped(field: Field, control: Html): Html {
  return html`<div class="field"><label for="${idOf(field)}">${field.label}</label>
${hintOf(field)}${control}
${faultNote(field)}</div>`
}

const idOf = ({ id, name }: Field) => id ?? name

const hintOf = (field: Field) =>
  field.hint !== undefined && html`<span class="hint" id="${idOf(field)}-hint">${field.hint}</span>`

function faultNote(field: Field): Html | false {
  const fault = faultOf(field)
  return fault !== undefined && html`<span class="fault" id="${idOf(field)}-fault">${fault}</span>`
}

function described(field: Field): Html {
  const isWrong = faultOf(field) !== undefined
  const id = idOf(field)
  const ids = [field.hint !== undefined && `${id}-hint`, isWrong && `${id}-fault`].filter(
    note => note !== false,
  )
  return html`${isWrong && html` aria-invalid="true"`}${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}`
}

function faultOf({ errors, name }: Field): string | undefined {
  const fault = errors.find(({ field }) => field === name)
  return fault && typeset(fault.message)
}

/**
 * A message with typographic apostrophes: API callers also get some of these messages, with straight apostrophes that
 * must not change.
 */
export const typeset = (message: string): string => message.replaceAll("n't ", 'n’t ')

/**
 * A summary of errors that takes the focus, each linked to its field; empty without errors. `placeOf` distinguishes
 * fields with the same label; `ids` has the element IDs that differ from the field's name.
 */
export function errorSummary(
  errors: readonly FieldError[],
  placeOf: (field: string) => string | undefined = () => undefined,
  lead: string = 'Not saved yet.',
  ids: Readonly<Record<string, string>> = {},
): Html {
  if (errors.length === 0) return html``
  const lines = errors.map(({ field, message }) => {
    const place = placeOf(field)
    return html`<li><a href="#${ids[field] ?? field}">${place !== undefined && `${place}: `}${typeset(message)}</a></li>`
  })
  return notice(
    'problem',
    html`<p>${lead !== '' && html`<strong>${lead}</strong> `}Please check the following:</p>
<ul>${lines}</ul>`,
  )
}

/** Filters the entries of a log: a group of actions and a range of days. */
export function filterBar({
  path,
  groups,
  typed,
  timeZone,
}: {
  path: string
  /** Groups with their labels. */
  groups: Readonly<Record<string, string>>
  typed: { action: string; from: string; to: string }
  timeZone: string
}): Html {
  const options = Object.entries(groups).map(
    ([group, label]) =>
      html`<option value="${group}" ${flag('selected', group === typed.action)}>${label}</option>`,
  )
  return html`<form class="filters" method="get" action="${path}">
<div class="field"><label for="action">What</label><select id="action" name="action"><option value="">Everything</option>${options}</select></div>
<div class="field"><label for="from">From</label><input id="from" name="from" type="date" value="${typed.from}"></div>
<div class="field"><label for="to">Up to</label><input id="to" name="to" type="date" value="${typed.to}"></div>
<div class="actions"><button class="second" type="submit">Show entries</button></div></form>
<p class="quiet">Days and times are in ${timeZone} time.</p>`
}
