import type { KeptVersion } from '../model/ad-version.ts'
import { answerTypeOf, type Question } from '../model/questionnaire.ts'
import type { EpochMs } from '../platform/core/clock.ts'

const iso = (at: EpochMs) => new Date(at).toISOString()

/** One line of JSON per version. */
export const versionJson = ({ createdAt, replacedAt, ...version }: KeptVersion) => ({
  ...version,
  since: iso(createdAt),
  until: replacedAt === null ? null : iso(replacedAt),
})

const textColumns = [
  'jobAdId',
  'version',
  'since',
  'until',
  'title',
  'location',
  'reference',
  'closingDate',
  'timeZone',
  'description',
] as const

export const versionHead = [...textColumns, 'details', 'questionnaire', 'questions']

export function versionCells(kept: KeptVersion): (string | number | null)[] {
  const version = versionJson(kept)
  const { details, questionnaire } = version
  return [
    ...textColumns.map(column => version[column] ?? null),
    Object.keys(details).length === 0 ? null : JSON.stringify(details),
    questionnaire?.name ?? null,
    questionnaire?.questions.map(questionText).join('\n') ?? null,
  ]
}

function questionText(question: Question, index: number): string {
  const { text, isRequired, options } = question
  const answers = options.map(option => option.text).join(' | ')
  return `${index + 1}. ${text} (${answerTypeOf(question)}${isRequired ? ', required' : ''})${answers && `: ${answers}`}`
}
