import type { QuestionnaireResult, QuestionType, ResultQuestion } from '../application.ts'
import type { QuestionDetails, RenderedScreen } from './screen-rendering.ts'

interface AnswerJson {
  '@id': string
  '@selected'?: string
  '#text': string
}

interface QuestionJson {
  '@id': string
  '@type': QuestionType
  '@text': string
  answer: AnswerJson | AnswerJson[]
}

interface ScreenJson {
  '@id': string
  '@name': string
  '@successful': 'True' | 'False'
  question: QuestionJson[]
}

/** A screen result is stored as version 1 shows it, with the details that version 1 cannot show stored separately. */
export type StoredScreen = Pick<RenderedScreen, 'json' | 'details'>

export function screenIn(stored: StoredScreen): QuestionnaireResult {
  const { screen } = JSON.parse(stored.json) as { screen: ScreenJson }
  return {
    id: screen['@id'],
    name: screen['@name'],
    successful: screen['@successful'] === 'True',
    questions: questionsOf(screen, stored.details),
  }
}

/** Reads only the questions and answers of a stored screen result. */
export function questionsIn({ json, details }: StoredScreen): ResultQuestion[] {
  return questionsOf((JSON.parse(json) as { screen: ScreenJson }).screen, details)
}

function questionsOf({ question: questions }: ScreenJson, details: string | null): ResultQuestion[] {
  const ofQuestions: QuestionDetails[] = details === null ? [] : JSON.parse(details)
  return questions.map((question, index) => ({
    id: question['@id'],
    type: question['@type'],
    ...ofQuestions[index],
    text: question['@text'],
    answers: [question.answer].flat().map(answer => ({
      id: answer['@id'],
      text: answer['#text'],
      selected: answer['@selected'] === 'True',
    })),
  }))
}
