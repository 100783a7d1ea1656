import {
  errorSummary,
  needed,
  selectField,
  textArea,
  textField,
  tickBox,
} from '../../src/platform/web/fields.ts'
import { type Html, html } from '../../src/platform/web/html.ts'
import { componentsTexts } from './texts.ts'

const { fields: texts, summary } = componentsTexts

type Kind = keyof typeof texts.kinds
type State = keyof typeof texts.states
const kinds = Object.keys(texts.kinds) as Kind[]
const states = Object.keys(texts.states) as State[]

const errors = [
  ...kinds.map(kind => ({ field: `${kind}-wrong`, code: 'missing', message: texts.fault })),
  { field: 'tick-wrong', code: 'missing', message: texts.tickFault },
]

/** Each kind of field in every state. */
export function fieldsMarkup(): Html {
  return html`<p>${texts.text}</p>
${kinds.map(kind => html`<div class="card"><h3>${texts.kinds[kind]}</h3><div class="fields">${states.filter(state => kind !== 'select' || state !== 'readonly').map(state => fieldIn(kind, state))}</div></div>`)}
<div class="card"><div class="fields">${textField({ name: 'needed', label: needed(texts.needed), value: '', errors: [], attributes: html`required` })}${textField({ name: 'day', label: texts.date, value: '2026-11-14', errors: [], attributes: html`type="date"` })}
<div class="field"><label for="file">${texts.file}</label><input id="file" name="file" type="file"></div></div>
${tickBox({ name: 'tick', label: texts.tick, hint: texts.hint, isTicked: false, errors })}${tickBox({ name: 'ticked', label: texts.ticked, isTicked: true, errors })}${tickBox({ name: 'tick-wrong', label: texts.tickWrong, isTicked: false, errors })}</div>`
}

function fieldIn(kind: Kind, state: State): Html {
  const field = {
    name: `${kind}-${state}`,
    label: texts.label(texts.kinds[kind], texts.states[state]),
    hint: state === 'hint' || state === 'wrong' ? texts.hint : undefined,
    value: valueIn(state),
    errors,
    attributes: attributesOf(state),
  }
  if (kind === 'text') return textField(field)
  if (kind === 'area') return textArea(field)
  const choice = { id: field.value, description: field.value }
  return selectField({ ...field, none: texts.none, choices: field.value === '' ? [] : [choice] })
}

function valueIn(state: State): string {
  if (state === 'empty' || state === 'wrong') return ''
  if (state === 'long' || state === 'rtl') return texts[state]
  return texts.value
}

function attributesOf(state: State): Html {
  if (state === 'disabled') return html`disabled`
  if (state === 'readonly') return html`readonly`
  return state === 'rtl' ? html`dir="rtl"` : html``
}

export function summaryMarkup(): Html {
  return html`<p>${summary.text}</p>${errorSummary(errors, field => (field === 'tick-wrong' ? undefined : texts.kinds[field.replace('-wrong', '') as Kind]))}`
}
