import type { EpochMs } from '../../core/clock.ts'
import { type JsonFields, readJsonObject } from '../../core/input/json-fields.ts'
import { Problem } from '../../core/problems.ts'
import type { ApplicationDraft, QuestionnaireResult } from '../../model/application.ts'
import type { Answers } from '../../model/questionnaire.ts'
import { inSentNames, readApplicant, readQuestionnaireResult } from '../application-json.ts'
import { checkDraft, type DraftLimits } from '../draft-check.ts'

/** Answers to a questionnaire stored here, or the result of one that only the job board has. */
export type SentQuestionnaire =
  | { screenId: number | undefined; answers: Answers }
  | { result: QuestionnaireResult }

export interface IntakeRequest {
  advertiserId: number
  jobAdId: number | undefined
  /** By the job board's clock; if undefined, the time of arrival is used. */
  submittedAt: EpochMs | undefined
  applicant: Omit<ApplicationDraft, 'files' | 'screen'>
  screen: SentQuestionnaire | undefined
}

/** Reads the `application` part; throws with every invalid field at once. */
export function readIntakeRequest(application: unknown, limits: DraftLimits, now: EpochMs): IntakeRequest {
  const request = readJsonObject(application, fields => ({
    advertiserId: fields.id('advertiserId'),
    jobAdId: optionalId(fields, 'jobAdId'),
    submittedAt: readSubmitted(fields, now),
    applicant: readApplicant(fields),
    screen: fields.optionalObject('screen', readQuestionnaire),
  }))
  const { applicant, screen } = request
  const result = screen !== undefined && 'result' in screen ? { screen: screen.result } : {}
  const errors = checkDraft({ ...applicant, ...result, files: [] }, limits).map(inSentNames)
  if (errors.length > 0) {
    throw new Problem('invalid-fields', 'Some fields are invalid.', { errors })
  }
  return request
}

function optionalId(fields: JsonFields, key: string): number | undefined {
  return fields.isSent(key) ? fields.id(key) : undefined
}

function readSubmitted(fields: JsonFields, now: EpochMs): EpochMs | undefined {
  const submittedAt = fields.optionalTime('submitted')
  if (submittedAt !== undefined && submittedAt > now) {
    fields.refuse('submitted', 'in-the-future', 'must not be in the future')
  }
  return submittedAt
}

function readQuestionnaire(fields: JsonFields): SentQuestionnaire {
  const result = fields.optionalObject('result', readQuestionnaireResult)
  const screenId = optionalId(fields, 'screenId')
  const answers = readAnswers(fields)
  if (!fields.isSent('result')) {
    if (!fields.isSent('answers')) fields.refuse('answers', 'required', 'must be sent, unless result is sent')
    return { screenId, answers }
  }
  if (fields.isSent('screenId') || fields.isSent('answers')) {
    fields.refuse('result', 'ambiguous', 'must be sent without screenId and answers')
  }
  return { result: result ?? { id: '', name: '', successful: false, questions: [] } }
}

function readAnswers(screen: JsonFields): Answers {
  const answers = new Map<string, string[] | string>()
  screen.list('answers', fields => {
    const questionId = fields.text('questionId')
    const chosen = fields.texts('answerIds')
    const text = fields.optionalText('text')
    if (answers.has(questionId))
      fields.refuse('questionId', 'repeated', 'must not repeat: this question already has an answer')
    if (fields.isSent('answerIds') === fields.isSent('text')) {
      fields.refuse('text', 'ambiguous', 'or answerIds must be sent, but not both')
    }
    answers.set(questionId, text ?? chosen)
  })
  return answers
}
