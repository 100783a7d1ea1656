import { problemResponses } from '../../model/problem-responses.ts'
import { progressBody } from '../../model/progress-report.ts'
import { orNull } from '../../platform/core/input/json-body.ts'
import { Type } from '../../platform/core/input/json-schema.ts'
import type { ProblemCode } from '../../platform/core/problems.ts'
import { contentResponse, elsewhereResponse, rateLimitHeaders } from '../../platform/http/documents.ts'
import { CompletionBody } from './completion-request.ts'
import { prefillBody } from './prefill-request.ts'

const tokenProblems: ProblemCode[] = ['invalid-token', 'rate-limited']
const bodyProblems: ProblemCode[] = [
  'bad-request',
  'invalid-fields',
  'payload-too-large',
  'unsupported-media-type',
]

const closed = { additionalProperties: false }
const Choice = Type.Object({ id: Type.String(), description: Type.String() }, closed)
const Month = Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2024-03'] })

export const PrefillSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    created: Type.String({ format: 'date-time' }),
    updated: Type.String({ format: 'date-time' }),
    applicantInfo: Type.Object(
      {
        firstName: Type.String(),
        lastName: Type.String(),
        emailAddress: Type.String(),
        phoneNumber: orNull(Type.String()),
        currentLocation: orNull(Choice),
        highestQualification: orNull(Choice),
        skills: Type.Array(Type.String()),
        salaryAndVisaByCountry: Type.Record(
          Type.String({ pattern: '^[A-Z]{2}$' }),
          Type.Object(
            {
              description: orNull(Type.String()),
              hasWorkingVisa: Type.Boolean(),
              minimumSalaryValue: Type.Number(),
              salaryType: Type.String(),
            },
            closed,
          ),
        ),
        workHistory: Type.Array(
          Type.Object(
            {
              jobTitle: Type.String(),
              companyName: Type.String(),
              industry: orNull(Choice),
              achievements: orNull(Type.String()),
              from: Month,
              to: orNull(Month),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    resume: orNull(Type.Object({ link: Type.String({ format: 'uri' }) }, closed)),
    complete: Type.String({ format: 'uri' }),
  },
  {
    $id: 'Prefill',
    ...closed,
    description: 'Every key is always present: empty and unreleased data look alike.',
  },
)

export const prefillSchema = () => ({
  summary: "A candidate's profile, to fill in an application form",
  description:
    'A repeated call with the same token, advertiser and form is a retry: same id, fresh data. The candidate can see every call.',
  operationId: 'prefill',
  tags: ['Version 2'],
  security: [{ bearer: [] }],
  body: prefillBody(),
  response: {
    200: contentResponse('The profile.', { 'application/json': Type.Ref('Prefill') }, rateLimitHeaders),
    ...problemResponses([...tokenProblems, ...bodyProblems, 'token-of-another-advertiser']),
  },
})

const Binary = Type.String({ format: 'binary' })

export const resumeSchema = {
  summary: 'The resume linked in the prefill',
  operationId: 'resume-v2',
  tags: ['Version 2'],
  security: [{ bearer: [] }],
  params: Type.Object({ resumeId: Type.String({ description: 'From the link in the prefill.' }) }),
  response: {
    200: contentResponse(
      'The file, byte for byte.',
      { 'application/octet-stream': Binary },
      {
        ...rateLimitHeaders,
        ETag: { description: 'The SHA-256 of the file, quoted.', type: 'string' },
      },
    ),
    206: contentResponse('The range.', { 'application/octet-stream': Binary }, rateLimitHeaders),
    302: elsewhereResponse,
    304: { description: 'Unchanged.', type: 'null', headers: rateLimitHeaders },
    ...problemResponses([
      ...tokenProblems,
      'not-found',
      'range-not-satisfiable',
      'file-not-judged',
      'not-yet-scanned',
    ]),
  },
}

export const completeSchema = {
  summary: 'Report completion',
  description:
    "Call this when the candidate has submitted the client's form, with a token of grant_type=client_credentials without scope. Repeating the call is harmless; the first date is kept.",
  operationId: 'complete',
  tags: ['Version 2'],
  security: [{ bearer: [] }],
  params: Type.Object({ applicationId: Type.String({ description: 'The id of the prefill.' }) }),
  body: CompletionBody,
  response: {
    204: { description: 'Recorded.', type: 'null', headers: rateLimitHeaders },
    ...problemResponses([...tokenProblems, ...bodyProblems, 'not-found']),
  },
}

export const progressSchema = {
  summary: 'Report the progress of prefilled applications',
  description:
    'Says what became of up to 100 prefilled applications whose consents the client holds, with a token of grant_type=client_credentials without scope. The candidate sees it. Of two entries for one application the one with the later `at` wins, and at equal times the later state. `label` and `tell` are accepted and not used. An Idempotency-Key is ignored.',
  operationId: 'reportPrefillProgress',
  tags: ['Version 2'],
  security: [{ bearer: [] }],
  body: progressBody('PrefillProgressEntry'),
  response: {
    200: contentResponse(
      'One result per entry, in their order.',
      { 'application/json': Type.Ref('PrefillProgressResults') },
      rateLimitHeaders,
    ),
    ...problemResponses([...tokenProblems, ...bodyProblems]),
  },
}
