import type { ApplicationDraft, QuestionnaireResult } from '../../model/application.ts'
import type { Answers } from '../../model/questionnaire.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { isEmail, normaliseEmail } from '../../platform/core/email.ts'
import {
  closedObject,
  documentAs,
  numericId,
  optional,
  readJson,
  time,
} from '../../platform/core/input/json-body.ts'
import { type Static, Type } from '../../platform/core/input/json-schema.ts'
import { Problem } from '../../platform/core/problems.ts'
import { applicant, draftOf, inSentNames, ResultBody } from '../application-json.ts'
import { checkDraft } from '../draft-check.ts'

/** Answers to a questionnaire stored here, or the result of one that only the job board has. */
export type SentQuestionnaire =
  | { screenId: number | undefined; answers: Answers }
  | { result: QuestionnaireResult }

export interface IntakeRequest {
  advertiserId: number
  jobAdId: number | undefined
  /** The time by the job board's clock; if undefined, the time of arrival is used. */
  submittedAt: EpochMs | undefined
  applicant: Omit<ApplicationDraft, 'files' | 'screen'>
  screen: SentQuestionnaire | undefined
}

const Id = numericId('A number, or a string of digits.')

const Answer = closedObject(
  {
    questionId: Type.String(),
    answerIds: optional(
      Type.Array(Type.String(), { description: 'The chosen options, for a question that has options.' }),
    ),
    text: optional(
      Type.String({
        maxLength: 20_000,
        description:
          'The answer to a Text question or a URLQuestion, of up to 10,000 characters, or 2,000 for a URLQuestion. A Text question with a kind takes: a number with a point, such as 48000 or 7.5; a date as YYYY-MM-DD; a long text of up to 20,000 characters; `Read` for a statement.',
      }),
    ),
  },
  {
    rules(_answer, refuse, isSent) {
      if (isSent('answerIds') !== isSent('text')) return
      refuse('text', 'ambiguous', 'or answerIds must be sent, but not both')
    },
  },
)

const answered = { screenId: optional(Id), answers: Type.Array(Answer) }
const finished = { result: ResultBody }

/** The API document shows both forms; one object with the fields of both can report which one was sent. */
const Screen = documentAs(
  Type.Union([
    closedObject(answered, {
      description: "Answers to one of the advertiser's screens: the job ad's, if screenId is left out.",
    }),
    closedObject(finished, {
      description: "The job board's own questionnaire, with the candidate's answers.",
    }),
  ]),
  closedObject(
    { result: optional(ResultBody), screenId: answered.screenId, answers: optional(answered.answers) },
    {
      rules({ answers = [] }, refuse, isSent) {
        if (!isSent('result') && !isSent('answers')) {
          refuse('answers', 'required', 'must be sent, unless result is sent')
        }
        if (isSent('result') && (isSent('screenId') || isSent('answers'))) {
          refuse('result', 'ambiguous', 'must be sent without screenId and answers')
        }
        const taken = new Set<string>()
        answers.forEach(({ questionId }, index) => {
          if (taken.has(questionId)) {
            const is = 'must not repeat: this question already has an answer'
            refuse(`answers[${index}].questionId`, 'repeated', is)
          }
          if (questionId !== undefined) taken.add(questionId)
        })
      },
    },
  ),
)

/** Describes the `application` part. */
export const Application = closedObject(
  {
    advertiserId: Id,
    jobAdId: optional(Id),
    submitted: optional(
      time(
        "When the candidate applied: not in the future, and not before the advertiser's newest application. Defaults to the time of arrival.",
      ),
    ),
    ...applicant,
    screen: optional(Screen),
  },
  { description: 'JSON. Send it before the files.' },
)

/** Parses the `application` part; throws one error listing all invalid fields. */
export function readIntakeRequest(application: unknown, now: EpochMs): IntakeRequest {
  const { advertiserId, jobAdId, submitted, screen, ...sent } = readJson(Application, application, {
    rules({ submitted: at = 0 }, refuse) {
      if (at > now) refuse('submitted', 'in-the-future', 'must not be in the future')
    },
  })
  const applicant = draftOf(sent)
  const result = screen?.result === undefined ? {} : { screen: screen.result }
  const errors = checkDraft({ ...applicant, ...result, files: [] }).map(inSentNames)
  // Sign-up has the same rule: another spelling would hide an application from its candidate's requests.
  if (
    errors.every(({ code }) => code !== 'not-an-address') &&
    !isEmail(normaliseEmail(applicant.contact.email))
  )
    errors.push({
      field: 'contact.email',
      code: 'not-an-address',
      message: 'contact.email must be an email address.',
    })
  if (errors.length > 0) {
    throw new Problem('invalid-fields', 'Some fields are invalid.', { errors })
  }
  return {
    advertiserId,
    jobAdId,
    submittedAt: submitted,
    applicant,
    screen: screen && sentQuestionnaire(screen),
  }
}

function sentQuestionnaire({ result, screenId, answers = [] }: Static<typeof Screen>): SentQuestionnaire {
  if (result !== undefined) return { result }
  return {
    screenId,
    answers: new Map(answers.map(each => [each.questionId, each.text ?? each.answerIds ?? []])),
  }
}
