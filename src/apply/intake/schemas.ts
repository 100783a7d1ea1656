import { fileTypes } from '../../model/application.ts'
import { problemResponses } from '../../model/problem-responses.ts'
import { type TSchema, Type } from '../../platform/core/input/json-schema.ts'
import {
  contentResponse,
  idempotencyHeaders,
  rateLimitHeaders,
  replayedHeader,
} from '../../platform/http/documents.ts'
import { Application } from './request.ts'

const closed = { additionalProperties: false }
const File = Type.Optional(Type.String({ format: 'binary', description: 'pdf, doc, docx, rtf or txt.' }))

const AnswerFile = Type.Optional(
  Type.String({
    format: 'binary',
    description:
      'The file that answers the first question, if its kind is file; answer-2 the second, and so on.',
  }),
)

export const IntakeReceiptSchema = Type.Object(
  {
    id: Type.Integer({ description: 'The ID that version 1 returns.' }),
    submitted: Type.String({ format: 'date-time' }),
    attachments: filesOf(Type.Enum([...fileTypes])),
    answerFiles: Type.Optional(
      filesOf(Type.String({ description: 'The name of the part, such as answer-3.' })),
    ),
  },
  { $id: 'IntakeReceipt', ...closed, description: 'A stored application.' },
)

function filesOf(type: TSchema) {
  return Type.Array(
    Type.Object(
      {
        type,
        fileName: Type.String({
          description: 'As version 1 returns it. The extension matches the content of the file.',
        }),
        size: Type.Integer(),
        sha256: Type.String({
          pattern: '^[0-9a-f]{64}$',
          description: 'SHA-256 of the bytes, in hexadecimal.',
        }),
        scan: Type.Enum(['unscanned', 'clean', 'infected', 'not-judged'], {
          description:
            'The current verdict. The content of an infected file is discarded: its size and sha256 are those of an empty file. A not-judged file exceeds the limits of the scanner.',
        }),
      },
      closed,
    ),
  )
}

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
    {
      application: Application,
      resume: File,
      coverLetter: File,
      selectionCriteria: File,
      'answer-1': AnswerFile,
    },
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
