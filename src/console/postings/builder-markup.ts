import type { FieldError } from '../../core/problems.ts'
import type { Limits } from '../../limits.ts'
import { type QuestionType, questionTypes } from '../../model/application.ts'
import { answerInWords, isTyped } from '../../model/questionnaire.ts'
import { needed, selectField, textArea, textField, tickBox } from '../../web/fields.ts'
import { flag, type Html, html } from '../../web/html.ts'
import { buttonId, editValue, kindsLike, type QuestionnaireEdit } from './questionnaire-edit.ts'
import {
  type OptionForm,
  optionPart,
  type QuestionForm,
  type QuestionnaireForm,
  questionPart,
} from './questionnaire-form.ts'
import { questionnaireTexts as texts } from './questionnaires-texts.ts'
import { postingTexts } from './texts.ts'

export type QuestionnaireFormLimits = Pick<
  Limits,
  'nameLength' | 'longTextLength' | 'screenQuestions' | 'screenAnswers'
>

/** What each part of the form needs besides its own values. */
interface Surroundings {
  errors: readonly FieldError[]
  limits: QuestionnaireFormLimits
  /** The field or button that gets the focus. */
  focus: string | undefined
}

/** The fields of a questionnaire. All of them are in one form: the buttons to add, move and remove submit it. */
export function questionnaireFieldsMarkup(form: QuestionnaireForm, around: Surroundings): Html {
  const { errors, limits, focus } = around
  return html`<section class="card">
${textField({
  name: 'name',
  label: needed(texts.name),
  hint: texts.nameHint,
  value: form.name,
  errors,
  attributes: html`required maxlength="${limits.nameLength}" ${focused('name', focus)}`,
})}
</section>
${form.questions.length === 0 && html`<p class="quiet">${texts.noQuestions}</p>`}
${form.questions.map((question, row) => questionMarkup(question, row, form.questions.length, around))}
${addMarkup(form, around)}`
}

/** Names the question, because the fields of all questions have the same labels. */
export function placeOf(field: string): string | undefined {
  const [, question, option] = /^q-(\d+)-(?:o-(\d+)-)?/.exec(field) ?? []
  if (question === undefined) return undefined
  const number = Number(question) + 1
  return option === undefined ? texts.question(number) : texts.answerPlace(Number(option) + 1, number)
}

function questionMarkup(
  question: QuestionForm,
  row: number,
  count: number,
  { errors, limits, focus }: Surroundings,
): Html {
  const number = row + 1
  const title = `q-${row}-title`
  const about = texts.ofQuestion(number)
  const button = (kind: 'up' | 'down' | 'remove', label: string) =>
    editButton({ kind, question: row }, html`${label}${about}`, focus)
  return html`<section class="card" aria-labelledby="${title}">
<div class="builder-head"><h2 class="first" id="${title}">${texts.question(number)} <span class="badge neutral">${texts.kinds[question.type]}</span></h2>
<div class="builder-buttons">${row > 0 && button('up', texts.up)}${row < count - 1 && button('down', texts.down)}${button('remove', texts.remove)}</div></div>
${question.id !== '' && html`<input type="hidden" name="${questionPart(row, 'id')}" value="${question.id}">`}
${textArea({
  name: questionPart(row, 'text'),
  label: needed(texts.questionText),
  value: question.text,
  errors,
  attributes: html`class="short" rows="2" required data-most="${limits.longTextLength}" data-counter="${postingTexts.counter}" ${focused(questionPart(row, 'text'), focus)}`,
})}
${kindMarkup(question.type, row, errors)}
${tickBox({ name: questionPart(row, 'required'), label: texts.required, isTicked: question.isRequired, errors })}
${
  isTyped(question.type)
    ? textArea({
        name: questionPart(row, 'passing'),
        label: texts.passing,
        hint: texts.passingTextHint,
        value: question.passing,
        errors,
        attributes: html`class="short" rows="3"`,
      })
    : optionsMarkup(question, row, { errors, limits, focus })
}
</section>`
}

/** A question can switch between types that share the same kind of answer, and keeps its content. */
function kindMarkup(type: QuestionType, row: number, errors: readonly FieldError[]): Html {
  const name = questionPart(row, 'type')
  const kinds = kindsLike(type)
  if (kinds.length === 1) return html`<input type="hidden" name="${name}" value="${type}">`
  const choices = kinds.map(id => ({ id, description: texts.kinds[id] }))
  return selectField({ name, label: texts.kind, value: type, choices, errors })
}

function optionsMarkup(question: QuestionForm, row: number, around: Surroundings): Html {
  const { options, type } = question
  const { errors, limits, focus } = around
  const isFixed = type === 'True/False'
  const add = { kind: 'add-option', question: row } as const
  const addId = buttonId(add)
  const fault = errors.find(({ field }) => field === addId)
  return html`<fieldset class="choices"${fault && html` aria-describedby="${addId}-fault"`}><legend>${texts.answers}</legend>
<span class="hint">${type === 'MultipleChoiceManyAnswers' ? texts.passingManyHint : texts.passingHint}</span>
${fault && html`<span class="fault" id="${addId}-fault">${fault.message}</span>`}
${options.map((option, index) =>
  isFixed
    ? fixedOption(option, row, index)
    : optionMarkup(option, { row, index, count: options.length }, around),
)}
${
  !isFixed &&
  options.length < limits.screenAnswers &&
  editButton(add, html`${texts.addAnswer}${texts.toQuestion(row + 1)}`, focus)
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
  const about = texts.answerOf(index + 1, row + 1)
  const fault = errors.find(({ field }) => field === name)
  const button = (kind: 'option-up' | 'option-down' | 'option-remove', label: string) =>
    editButton({ kind, question: row, option: index }, html`${label}${about}`, focus)
  const attributes = html`id="${name}" name="${name}"${fault && html` aria-invalid="true" aria-describedby="${name}-fault"`} ${focused(name, focus)}`
  // API clients may store options of several lines, which an input element would join.
  const control = text.includes('\n')
    ? html`<textarea class="short" rows="2" ${attributes}>
${text}</textarea>`
    : html`<input value="${text}" ${attributes}>`
  return html`<div class="option">${hiddenId(id, row, index)}
<div class="option-text"><label class="for-readers" for="${name}">${texts.answerPlace(index + 1, row + 1)}</label>
${control}
${fault && html`<span class="fault" id="${name}-fault">${fault.message}</span>`}</div>
${passBox(row, index, passes)}
<div class="builder-buttons">${index > 0 && button('option-up', texts.up)}${index < count - 1 && button('option-down', texts.down)}${button('option-remove', texts.remove)}</div></div>`
}

function hiddenId(id: string, row: number, index: number): Html | false {
  return id !== '' && html`<input type="hidden" name="${optionPart(row, index, 'id')}" value="${id}">`
}

function passBox(row: number, index: number, passes: boolean): Html {
  return html`<label class="tick"><input type="checkbox" name="${optionPart(row, index, 'passes')}" value="yes" ${flag('checked', passes)}> ${texts.passes}${texts.answerOf(index + 1, row + 1)}</label>`
}

function addMarkup({ questions }: QuestionnaireForm, { limits, errors, focus }: Surroundings): Html {
  const fault = errors.find(({ field }) => field === 'add')
  return html`<section class="card" id="add" tabindex="-1" aria-labelledby="add-title"><h2 class="first" id="add-title">${texts.add}</h2>
${fault && html`<p class="fault">${fault.message}</p>`}
${
  questions.length >= limits.screenQuestions
    ? html`<p>${texts.full(limits.screenQuestions)}</p>`
    : html`<p class="hint">${texts.addHint}</p>
<div class="builder-buttons">${questionTypes.map(type => editButton({ kind: 'add', type }, texts.kinds[type], focus))}</div>`
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
