import { type AdRuleSet, earlierPayReason } from '../../model/ad-rules.ts'
import { answerTypeNames } from '../../model/ad-words.ts'
import {
  type AnswerType,
  answerInWords,
  answerTypes,
  isTyped,
  kindOf,
  screenAnswers,
  screenQuestions,
} from '../../model/questionnaire.ts'
import { longTextLength, nameLength, referenceLength } from '../../model/text-lengths.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { badge, notice } from '../../platform/web/components.ts'
import { needed, selectField, textArea, textField, tickBox } from '../../platform/web/fields.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { counterText, numberInWords } from './markup.ts'
import { buttonId, editValue, type QuestionnaireEdit, typesLike } from './questionnaire-edit.ts'
import {
  type OptionForm,
  optionPart,
  type QuestionForm,
  type QuestionnaireForm,
  questionPart,
} from './questionnaire-form.ts'

/** Context of each part of the form, besides its own values. */
interface Surroundings {
  errors: readonly FieldError[]
  /** The field or button that gets the focus. */
  focus: string | undefined
  adRules: readonly AdRuleSet[]
}

export const questionName = (number: number) => `Question ${number}`
const optionName = (option: number, question: number) => `Question ${question}, answer ${option}`

/** Distinguishes buttons with the same label for screen readers. */
const about = (text: string) => html`<span class="visually-hidden"> ${text}</span>`

/** The fields of a questionnaire, all in one form, which the buttons to add, move and remove submit. */
export function questionnaireFieldsMarkup(form: QuestionnaireForm, around: Surroundings): Html {
  const { errors, focus } = around
  return html`<section class="card">
${textField({
  name: 'name',
  label: needed('Questionnaire name'),
  hint: 'For you and your colleagues, such as “Baristas 2027”. Included with each application.',
  value: form.name,
  errors,
  attributes: html`required maxlength="${nameLength}" ${focused('name', focus)}`,
})}
</section>
${form.questions.length === 0 && html`<p class="quiet">No questions yet. Add the first one below.</p>`}
${form.questions.map((question, row) => questionMarkup(question, row, form.questions.length, around))}
${addMarkup(form, around)}`
}

/** Names the question, because the fields of all questions have the same labels. */
export function placeOf(field: string): string | undefined {
  const [, question, option] = /^q-(\d+)-(?:o-(\d+)-)?/.exec(field) ?? []
  if (question === undefined) return undefined
  const number = Number(question) + 1
  return option === undefined ? questionName(number) : optionName(Number(option) + 1, number)
}

function questionMarkup(question: QuestionForm, row: number, count: number, around: Surroundings): Html {
  const { errors, focus } = around
  const forbidden = earlierPayReason(around.adRules, question.text)
  const number = row + 1
  const title = `q-${row}-title`
  const button = (kind: 'up' | 'down' | 'remove', label: string) =>
    editButton({ kind, question: row }, html`${label}${about(`question ${number}`)}`, focus)
  return html`<section class="card" aria-labelledby="${title}">
<div class="builder-head"><h2 class="first" id="${title}">${questionName(number)} ${badge('neutral', answerTypeNames[question.type])}</h2>
<div class="builder-buttons">${row > 0 && button('up', 'Up')}${row < count - 1 && button('down', 'Down')}${button('remove', 'Remove')}</div></div>
${question.id !== '' && html`<input type="hidden" name="${questionPart(row, 'id')}" value="${question.id}">`}
${textArea({
  name: questionPart(row, 'text'),
  label: needed(question.type === 'statement' ? 'Statement' : 'Question'),
  value: question.text,
  errors,
  attributes: html`class="short" rows="2" required data-most="${longTextLength}" data-counter="${counterText}" ${focused(questionPart(row, 'text'), focus)}`,
})}
${forbidden !== undefined && notice('warning', html`<p><strong>This question seems to be about earlier pay.</strong> ${forbidden}</p>`)}
${typeMarkup(question.type, row, errors)}
${tickBox({ name: questionPart(row, 'required'), label: question.type === 'statement' ? 'Candidates confirm that they have read it' : 'Required', isTicked: question.isRequired, errors })}
${textField({
  name: questionPart(row, 'reference'),
  label: 'Your reference',
  hint: 'For your software, which gets it with the answers. Candidates don’t see it.',
  value: question.reference,
  errors,
  attributes: html`maxlength="${referenceLength}"`,
})}
${
  isTyped(question.type)
    ? kindOf(question.type) === undefined &&
      textArea({
        name: questionPart(row, 'passing'),
        label: 'Passing answers',
        hint: 'One per line. Case and extra spaces are ignored. Leave empty if any answer passes.',
        value: question.passing,
        errors,
        attributes: html`class="short" rows="3"`,
      })
    : optionsMarkup(question, row, around)
}
</section>`
}

/** A question can switch between types with the same kind of answer, and keeps its content. */
function typeMarkup(type: AnswerType, row: number, errors: readonly FieldError[]): Html {
  const name = questionPart(row, 'type')
  const types = typesLike(type)
  if (types.length === 1) return html`<input type="hidden" name="${name}" value="${type}">`
  const choices = types.map(id => ({ id, description: answerTypeNames[id] }))
  return selectField({ name, label: 'Answer type', value: type, choices, errors })
}

function optionsMarkup(question: QuestionForm, row: number, around: Surroundings): Html {
  const { options, type } = question
  const { errors, focus } = around
  const isFixed = type === 'True/False'
  const add = { kind: 'add-option', question: row } as const
  const addId = buttonId(add)
  const fault = errors.find(({ field }) => field === addId)
  return html`<fieldset class="choices"${fault && html` aria-describedby="${addId}-fault"`}><legend>Answer options</legend>
<span class="hint">${type === 'MultipleChoiceManyAnswers' ? 'Tick the answers that pass. One of them is enough. If none is ticked, any answer passes.' : 'Tick the answers that pass. If none is ticked, any answer passes.'}</span>
${fault && html`<span class="fault" id="${addId}-fault">${fault.message}</span>`}
${options.map((option, index) =>
  isFixed
    ? fixedOption(option, row, index)
    : optionMarkup(option, { row, index, count: options.length }, around),
)}
${
  !isFixed &&
  options.length < screenAnswers &&
  editButton(add, html`Add an answer${about(`to question ${row + 1}`)}`, focus)
}
</fieldset>`
}

/** The options are always True and False; the form only asks which of them pass. */
function fixedOption({ id, text, passes }: OptionForm, row: number, index: number): Html {
  const name = optionPart(row, index, 'text')
  return html`<div class="option">${hiddenId(id, row, index)}<input type="hidden" name="${name}" value="${text}"><span class="option-text" id="${name}">${answerInWords('True/False', text)}</span>
${passBox(row, index, passes)}</div>`
}

function optionMarkup(
  { id, text, passes }: OptionForm,
  { row, index, count }: { row: number; index: number; count: number },
  { errors, focus }: Surroundings,
): Html {
  const name = optionPart(row, index, 'text')
  const fault = errors.find(({ field }) => field === name)
  const button = (kind: 'option-up' | 'option-down' | 'option-remove', label: string) =>
    editButton({ kind, question: row, option: index }, html`${label}${aboutOption(row, index)}`, focus)
  const attributes = html`id="${name}" name="${name}"${fault && html` aria-invalid="true" aria-describedby="${name}-fault"`} ${focused(name, focus)}`
  // API clients may store multi-line options, which an input element would join.
  const control = text.includes('\n')
    ? html`<textarea class="short" rows="2" ${attributes}>
${text}</textarea>`
    : html`<input value="${text}" ${attributes}>`
  return html`<div class="option">${hiddenId(id, row, index)}
<div class="option-text"><label class="visually-hidden" for="${name}">${optionName(index + 1, row + 1)}</label>
${control}
${fault && html`<span class="fault" id="${name}-fault">${fault.message}</span>`}</div>
${passBox(row, index, passes)}
<div class="builder-buttons">${index > 0 && button('option-up', 'Up')}${index < count - 1 && button('option-down', 'Down')}${button('option-remove', 'Remove')}</div></div>`
}

const aboutOption = (row: number, index: number) => about(`answer ${index + 1} of question ${row + 1}`)

function hiddenId(id: string, row: number, index: number): Html | false {
  return id !== '' && html`<input type="hidden" name="${optionPart(row, index, 'id')}" value="${id}">`
}

function passBox(row: number, index: number, passes: boolean): Html {
  return html`<label class="tick"><input type="checkbox" name="${optionPart(row, index, 'passes')}" value="yes" ${flag('checked', passes)}> Passes${aboutOption(row, index)}</label>`
}

function addMarkup({ questions }: QuestionnaireForm, { errors, focus }: Surroundings): Html {
  const fault = errors.find(({ field }) => field === 'add')
  return html`<section class="card" id="add" tabindex="-1" aria-labelledby="add-title"><h2 class="first" id="add-title">Add a question</h2>
${fault && html`<p class="fault">${fault.message}</p>`}
${
  questions.length >= screenQuestions
    ? html`<p>This questionnaire has ${numberInWords(screenQuestions)} questions, the most allowed.</p>`
    : html`<p class="hint">Choose an answer type.</p>
<div class="builder-buttons">${answerTypes.map(type => editButton({ kind: 'add', type }, answerTypeNames[type], focus))}</div>`
}
</section>`
}

function editButton(edit: QuestionnaireEdit, label: Html | string, focus: string | undefined): Html {
  const id = buttonId(edit)
  return html`<button class="second small" type="submit" id="${id}" name="do" value="${editValue(edit)}" data-edit ${focused(id, focus)}>${label}</button>`
}

function focused(id: string, focus: string | undefined): Html {
  return flag('autofocus', id === focus)
}
