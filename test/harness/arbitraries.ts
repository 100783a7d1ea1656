import fc, { type Arbitrary } from 'fast-check'
import { monthsInRole } from '../../src/apply/draft-check.ts'
import {
  type ApplicationDraft,
  type ApplicationFile,
  fileTypes,
  type PrimaryJobSeekingInfo,
  type QuestionnaireResult,
  questionTypes,
  type ResultQuestion,
} from '../../src/model/application.ts'
import { longTextLength, nameLength, phoneLength, referenceLength } from '../../src/model/text-lengths.ts'
import { emailLength } from '../../src/platform/core/email.ts'
import { safeFileName } from '../../src/platform/core/file-name.ts'
import { isVisible } from '../../src/platform/core/text.ts'

/** Every character that XML 1.0 allows, by its own definition and not by ours. */
const xmlCharacter = fc
  .oneof(
    fc.constantFrom(0x9, 0xa, 0xd),
    fc.integer({ min: 0x20, max: 0x7e }),
    fc.integer({ min: 0x20, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0xfffd }),
    fc.integer({ min: 0x10000, max: 0x10ffff }),
  )
  .map(code => String.fromCodePoint(code))

/** Characters that have broken writers of JSON, XML, SQL and headers before. */
const troublemakers = fc.constantFrom(
  ...[
    '\r',
    '\n',
    '\t',
    '\r\n',
    '"',
    "'",
    '&',
    '<',
    '>',
    ']]>',
    '&amp;',
    '<!--',
    '<![CDATA[',
    '\\',
    '\\u0041',
  ],
  '},',
  '</JobApplication>',
  '?',
  '$1',
  '%',
  '--',
  ';',
  '/',
  '../',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\u00a0',
  ...[
    '\u0085',
    '\u007f',
    '\u200e',
    '\u202e',
    '\u061c',
    'שלום',
    'مرحبا',
    '😀',
    '👩‍👩‍👧',
    'e\u0301',
    '\ufffd',
    '美咲',
  ],
)

/** Text that must be accepted and returned unchanged. */
export function acceptedText(maxLength: number, required: boolean): Arbitrary<string> {
  return fc
    .string({ unit: fc.oneof(xmlCharacter, troublemakers), maxLength: Math.min(12, maxLength) })
    .filter(text => text.length <= maxLength && !(required && !isVisible(text)))
}

/** Text with one thing in it that XML 1.0 cannot carry. */
export const unwritableText: Arbitrary<string> = fc
  .tuple(
    acceptedText(20, false),
    fc.oneof(
      fc.integer({ min: 0, max: 0x1f }).filter(code => ![0x9, 0xa, 0xd].includes(code)),
      fc.constantFrom(0xfffe, 0xffff),
      fc.integer({ min: 0xd800, max: 0xdfff }),
    ),
    acceptedText(20, false),
  )
  // A space on each side keeps two lone surrogates from becoming a pair.
  .map(([before, code, after]) => `${before} ${String.fromCharCode(code)} ${after}`)

const name = acceptedText(nameLength, true)

/** Text without line breaks. */
export const acceptedLine = (maxLength: number, required: boolean) =>
  acceptedText(maxLength, required).filter(text => !/[\n\r\u0085\u2028\u2029]/.test(text))
const line = acceptedLine(nameLength, true)

const emailPart = name
  .map(text => text.replace(/[\s\p{Cc}\p{Cf}\p{Z}@()<>[\]:;,\\"]/gu, ''))
  .filter(text => isVisible(text))
export const acceptedEmail = fc.tuple(emailPart, emailPart).map(([local, domain]) => `${local}@${domain}`)

const hexDigest = fc.string({
  unit: fc.constantFrom(...'0123456789abcdef'),
  minLength: 64,
  maxLength: 64,
})

const file = (type: ApplicationFile['type']): Arbitrary<ApplicationFile> =>
  fc.record({
    type: fc.constant(type),
    // Names are made safe on input, so only a safe one comes back unchanged; see src/collect/routes.test.ts.
    fileName: name.map(safeFileName).filter(isVisible),
    contentType: fc.constantFrom(
      'application/pdf',
      'text/plain',
      'text/plain; charset=utf-8',
      'image/svg+xml',
    ),
    blob: hexDigest,
    sha256: hexDigest,
    size: fc.integer({ min: 0, max: 10_485_760 }),
    scan: fc.constantFrom('unscanned', 'clean', 'infected'),
    uploadedAt: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  })

const primaryInfo: Arbitrary<PrimaryJobSeekingInfo> = fc.record(
  {
    jobTitle: line,
    companyName: line,
    timeInRoleMonths: fc.integer({ min: 0, max: monthsInRole }),
    isNewToWorkForce: fc.boolean(),
  },
  { requiredKeys: ['isNewToWorkForce'] },
)

const answer = fc.record({
  id: name,
  text: acceptedText(longTextLength, false),
  selected: fc.boolean(),
})

type Answers = ResultQuestion['answers']

/** What may be selected: any options, an entered text, or one of them. */
function selectable(type: ResultQuestion['type'], answers: Answers): Answers {
  if (type === 'MultipleChoiceManyAnswers') return answers
  const first = answers.findIndex(({ selected }) => selected)
  return type === 'Text' || type === 'URLQuestion'
    ? answers.map(each => ({ ...each, selected: each.text !== '' }))
    : answers.map((each, index) => ({ ...each, selected: index === first }))
}

const question: Arbitrary<ResultQuestion> = fc.constantFrom(...questionTypes).chain(type =>
  fc.record({
    id: name,
    type: fc.constant(type),
    text: acceptedText(longTextLength, true),
    answers: fc
      .array(answer, type === 'Text' ? { minLength: 1, maxLength: 1 } : { maxLength: 4 })
      .map(answers => selectable(type, answers)),
  }),
)

export const acceptedQuestionnaire: Arbitrary<QuestionnaireResult> = fc.record({
  id: name,
  name,
  successful: fc.boolean(),
  questions: fc.array(question, { maxLength: 5 }),
})

/** Any application that a candidate may send, bounded by the limits alone. */
export const acceptedDraft: Arbitrary<ApplicationDraft> = fc.record(
  {
    jobSeekerId: name,
    contact: fc.record({
      email: acceptedEmail.filter(email => email.length <= emailLength),
      firstName: line,
      lastName: line,
      phone: acceptedLine(phoneLength, false),
    }),
    jobReference: acceptedText(referenceLength, true),
    files: fc.subarray([...fileTypes]).chain(types => fc.tuple(...types.map(file))),
    primaryJobSeekingInfo: primaryInfo,
    screen: acceptedQuestionnaire,
  },
  { requiredKeys: ['jobSeekerId', 'contact', 'files'] },
)
