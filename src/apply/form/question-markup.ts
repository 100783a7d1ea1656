import type { AnswerType, Question } from '../../model/questionnaire.ts'
import { answerInWords, answerTypeOf, isTyped, statementRead } from '../../model/questionnaire.ts'
import { maxAnswerLength } from '../../model/questionnaire-answers.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { needed, textArea, textField } from '../../platform/web/fields.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { formTexts, questionField } from './form.ts'

interface QuestionMarkup {
  question: Question
  /** Refers to the question in the error summary. */
  number: number
  answer: readonly string[] | string | undefined
  errors: readonly FieldError[]
}

export function questionMarkup(shown: QuestionMarkup): Html {
  const { question } = shown
  if (question.kind === 'statement') return statementMarkup(shown)
  // All text must be typed before the first file: see the form's documents.
  if (question.kind === 'file') return fileLater(shown)
  return isTyped(question.type) ? typedMarkup(shown) : choiceMarkup(shown, question.options)
}

/** A box to tick if the company wants confirmation that a statement was read. */
function statementMarkup(shown: QuestionMarkup): Html {
  const box = { id: statementRead, text: 'I have read this' }
  return shown.question.isRequired
    ? choiceMarkup(shown, [box])
    : html`<div class="field"><span class="quiet">${shown.number}.</span> <span class="question">${isolateBidi(shown.question.text)}</span></div>`
}

function fileLater(shown: QuestionMarkup): Html {
  return html`<div class="field"><span class="label">${labelOf(shown)}</span>
<span class="hint">A file, chosen below, under Documents.</span></div>`
}

/** The question as the label of its field. */
export function labelOf({ question, number }: Pick<QuestionMarkup, 'question' | 'number'>): Html {
  const text = html`<span class="quiet">${number}.</span> <span class="question">${isolateBidi(question.text)}</span>`
  return question.isRequired ? needed(text) : text
}

function typedMarkup(shown: QuestionMarkup): Html {
  const { question, answer, errors } = shown
  const type = answerTypeOf(question)
  const max = maxAnswerLength(question)
  const required = question.isRequired && html` required data-empty="${formTexts.enterAnswer}"`
  const field = {
    name: questionField(question.id),
    label: labelOf(shown),
    hint: hints[type],
    value: typeof answer === 'string' ? answer : '',
    errors,
  }
  if (type === 'URLQuestion')
    return textField({ ...field, attributes: html`type="url" data-most="${max}"${required}` })
  if (type === 'number') return textField({ ...field, attributes: html`inputmode="decimal"${required}` })
  if (type === 'date')
    return textField({ ...field, attributes: html`type="date" min="1900-01-01" max="9999-12-31"${required}` })
  const rows = type === 'longText' ? 14 : 4
  return textArea({ ...field, attributes: html`rows="${rows}" data-most="${max}" data-count${required}` })
}

const hints: { [type in AnswerType]?: string } = {
  URLQuestion: 'A link, for example https://example.com/me',
  number: 'A number, for example 48000 or 7.5',
}

function choiceMarkup(shown: QuestionMarkup, options: readonly { id: string; text: string }[]): Html {
  const { question, answer, errors } = shown
  const name = questionField(question.id)
  const fault = errors.find(({ field }) => field === name)
  const isStatement = question.kind === 'statement'
  const isMany = question.type === 'MultipleChoiceManyAnswers'
  const hasBoxes = isMany || isStatement
  const isWrong = fault !== undefined
  const chosen = new Set(typeof answer === 'string' ? [answer] : answer)
  // ARIA allows required and invalid on a radio group; for checkboxes, only on each box.
  const group =
    !hasBoxes &&
    html` role="radiogroup"${question.isRequired && html` aria-required="true"`}${isWrong && html` aria-invalid="true"`}`
  const described = isWrong && html` aria-describedby="${name}-fault"`
  return html`<fieldset class="choices"${group}${described}${question.isRequired && html` data-empty="${isStatement ? formTexts.confirmRead : formTexts.chooseAnswer}"`}>
<legend>${labelOf(shown)}</legend>
${isMany && html`<span class="hint">Select all that apply.</span>`}
${isWrong && html`<span class="fault" id="${name}-fault">${fault.message}</span>`}
${options.map(
  ({ id, text }, index) =>
    html`<label class="choice"><input type="${hasBoxes ? 'checkbox' : 'radio'}"${index === 0 && html` id="${name}"`} name="${name}" value="${id}" ${flag('checked', chosen.has(id))}${hasBoxes && isWrong && html` aria-invalid="true"`}> <span>${answerInWords(question.type, text)}</span></label>`,
)}
</fieldset>`
}
