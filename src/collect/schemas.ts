import { orNull } from '../core/input/json-body.ts'
import { Type } from '../core/input/json-schema.ts'
import type { ProblemCode } from '../core/problems.ts'
import { questionTypes } from '../model/application.ts'

export const security = [{ sws: [] }]
export const swsProblems: ProblemCode[] = [
  'invalid-credential',
  'advertiser-on-hold',
  'agent-not-authorised',
  'rate-limited',
]

/** The responses of version 1 for the OpenAPI document. The sets of keys are frozen. */
const strict = { additionalProperties: false }
const MsDate = Type.String({
  pattern: '^/Date\\(-?\\d+\\+1000\\)/$',
  description: 'Milliseconds since the epoch, with the offset of Australian Eastern Standard Time.',
  examples: ['/Date(1794614400000+1000)/'],
})

export const AttachmentSchema = Type.Object(
  {
    DateUploaded: MsDate,
    HasVirus: orNull(
      Type.Boolean({
        description: 'Null until the scanner has judged the file, and for a file that it cannot judge.',
      }),
    ),
    Hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the bytes that a download returns.',
    }),
    Href: Type.String({
      pattern: '^advertiser/applications/(resume|coverletter|selectioncriteria|screen)/\\d+$',
    }),
    Size: Type.Integer({ minimum: 0 }),
    Type: Type.Enum(['resume', 'coverLetter', 'selectionCriteria', 'screen']),
  },
  { ...strict, $id: 'Attachment' },
)

export const JobApplicationSchema = Type.Object(
  {
    ID: Type.Integer({ minimum: 1 }),
    DateSubmitted: MsDate,
    Email: Type.String(),
    FirstName: Type.String(),
    LastName: Type.String(),
    Phone: Type.String({ description: 'Empty if the candidate gave none.' }),
    JobSeekerID: Type.String(),
    JobReference: Type.Optional(Type.String()),
    Attachments: Type.Array(Type.Ref('Attachment')),
    PrimaryJobSeekingInfo: Type.Optional(
      Type.Object(
        {
          JobTitle: Type.Optional(Type.String()),
          CompanyName: Type.Optional(Type.String()),
          TimeInRole: Type.Optional(Type.Integer({ minimum: 0, description: 'In months.' })),
          IsNewToWorkForce: Type.Boolean(),
        },
        strict,
      ),
    ),
  },
  { ...strict, $id: 'JobApplication' },
)

export const JobApplicationsSchema = Type.Object(
  {
    JobApplications: Type.Object(
      {
        AdvertiserID: Type.Integer(),
        AfterDate: orNull(MsDate),
        AfterID: orNull(Type.String()),
        BeforeDate: orNull(MsDate),
        BeforeID: orNull(Type.String()),
        AgentID: orNull(Type.Integer()),
        JobApplicationsList: Type.Array(Type.Ref('JobApplication')),
      },
      strict,
    ),
  },
  { ...strict, $id: 'JobApplications' },
)

const Answer = Type.Object(
  { '@id': Type.String(), '@selected': Type.Optional(Type.Literal('True')), '#text': Type.String() },
  strict,
)

export const ScreenSchema = Type.Object(
  {
    screen: Type.Object(
      {
        '@id': Type.String(),
        '@name': Type.String(),
        '@successful': Type.Enum(['True', 'False']),
        question: Type.Array(
          Type.Object(
            {
              '@id': Type.String(),
              '@type': Type.Enum([...questionTypes]),
              '@text': Type.String(),
              answer: Type.Union([Answer, Type.Array(Answer)], {
                description: 'One object for a Text question; otherwise a list.',
              }),
            },
            strict,
          ),
        ),
      },
      strict,
    ),
  },
  { ...strict, $id: 'Screen' },
)

export const ListParameters = Type.Object({
  afterid: Type.Optional(
    Type.String({ pattern: '^\\d{1,19}$', description: 'Only applications with a higher ID.' }),
  ),
  beforeid: Type.Optional(
    Type.String({ pattern: '^\\d{1,19}$', description: 'Only applications with a lower ID.' }),
  ),
  afterdate: Type.Optional(
    Type.String({ description: 'Only applications submitted later: `YYYY-MM-DDTHH:MM:SS`, AEST.' }),
  ),
  beforedate: Type.Optional(
    Type.String({ description: 'Only applications submitted earlier: `YYYY-MM-DDTHH:MM:SS`, AEST.' }),
  ),
  include: Type.Optional(Type.Enum(['primaryjobseekinginfo'])),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description:
        'The maximum number of applications, with `Link: <...>; rel="next"` if there are more. Without it, all applications are streamed.',
    }),
  ),
})
