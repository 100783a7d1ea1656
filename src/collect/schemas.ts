import { questionTypes } from '../model/application.ts'
import { answerKinds } from '../model/questionnaire.ts'
import { orNull } from '../platform/core/input/json-body.ts'
import { Type } from '../platform/core/input/json-schema.ts'
import type { ProblemCode } from '../platform/core/problems.ts'

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
      examples: ['advertiser/applications/resume/17'],
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

const Option = Type.Object({ id: Type.String(), text: Type.String() }, strict)

const AnswerFile = Type.Object(
  {
    name: Type.String(),
    contentType: Type.String(),
    size: Type.Integer(),
    sha256: Type.String({ description: 'SHA-256 of the bytes that a download returns.' }),
    scan: Type.Enum(['unscanned', 'clean', 'infected', 'not-judged']),
    href: Type.String({ examples: ['/v1/advertiser/applications/17/answers/3/file'] }),
  },
  strict,
)

export const AnswersSchema = Type.Object(
  {
    applicationId: Type.Integer(),
    screen: orNull(
      Type.Object({ id: Type.String(), name: Type.String(), successful: Type.Boolean() }, strict),
    ),
    answers: Type.Array(
      Type.Object(
        {
          questionId: Type.String(),
          kind: Type.Enum([...answerKinds]),
          reference: orNull(Type.String({ description: 'Your own name of the question.' })),
          text: Type.String({ description: 'Of the question.' }),
          options: Type.Optional(Type.Array(Option)),
          value: Type.Union(
            [
              Type.Null(),
              Type.String(),
              Type.Number(),
              Type.Boolean(),
              Option,
              Type.Array(Option),
              AnswerFile,
            ],
            {
              description:
                'By kind. oneOption: the option, or null. severalOptions: a list of options. yesNo: true, false or null. text, url, longText: the text, or null. number: a number, or null. date: YYYY-MM-DD, or null. file: the file with the path of its download, or null. statement: whether the candidate has confirmed that they have read it.',
            },
          ),
        },
        strict,
      ),
    ),
  },
  { ...strict, $id: 'ApplicationAnswers' },
)

export const ListParameters = Type.Object({
  afterid: Type.Optional(
    Type.String({
      pattern: '^\\d{1,19}$',
      examples: ['17'],
      description: 'Only applications with a higher ID.',
    }),
  ),
  beforeid: Type.Optional(
    Type.String({
      pattern: '^\\d{1,19}$',
      examples: ['17'],
      description: 'Only applications with a lower ID.',
    }),
  ),
  afterdate: Type.Optional(
    Type.String({ description: 'Only applications submitted later: `YYYY-MM-DDTHH:MM:SS`, AEST.' }),
  ),
  beforedate: Type.Optional(
    Type.String({ description: 'Only applications submitted earlier: `YYYY-MM-DDTHH:MM:SS`, AEST.' }),
  ),
  include: Type.Optional(
    Type.Enum(['primaryjobseekinginfo'], {
      description: 'Adds `PrimaryJobSeekingInfo`, the current or latest job, to each application.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description:
        'The maximum number of applications, with `Link: <...>; rel="next"` if there are more. Without it, all applications are streamed.',
    }),
  ),
})
