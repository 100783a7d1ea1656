import { Type } from 'typebox'
import { contentResponse, problemResponses, rateLimitHeaders } from '../http/documents.ts'
import { fileTypes, questionTypes } from './rules.ts'

const closed = { additionalProperties: false }
const Id = Type.Union([Type.Integer(), Type.String()], { description: 'A number, or a text of digits.' })
const File = Type.Optional(Type.String({ format: 'binary', description: 'pdf, doc, docx, rtf or txt.' }))

const Answered = Type.Object(
  {
    screenId: Type.Optional(Id),
    answers: Type.Array(
      Type.Object(
        {
          questionId: Type.String(),
          answerIds: Type.Optional(
            Type.Array(Type.String(), { description: 'The chosen options, of a question that has some.' }),
          ),
          text: Type.Optional(Type.String({ description: 'Of a Text question or a URLQuestion.' })),
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
        id: Type.String(),
        name: Type.String(),
        successful: Type.Boolean(),
        questions: Type.Array(
          Type.Object(
            {
              id: Type.String(),
              type: Type.Enum([...questionTypes]),
              text: Type.String(),
              answers: Type.Array(
                Type.Object({ id: Type.String(), text: Type.String(), selected: Type.Boolean() }, closed),
                {
                  description:
                    'Exactly one for a Text question. `selected` is true where a text was entered; of the options of True/False and MultipleChoiceOneAnswer one at most is selected.',
                },
              ),
            },
            closed,
          ),
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
    jobAdId: Type.Optional(Id),
    jobReference: Type.Optional(Type.String({ description: "The job ad's own when it is left out." })),
    jobSeekerId: Type.String({ description: "The job board's own for this candidate, always the same." }),
    contact: Type.Object(
      {
        email: Type.String(),
        firstName: Type.String(),
        lastName: Type.String(),
        phone: Type.Optional(Type.String()),
      },
      { ...closed, description: 'Without line breaks.' },
    ),
    primaryJobSeekingInfo: Type.Optional(
      Type.Object(
        {
          jobTitle: Type.Optional(Type.String()),
          companyName: Type.Optional(Type.String()),
          timeInRoleMonths: Type.Optional(Type.Integer()),
          isNewToWorkForce: Type.Boolean(),
        },
        closed,
      ),
    ),
    screen: Type.Optional(Type.Union([Answered, Finished])),
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
          scan: Type.Enum(['unscanned', 'clean', 'infected'], {
            description:
              'The verdict so far. What is infected was discarded: its size and sha256 are those of nothing.',
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
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        description:
          '1 to 255 visible ASCII characters, one per application, such as a UUID. Kept for 24 hours. The same key and content again: the saved answer.',
      }),
    ),
  }),
  body: Type.Object(
    { application: Application, resume: File, coverLetter: File, selectionCriteria: File },
    closed,
  ),
  response: {
    201: contentResponse(
      'It is stored, and version 1 delivers it.',
      { 'application/json': Type.Ref('IntakeReceipt') },
      {
        ...rateLimitHeaders,
        'Idempotent-Replayed': {
          description: '`true` when this is the answer of an earlier request with the same key.',
          type: 'string',
        },
      },
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
