import type { AnswerType, Question, Questionnaire } from '../../model/questionnaire.ts'
import { answerTypeOf, isTyped } from '../../model/questionnaire.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { type ApplyForm, fileFieldNames, fileQuestions } from './form.ts'

/** Limit: Drafts of one person: more are refused until one is sent, discarded or expires. */
export const maxDrafts = 20
/** Limit: Text of one draft as it is stored: 100 answers of two pages each. */
export const draftBytes = 1024 * 1024

/** An answer with its question, which the company may remove. */
export interface DraftAnswer {
  id: string
  type: AnswerType
  question: string
  answer: readonly string[] | string
  /** The answer as a person reads it. */
  words: string[]
}

/** The typed content. A consent is given when sending, so a draft has none. */
export interface DraftContent extends Omit<ApplyForm, 'answers' | 'keepForOthers'> {
  answers: DraftAnswer[]
}

/** The submitted form was made from another version of the draft. */
export class DraftChanged extends Error {}

export interface DraftFile extends ReceivedFile {
  /** Field of the form. */
  field: string
}

export interface Draft {
  /** The form key; an application sent from this draft gets the same key. */
  id: string
  jobAdId: number
  /** Names as they were when the draft was saved. */
  jobTitle: string
  advertiserName: string
  version: number
  savedAt: EpochMs
  expiresAt: EpochMs
  content: DraftContent
  files: DraftFile[]
}

/** A saved answer or file that the company no longer asks for: the page lists it, and it is not sent. */
export interface Dropped {
  question: string
  words: string[]
}

const wordsOf = ({ type, options }: Question, answer: readonly string[] | string): string[] =>
  isTyped(type)
    ? [answer].flat().filter(text => text !== '')
    : options.filter(({ id }) => answer.includes(id)).map(({ text }) => text)

/** The form's answers, and those in `before` that the form lacks because their questions were removed since. */
export function draftOf(
  form: ApplyForm,
  screen: Questionnaire | null,
  before: readonly DraftAnswer[],
): DraftContent {
  const { answers, keepForOthers: _, ...typed } = form
  const questions = screen?.questions ?? []
  return {
    ...typed,
    answers: before
      .filter(({ id }) => !answers.has(id))
      .concat(
        questions.flatMap(question => {
          const answer = answers.get(question.id) ?? ''
          if (answer.length === 0) return []
          const { id, text } = question
          const words = wordsOf(question, answer)
          return [{ id, type: answerTypeOf(question), question: text, answer, words }]
        }),
      ),
  }
}

/** The form as it was saved, without answers to questions and options that were removed or reworded. */
export function formOfDraft(
  { content, files }: Pick<Draft, 'content' | 'files'>,
  screen: Questionnaire | null,
): { form: ApplyForm; dropped: Dropped[] } {
  const dropped: Dropped[] = []
  const answers = new Map<string, readonly string[] | string>()
  for (const { id, type, question, answer, words } of content.answers) {
    const asked = screen?.questions.find(
      each => each.id === id && answerTypeOf(each) === type && each.text === question,
    )
    const isKnown = (option: string) =>
      asked?.options.some(each => each.id === option && words.includes(each.text))
    const hasChoices = asked !== undefined && !isTyped(asked.type)
    const kept = hasChoices ? [answer].flat().filter(isKnown) : answer
    if (asked !== undefined && kept.length > 0) answers.set(id, kept)
    if (asked === undefined || kept.length < answer.length)
      dropped.push({
        question,
        words: words.filter(text => !asked?.options.some(option => option.text === text)),
      })
  }
  const fields = fieldsOf(screen)
  const lost = files.filter(({ field }) => !fields.includes(field)).map(({ fileName }) => fileName)
  if (lost.length > 0) dropped.push({ question: '', words: lost })
  return { form: { ...content, keepForOthers: false, answers }, dropped }
}

/** The file fields of the form. */
export const fieldsOf = (screen: Questionnaire | null): string[] => [
  ...fileFieldNames,
  ...fileQuestions(screen).map(({ field }) => field),
]
