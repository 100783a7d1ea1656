import type { EpochMs } from '../platform/core/clock.ts'
import {
  closedObject,
  Fault,
  isJsonObject,
  notSent,
  numericId,
  optional,
  readBy,
  readJson,
  readTime,
  shownKey,
  wrongType,
} from '../platform/core/input/json-body.ts'
import { type Static, Type } from '../platform/core/input/json-schema.ts'
import { Problem, type ProblemCode, problems } from '../platform/core/problems.ts'
import { lineBreakOrTab, textFault, textFaultInWords } from '../platform/core/text.ts'
import {
  type ChosenStatus,
  type ProgressReason,
  progressReasons,
  reportedStates,
  statusOfState,
} from './application-status.ts'

/** Limit: Entries of one report, which one transaction writes. */
export const reportEntries = 100
/** Limit: A stage of a recruiting system, as its people name it. */
export const labelLength = 60
/** Limit: How far the clock of a reporting system may be ahead of ours. */
const aheadSeconds = 5 * 60

const oneLine = { maxLength: labelLength, notOnOneLine: lineBreakOrTab }

const fields = {
  state: Type.Enum([...reportedStates]),
  at: readBy<EpochMs>(
    Type.String({
      format: 'date-time',
      description:
        'When it happened, with time zone, at most five minutes in the future. Of two entries the one with the later time wins; with equal times, the state that stands later in the list.',
    }),
    sent =>
      sent === undefined
        ? notSent
        : (readTime(sent) ?? wrongType('a time with its zone, such as 2026-11-14T10:00:00+10:00')),
  ),
  label: optional(
    readBy<string>(
      Type.String({ maxLength: labelLength, description: 'Your own stage, shown to the company alone.' }),
      sent => {
        if (typeof sent !== 'string') return wrongType('a string')
        const fault = textFault(sent, oneLine)
        return fault === undefined ? sent.trim() : new Fault(fault, textFaultInWords(fault, sent, oneLine))
      },
    ),
  ),
  reason: optional(
    Type.Enum([...progressReasons], {
      description:
        'Recorded with the state. The company sees it of an application made here, and the candidate only if the company has chosen so.',
    }),
  ),
  tell: optional(
    Type.Boolean({ default: true, description: 'False: the candidate gets no email about this entry.' }),
  ),
}

export const ProgressEntry = closedObject({ applicationId: numericId('The ID from the list.'), ...fields })
export const PrefillProgressEntry = closedObject({
  prefilledApplicationId: Type.String({ format: 'uuid', description: 'The id of the prefill.' }),
  ...fields,
})

/** The components of the document that the reports use. */
export const progressSchemas = [
  { ...ProgressEntry, $id: 'ProgressEntry' },
  { ...PrefillProgressEntry, $id: 'PrefillProgressEntry' },
]

/** The body of a report: its entries are read one by one, so that a wrong one does not refuse the others. */
export const progressBody = (entry: 'ProgressEntry' | 'PrefillProgressEntry') =>
  Type.Object(
    { entries: Type.Array(Type.Ref(entry), { minItems: 1, maxItems: reportEntries }) },
    { additionalProperties: false },
  )

const Results = Type.Array(
  Type.Union([
    Type.Object(
      {
        result: Type.Enum(['applied', 'unchanged', 'superseded'], {
          description:
            '`unchanged`: known already, with this time. `superseded`: a later state is known, or the candidate has withdrawn; the entry is not recorded.',
        }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        problem: Type.Object(
          {
            code: Type.Enum(['not-found', 'invalid-fields', 'history-full']),
            detail: Type.String(),
          },
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false },
    ),
  ]),
)
export const ProgressResultsSchema = Type.Object(
  { results: Results },
  {
    additionalProperties: false,
    $id: 'ProgressResults',
    description: 'One result per entry, in their order.',
  },
)

export type EntryResult =
  | { result: 'applied' | 'unchanged' | 'superseded' }
  | { problem: { code: ProblemCode; detail: string } }

/** What an entry says, whatever it is about. */
export interface Said {
  to: ChosenStatus
  at: EpochMs
  label: string | null
  reason: ProgressReason | null
  tells: boolean
}

/** `full`: the history takes no more. */
export type EntryOutcome = 'applied' | 'unchanged' | 'superseded' | 'not-found' | 'full'

/** How many entries of one report had each result; `unread` could not be read. */
export function countOutcomes(outcomes: readonly EntryOutcome[], unread: number) {
  const count = (outcome: EntryOutcome) => outcomes.filter(each => each === outcome).length
  const [applied, unchanged, superseded] = [count('applied'), count('unchanged'), count('superseded')]
  const refused = outcomes.length - applied - unchanged - superseded + unread
  return { applied, unchanged, superseded, refused }
}

export function entryResult(outcome: EntryOutcome): EntryResult {
  if (outcome === 'not-found') return entryProblem('not-found')
  return outcome === 'full' ? entryProblem('history-full') : { result: outcome }
}

const entryProblem = (code: ProblemCode, detail: string = problems[code].help): EntryResult => ({
  problem: { code, detail },
})

/** Each entry, or what is wrong with it. Throws if the body as a whole cannot be read. */
export function readReport<Entry extends typeof ProgressEntry | typeof PrefillProgressEntry>(
  entry: Entry,
  body: unknown,
  now: EpochMs,
): ({ sent: Static<Entry>; said: Said } | { wrong: EntryResult })[] {
  return readEntries(body).map(item => {
    try {
      const sent = readJson(entry, item) as Static<Entry> & Static<typeof ProgressEntry>
      if (sent.at > now + aheadSeconds * 1000)
        return { wrong: entryProblem('invalid-fields', 'at must be at most five minutes in the future.') }
      const { state, at, label = null, reason = null, tell = true } = sent
      const to = statusOfState(state)
      return { sent, said: { to, at, label: label === '' ? null : label, reason, tells: tell ?? true } }
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'invalid-fields')) throw error
      const detail = error.errors.map(({ message }) => message).join(' ')
      return { wrong: entryProblem('invalid-fields', detail) }
    }
  })
}

function readEntries(body: unknown): readonly unknown[] {
  const refuse = (field: string, code: string, message: string) =>
    new Problem('invalid-fields', message, { errors: [{ field, code, message }] })
  if (!isJsonObject(body)) throw refuse('', 'wrong-type', 'The body must be a JSON object.')
  const { entries, ...others } = body as { entries?: unknown }
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw refuse(shownKey(other), 'unknown', `${shownKey(other)} is not a known field.`)
  if (!Array.isArray(entries)) throw refuse('entries', 'wrong-type', 'entries must be an array.')
  if (entries.length >= 1 && entries.length <= reportEntries) return entries
  const code = entries.length === 0 ? 'too-few' : 'too-many'
  throw refuse('entries', code, `entries must contain 1 to ${reportEntries}; there are ${entries.length}.`)
}
