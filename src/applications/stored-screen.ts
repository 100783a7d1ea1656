import type { QuestionType, ScreenQuestion } from './rules.ts'

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

/** The questions and answers of a screen result as it is stored, which is as version 1 shows it. */
export function questionsIn(json: string): ScreenQuestion[] {
  const { screen } = JSON.parse(json) as { screen: { question: QuestionJson[] } }
  return screen.question.map(question => ({
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
