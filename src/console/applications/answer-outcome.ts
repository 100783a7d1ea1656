import type { ResultQuestion } from '../../model/application.ts'
import type { Question, Questionnaire } from '../../model/questionnaire.ts'
import { isTyped } from '../../model/questionnaire.ts'
import { passes } from '../../model/questionnaire-outcome.ts'

/**
 * Whether an answer passes the current questionnaire. An application stores questions, answers and the overall result,
 * but not which answers pass. Undefined if that is unknown: the question was removed or reworded, or any answer passes.
 */
export function passesNow(
  answered: ResultQuestion,
  questionnaire: Questionnaire | undefined,
): boolean | undefined {
  const question = questionnaire?.questions.find(({ id }) => id === answered.id)
  if (question === undefined || !isSame(question, answered) || !isDecisive(question)) return undefined
  const given = answered.answers.filter(({ selected }) => selected)
  const answer = isTyped(question.type) ? (given[0]?.text ?? '') : given.map(({ id }) => id)
  return passes(question, new Map([[question.id, answer]]))
}

function isSame(question: Question, answered: ResultQuestion): boolean {
  if (question.type !== answered.type || question.text !== answered.text) return false
  return (
    isTyped(question.type) ||
    (question.options.length === answered.answers.length &&
      question.options.every(({ id, text }) => {
        const option = answered.answers.find(answer => answer.id === id)
        return option?.text === text
      }))
  )
}

function isDecisive({ isRequired, options, passingTexts }: Question): boolean {
  return isRequired || passingTexts.length > 0 || options.some(option => option.passes)
}
