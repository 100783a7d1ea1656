import type { QuestionnaireResult, ResultAnswer } from './application.ts'
import {
  type Answers,
  chosenIds,
  enteredText,
  isTyped,
  type Question,
  type Questionnaire,
} from './questionnaire.ts'

/** Takes a snapshot of the questionnaire with the answers and the outcome, for the application. */
export function questionnaireResult(questionnaire: Questionnaire, answers: Answers): QuestionnaireResult {
  return {
    id: String(questionnaire.id),
    name: questionnaire.name,
    successful: questionnaire.questions.every(question => passes(question, answers)),
    questions: questionnaire.questions.map(question => ({
      id: question.id,
      type: question.type,
      ...(question.kind !== undefined && { kind: question.kind }),
      ...(question.reference !== undefined && { reference: question.reference }),
      text: question.text,
      answers: answersOf(question, answers),
    })),
  }
}

/** If no answer is marked as passing, any answer passes, and so does a missing one unless an answer is required. */
export function passes(question: Question, answers: Answers): boolean {
  // Whether a required file was sent is checked once all files have arrived.
  if (question.kind === 'file') return true
  if (isTyped(question.type)) {
    const entered = enteredText(question, answers)
    if (question.passingTexts.length === 0) return entered !== '' || !question.isRequired
    // Once, not per passing text: a long answer takes milliseconds.
    const answer = comparable(entered)
    return entered !== '' && question.passingTexts.some(text => comparable(text) === answer)
  }
  const ids = chosenIds(question, answers)
  const chosen = question.options.filter(({ id }) => ids.has(id))
  if (!question.options.some(option => option.passes)) return chosen.length > 0 || !question.isRequired
  return chosen.some(option => option.passes)
}

/** Ignores case and extra spaces, and normalises accents, which keyboards and systems encode differently. */
function comparable(text: string): string {
  return text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
}

function answersOf(question: Question, answers: Answers): ResultAnswer[] {
  if (isTyped(question.type)) {
    const text = enteredText(question, answers)
    // Version 1 shows one answer with its own ID, even if nothing was entered.
    return [{ id: `${question.id}-1`, text, selected: text !== '' }]
  }
  const chosen = chosenIds(question, answers)
  return question.options.map(({ id, text }) => ({ id, text, selected: chosen.has(id) }))
}
