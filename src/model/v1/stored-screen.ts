import type { QuestionnaireResult, QuestionType, ResultQuestion } from '../application.ts'

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

/** Reads a stored screen result, which is stored as version 1 shows it. */
export function screenIn(json: string): QuestionnaireResult {
  const { screen } = JSON.parse(json) as { screen: ScreenJson }
  return {
    id: screen['@id'],
    name: screen['@name'],
    successful: screen['@successful'] === 'True',
    questions: questionsOf(screen),
  }
}

/** Reads only the questions and answers of a stored screen result. */
export function questionsIn(json: string): ResultQuestion[] {
  return questionsOf((JSON.parse(json) as { screen: ScreenJson }).screen)
}

function questionsOf({ question: questions }: ScreenJson): ResultQuestion[] {
  return questions.map(question => ({
    id: question['@id'],
    type: question['@type'],
    text: question['@text'],
    answers: [question.answer].flat().map(answer => ({
      id: answer['@id'],
      text: answer['#text'],
      selected: answer['@selected'] === 'True',
    })),
  }))
}
