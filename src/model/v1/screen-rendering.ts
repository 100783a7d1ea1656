import { sha256Hex } from '../../core/hashing.ts'
import { xmlAttribute, xmlDeclaration, xmlText } from '../../core/xml.ts'
import type { ScreenAnswer, ScreenQuestion, ScreenResult } from '../application.ts'

/** A screen result in both formats, with hash and size of its XML form, which its descriptor shows. */
export interface RenderedScreen {
  json: string
  xml: string
  sha256: string
  size: number
}

export function renderScreen(screen: ScreenResult): RenderedScreen {
  const xml = screenXml(screen)
  return {
    json: JSON.stringify(screenJson(screen)),
    xml,
    sha256: sha256Hex(xml),
    size: Buffer.byteLength(xml),
  }
}

/** Attributes of the XML form become keys with `@`, text becomes `#text`; a Text question has one answer, not a list. */
function screenJson(screen: ScreenResult) {
  const answerJson = (answer: ScreenAnswer) => ({
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

function screenXml(screen: ScreenResult): string {
  const answerXml = (answer: ScreenAnswer) =>
    `<answer${xmlAttribute('id', answer.id)}${answer.selected ? xmlAttribute('selected', 'True') : ''}>` +
    `${xmlText(answer.text)}</answer>`
  const questionXml = (question: ScreenQuestion) =>
    `<question${xmlAttribute('id', question.id)}${xmlAttribute('type', question.type)}` +
    `${xmlAttribute('text', question.text)}>${question.answers.map(answerXml).join('')}</question>`
  return (
    `${xmlDeclaration}<screen${xmlAttribute('id', screen.id)}${xmlAttribute('name', screen.name)}` +
    `${xmlAttribute('successful', outcome(screen))}>${screen.questions.map(questionXml).join('')}</screen>`
  )
}

function outcome(screen: ScreenResult): 'True' | 'False' {
  return screen.successful ? 'True' : 'False'
}
