import { answerFileType, type ResultQuestion } from '../model/application.ts'
import { isTyped, kindsOfTypes, typedValue } from '../model/questionnaire.ts'
import type { AnsweredApplication } from './answers-store.ts'

/** The answers of one application as integrators get them: each with its kind, and a value of that kind. */
export function typedAnswers({ applicationId, screen, files }: AnsweredApplication) {
  return {
    applicationId,
    screen: screen === undefined ? null : { id: screen.id, name: screen.name, successful: screen.successful },
    answers:
      screen === undefined
        ? []
        : screen.questions.map((question, index) =>
            question.kind === 'file'
              ? { ...typedAnswer(question), value: fileValue(applicationId, index, files) }
              : typedAnswer(question),
          ),
  }
}

export type TypedAnswers = ReturnType<typeof typedAnswers>

function typedAnswer(question: ResultQuestion) {
  const { id, type, kind, reference = null, text, answers } = question
  const options = isTyped(type) ? {} : { options: answers.map(each => ({ id: each.id, text: each.text })) }
  return {
    questionId: id,
    kind: kind ?? kindsOfTypes[type],
    reference,
    text,
    ...options,
    value: givenValue(question),
  }
}

function fileValue(applicationId: number, index: number, files: AnsweredApplication['files']) {
  const file = files.find(({ type }) => type === answerFileType(index))
  if (file === undefined) return null
  const { fileName: name, contentType, size, sha256, scan } = file
  const href = `/v1/advertiser/applications/${applicationId}/answers/${index + 1}/file`
  return { name, contentType, size, sha256, scan, href }
}

function givenValue({ type, kind, answers }: ResultQuestion) {
  const chosen = answers.filter(({ selected }) => selected)
  // Job boards may send several addresses as the answer to one question.
  if (isTyped(type)) return typedValue(kind, chosen.map(({ text }) => text).join('\n'))
  if (type === 'True/False') return chosen[0] === undefined ? null : chosen[0].text === 'True'
  const options = chosen.map(({ id, text }) => ({ id, text }))
  return type === 'MultipleChoiceManyAnswers' ? options : (options[0] ?? null)
}
