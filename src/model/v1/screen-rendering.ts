import { sha256Hex } from '../../platform/core/hashing.ts'
import { xmlAttribute, xmlDeclaration, xmlText } from '../../platform/core/xml.ts'
import type { QuestionnaireResult, ResultAnswer, ResultQuestion } from '../application.ts'

/** The details of a question that are stored beside the rendering of version 1. */
export type QuestionDetails = Pick<ResultQuestion, 'kind' | 'reference'>

/** A screen result in both formats, with hash and size of its XML form, which its descriptor shows. */
export interface RenderedScreen {
  json: string
  xml: string
  sha256: string
  size: number
  /** Kinds and references of the questions as JSON, which version 1 does not show; null if there are none. */
  details: string | null
}

export function renderScreen(screen: QuestionnaireResult): RenderedScreen {
  const xml = screenXml(screen)
  return {
    json: JSON.stringify(screenJson(screen)),
    xml,
    sha256: sha256Hex(xml),
    size: Buffer.byteLength(xml),
    details: detailsOf(screen),
  }
}

function detailsOf({ questions }: QuestionnaireResult): string | null {
  if (questions.every(({ kind, reference }) => kind === undefined && reference === undefined)) return null
  return JSON.stringify(
    questions.map(
      ({ kind, reference }): QuestionDetails => ({
        ...(kind !== undefined && { kind }),
        ...(reference !== undefined && { reference }),
      }),
    ),
  )
}

/** Attributes of the XML form become keys with `@`, text becomes `#text`; a Text question has one answer, not a list. */
function screenJson(screen: QuestionnaireResult) {
  const answerJson = (answer: ResultAnswer) => ({
    '@id': answer.id,
    ...(answer.selected ? { '@selected': 'True' } : {}),
    '#text': answer.text,
  })
  return {
    screen: {
      '@id': screen.id,
      '@name': screen.name,
      '@successful': outcome(screen),
      question: screen.questions.map(question => {
        const answers = question.answers.map(answerJson)
        return {
          '@id': question.id,
          '@type': question.type,
          '@text': question.text,
          answer: question.type === 'Text' ? answers[0] : answers,
        }
      }),
    },
  }
}

function screenXml(screen: QuestionnaireResult): string {
  const answerXml = (answer: ResultAnswer) =>
    `<answer${xmlAttribute('id', answer.id)}${answer.selected ? xmlAttribute('selected', 'True') : ''}>` +
    `${xmlText(answer.text)}</answer>`
  const questionXml = (question: ResultQuestion) =>
    `<question${xmlAttribute('id', question.id)}${xmlAttribute('type', question.type)}` +
    `${xmlAttribute('text', question.text)}>${question.answers.map(answerXml).join('')}</question>`
  return (
    `${xmlDeclaration}<screen${xmlAttribute('id', screen.id)}${xmlAttribute('name', screen.name)}` +
    `${xmlAttribute('successful', outcome(screen))}>${screen.questions.map(questionXml).join('')}</screen>`
  )
}

function outcome(screen: QuestionnaireResult): 'True' | 'False' {
  return screen.successful ? 'True' : 'False'
}
