import { Type } from 'typebox'
import {
  contentResponse,
  idempotencyHeaders,
  optional,
  problemResponses,
  rateLimitHeaders,
  replayedHeader,
  text,
} from '../../http/documents.ts'
import { fileTypes, questionTypes } from '../../model/application.ts'

const closed = { additionalProperties: false }
const Id = Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^\\d+$' })], {
  description: 'A number, or a text of digits.',
})
const File = Type.Optional(Type.String({ format: 'binary', description: 'pdf, doc, docx, rtf or txt.' }))

const Answered = Type.Object(
  {
    screenId: optional(Id),
    answers: Type.Array(
      Type.Object(
        {
          questionId: Type.String(),
          answerIds: optional(
            Type.Array(Type.String(), { description: 'The chosen options, of a question that has some.' }),
          ),
          text: optional(
            Type.String({
              maxLength: 10_000,
              description: 'Of a Text question or a URLQuestion, whose answer has up to 2,000 characters.',
            }),
          ),
        },
        closed,
      ),
    ),
  },
  { ...closed, description: "A screen of the advertiser; without screenId it is the job ad's." },
)

const Finished = Type.Object(
  {
    result: Type.Object(
      {
        id: text(200),
        name: text(200),
        successful: Type.Boolean(),
        questions: Type.Array(
          Type.Object(
            {
              id: text(200),
              type: Type.Enum([...questionTypes]),
              text: text(10_000),
              answers: Type.Array(
                Type.Object(
                  { id: text(200), text: Type.String({ maxLength: 10_000 }), selected: Type.Boolean() },
                  closed,
                ),
                {
                  maxItems: 200,
                  description:
                    'Exactly one for a Text question. `selected` is true where a text was entered; of the options of True/False and MultipleChoiceOneAnswer one at most is selected.',
                },
              ),
            },
            closed,
          ),
          { maxItems: 200 },
        ),
      },
      closed,
    ),
  },
  { ...closed, description: 'A questionnaire of the job board itself, as it was answered.' },
)

const Application = Type.Object(
  {
    advertiserId: Id,
    jobAdId: optional(Id),
    submitted: optional(
      Type.String({
        format: 'date-time',
        description:
          "When the candidate applied: not in the future, and not before the advertiser's newest application. The time of arrival when it is left out.",
      }),
    ),
    jobReference: optional(text(200, "The job ad's own when it is left out.")),
    jobSeekerId: text(200, "The job board's own for this candidate, always the same."),
    contact: Type.Object(
      {
        email: text(254),
        firstName: text(200),
        lastName: text(200),
        phone: optional(Type.String({ maxLength: 50 })),
      },
      { ...closed, description: 'Without line breaks.' },
    ),
    primaryJobSeekingInfo: optional(
      Type.Object(
        {
          jobTitle: optional(text(200)),
          companyName: optional(text(200)),
          timeInRoleMonths: optional(Type.Integer({ minimum: 0, maximum: 1200 })),
          isNewToWorkForce: Type.Boolean(),
        },
        closed,
      ),
    ),
    screen: optional(Type.Union([Answered, Finished])),
  },
  { ...closed, description: 'JSON. Sent before the files.' },
)

export const IntakeReceiptSchema = Type.Object(
  {
    id: Type.Integer({ description: 'As version 1 shows it.' }),
    submitted: Type.String({ format: 'date-time' }),
    attachments: Type.Array(
      Type.Object(
        {
          type: Type.Enum([...fileTypes]),
          fileName: Type.String({
            description: 'As version 1 hands it out. Its extension is that of the kind that the content is.',
          }),
          size: Type.Integer(),
          sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
          scan: Type.Enum(['unscanned', 'clean', 'infected', 'not-judged'], {
            description:
              'The verdict as it is now. What is infected was discarded: its size and sha256 are those of nothing. What is not-judged is beyond the limits of the scanner.',
          }),
        },
        closed,
      ),
    ),
  },
  { $id: 'IntakeReceipt', ...closed, description: 'An application that is stored.' },
)

export const intakeSchema = {
  summary: 'Bring an application in',
  description:
    'With a token of grant_type=client_credentials and scope=w_applications, for an advertiser that is listed on the client. With an Idempotency-Key a request may be repeated after a failure of any kind: it makes one application.',
  operationId: 'intake-application',
  tags: ['Intake'],
  security: [{ bearer: [] }],
  consumes: ['multipart/form-data'],
  headers: idempotencyHeaders('application'),
  body: Type.Object(
    { application: Application, resume: File, coverLetter: File, selectionCriteria: File },
    closed,
  ),
  response: {
    201: contentResponse(
      'It is stored, and version 1 delivers it.',
      { 'application/json': Type.Ref('IntakeReceipt') },
      { ...rateLimitHeaders, ...replayedHeader },
    ),
    ...problemResponses([
      'invalid-token',
      'rate-limited',
      'invalid-parameter',
      'advertiser-not-listed',
      'advertiser-on-hold',
      'idempotency-key-in-use',
      'idempotency-key-reused',
      'invalid-fields',
      'payload-too-large',
      'unsupported-media-type',
    ]),
  },
}

export const intakeReadSchema = {
  summary: 'Read an application that you brought in',
  description:
    'As it is now, with the verdicts on its files, for the client that sent it. Once it has been erased, it has no attachments.',
  operationId: 'read-intake-application',
  tags: ['Intake'],
  security: [{ bearer: [] }],
  params: Type.Object({ id: Type.String({ description: 'The ID from the answer to its sending.' }) }),
  response: {
    200: contentResponse(
      'The application.',
      { 'application/json': Type.Ref('IntakeReceipt') },
      rateLimitHeaders,
    ),
    ...problemResponses([
      'invalid-token',
      'rate-limited',
      'advertiser-not-listed',
      'advertiser-on-hold',
      'not-found',
    ]),
  },
}
