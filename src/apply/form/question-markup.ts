import type { FieldError } from '../../core/problems.ts'
import type { Question } from '../../model/questionnaire.ts'
import { answerInWords, isTyped } from '../../model/questionnaire.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { needed, textArea, textField } from '../../web/fields.ts'
import { flag, type Html, html } from '../../web/html.ts'
import { type FormLimits, formTexts, questionField } from './form.ts'
import { applyTexts as texts } from './texts.ts'

interface QuestionMarkup {
  question: Question
  /** Used to refer to the question in the error summary. */
  number: number
  answer: readonly string[] | string | undefined
  errors: readonly FieldError[]
  limits: FormLimits
}

export function questionMarkup(shown: QuestionMarkup): Html {
  return isTyped(shown.question.type) ? typedMarkup(shown) : choiceMarkup(shown)
}

function labelOf({ question, number }: QuestionMarkup): Html {
  const text = html`<span class="quiet">${number}.</span> <span class="question">${isolateBidi(question.text)}</span>`
  return question.isRequired ? needed(text) : text
}

function typedMarkup(shown: QuestionMarkup): Html {
  const { question, answer, errors, limits } = shown
  const isUrl = question.type === 'URLQuestion'
  const most = isUrl ? limits.urlAnswerLength : limits.longTextLength
  const required = question.isRequired && html` required data-empty="${formTexts.enterAnswer}"`
  const field = {
    name: questionField(question.id),
    label: labelOf(shown),
    hint: isUrl ? texts.urlHint : undefined,
    value: typeof answer === 'string' ? answer : '',
    errors,
  }
  return isUrl
    ? textField({ ...field, attributes: html`type="url" data-most="${most}"${required}` })
    : textArea({ ...field, attributes: html`rows="4" data-most="${most}" data-count${required}` })
}

function choiceMarkup(shown: QuestionMarkup): Html {
  const { question, answer, errors } = shown
  const name = questionField(question.id)
  const fault = errors.find(({ field }) => field === name)
  const isMany = question.type === 'MultipleChoiceManyAnswers'
  const isWrong = fault !== undefined
  const chosen = new Set(typeof answer === 'object' ? answer : [])
  // ARIA allows required and invalid on a radio group; for checkboxes, only on each box.
  const group =
    !isMany &&
    html` role="radiogroup"${question.isRequired && html` aria-required="true"`}${isWrong && html` aria-invalid="true"`}`
  const described = isWrong && html` aria-describedby="${name}-fault"`
  return html`<fieldset class="choices"${group}${described}${question.isRequired && html` data-empty="${formTexts.chooseAnswer}"`}>
<legend>${labelOf(shown)}</legend>
${isMany && html`<span class="hint">${texts.tickAll}</span>`}
${isWrong && html`<span class="fault" id="${name}-fault">${fault.message}</span>`}
${question.options.map(
  ({ id, text }, index) =>
    html`<label class="choice"><input type="${isMany ? 'checkbox' : 'radio'}"${index === 0 && html` id="${name}"`} name="${name}" value="${id}" ${flag('checked', chosen.has(id))}${isMany && isWrong && html` aria-invalid="true"`}> <span>${answerInWords(question.type, text)}</span></label>`,
)}
</fieldset>`
}
