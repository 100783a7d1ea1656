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
  description: 'A number, or a string of digits.',
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
            Type.Array(Type.String(), {
              description: 'The chosen options, for a question that has options.',
            }),
          ),
          text: optional(
            Type.String({
              maxLength: 10_000,
              description:
                'The answer to a Text question or a URLQuestion. A URLQuestion takes up to 2,000 characters.',
            }),
          ),
        },
        closed,
      ),
    ),
  },
  {
    ...closed,
    description: "Answers to one of the advertiser's screens: the job ad's, if screenId is left out.",
  },
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
                    'Exactly one for a Text question. `selected` is true if text was entered. At most one option of True/False and MultipleChoiceOneAnswer is selected.',
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
  { ...closed, description: "The job board's own questionnaire, with the candidate's answers." },
)

const Application = Type.Object(
  {
    advertiserId: Id,
    jobAdId: optional(Id),
    submitted: optional(
      Type.String({
        format: 'date-time',
        description:
          "When the candidate applied: not in the future, and not before the advertiser's newest application. Defaults to the time of arrival.",
      }),
    ),
    jobReference: optional(text(200, "Defaults to the job ad's reference.")),
    jobSeekerId: text(200, "The job board's ID for this candidate, always the same."),
    contact: Type.Object(
      {
        email: text(254),
        firstName: text(200),
        lastName: text(200),
        phone: optional(Type.String({ maxLength: 50 })),
      },
      { ...closed, description: 'No line breaks.' },
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
  { ...closed, description: 'JSON. Send it before the files.' },
)

export const IntakeReceiptSchema = Type.Object(
  {
    id: Type.Integer({ description: 'The ID that version 1 returns.' }),
    submitted: Type.String({ format: 'date-time' }),
    attachments: Type.Array(
      Type.Object(
        {
          type: Type.Enum([...fileTypes]),
          fileName: Type.String({
            description: 'As version 1 returns it. The extension matches the content of the file.',
          }),
          size: Type.Integer(),
          sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
          scan: Type.Enum(['unscanned', 'clean', 'infected', 'not-judged'], {
            description:
              'The current verdict. The content of an infected file is discarded: its size and sha256 are those of an empty file. A not-judged file exceeds the limits of the scanner.',
          }),
        },
        closed,
      ),
    ),
  },
  { $id: 'IntakeReceipt', ...closed, description: 'A stored application.' },
)

export const intakeSchema = {
  summary: 'Submit an application',
  description:
    'Use a token from grant_type=client_credentials with scope=w_applications, for an advertiser listed on the client. With an Idempotency-Key you can retry after any failure: only one application is created.',
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
      'The application is stored, and version 1 returns it.',
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
  summary: 'Read an application you submitted',
  description:
    'Returns the current state, with the verdicts on its files, to the client that submitted it. An erased application has no attachments.',
  operationId: 'read-intake-application',
  tags: ['Intake'],
  security: [{ bearer: [] }],
  params: Type.Object({ id: Type.String({ description: 'The ID returned when it was submitted.' }) }),
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
