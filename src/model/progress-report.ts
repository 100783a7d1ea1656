import type { EpochMs } from '../platform/core/clock.ts'
import {
  Fault,
  isJsonObject,
  notSent,
  numericId,
  optional,
  readBy,
  readJson,
  readTime,
  wrongType,
} from '../platform/core/input/json-body.ts'
import { Type } from '../platform/core/input/json-schema.ts'
import { type FieldError, Problem, type ProblemCode } from '../platform/core/problems.ts'
import { lineBreakOrTab, textFault, textFaultInWords } from '../platform/core/text.ts'
import {
  type ChosenStatus,
  type ProgressReason,
  progressReasons,
  reportedStates,
  statusOfState,
} from './application-status.ts'
import { problems } from './problems.ts'

/** Limit: Entries of one report, which one transaction writes. */
export const reportEntries = 100
/** Limit: A stage of a recruiting system, in its users' words, in characters as people count them. */
export const labelLength = 60
/** Limit: How far a reporting system's clock may be ahead of ours. */
const aheadSeconds = 5 * 60

// A character may have two UTF-16 code units.
const oneLine = { maxLength: 2 * labelLength, notOnOneLine: lineBreakOrTab }

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
        const { length } = [...sent]
        if (length > labelLength)
          return new Fault('too-long', `must have ${labelLength} characters or fewer; it has ${length}`)
        const fault = textFault(sent, oneLine)
        return fault === undefined ? sent.trim() : new Fault(fault, textFaultInWords(fault, sent, oneLine))
      },
    ),
  ),
  reason: optional(
    Type.Enum([...progressReasons], {
      description:
        'With notSuccessful alone. The company sees it of an application made here, and the candidate only if the company has chosen so.',
    }),
  ),
  tell: optional(
    Type.Boolean({ default: true, description: 'False: the candidate gets no email about this entry.' }),
  ),
}

const Fields = Type.Object(fields)

/** The components of the OpenAPI document that the reports use. */
export const progressSchemas = [
  Type.Object(
    { applicationId: numericId('The ID from the list.'), ...fields },
    { $id: 'ProgressEntry', description: 'Unknown fields are ignored.' },
  ),
  Type.Object(
    {
      prefilledApplicationId: Type.String({ format: 'uuid', description: 'The id of the prefill.' }),
      ...fields,
    },
    { $id: 'PrefillProgressEntry', description: 'Unknown fields are ignored.' },
  ),
  resultsSchema('ProgressResults', 'applicationId'),
  resultsSchema('PrefillProgressResults', 'prefilledApplicationId'),
]

/** The body of a report: its entries are read one by one, so that an invalid one does not reject the others. */
export const progressBody = (entry: 'ProgressEntry' | 'PrefillProgressEntry') =>
  Type.Object({ entries: Type.Array(Type.Ref(entry), { minItems: 1, maxItems: reportEntries }) })

function resultsSchema($id: string, key: EntryKey) {
  const id = { [key]: Type.Unsafe<unknown>({ description: 'As it was sent; null if it was not.' }) }
  const closed = { additionalProperties: false }
  const results = Type.Array(
    Type.Union([
      Type.Object(
        {
          ...id,
          result: Type.Enum(['applied', 'unchanged', 'superseded'], {
            description:
              '`applied`: it is the state now, or its time has moved on. `unchanged`: known already, with this time. `superseded`: a later state is known, or the candidate has withdrawn; the entry is not recorded.',
          }),
        },
        closed,
      ),
      Type.Object(
        {
          ...id,
          result: Type.Literal('refused', { description: 'Nothing was changed.' }),
          code: Type.Enum(['not-found', 'invalid-fields', 'at-in-future', 'history-full']),
          detail: Type.String(),
          errors: Type.Optional(
            Type.Array(
              Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }, closed),
              { description: 'With `invalid-fields`: each field that is wrong.' },
            ),
          ),
        },
        closed,
      ),
    ]),
  )
  const description = 'One result per entry, in their order.'
  return Type.Object({ results }, { ...closed, $id, description })
}

/** The field in which an entry names its application. */
export type EntryKey = 'applicationId' | 'prefilledApplicationId'

type Refusal = { result: 'refused'; code: ProblemCode; detail: string; errors?: readonly FieldError[] }

export type EntryResult = { [Key in EntryKey]?: unknown } & (
  | { result: 'applied' | 'unchanged' | 'superseded' }
  | Refusal
)

/** The content of an entry, whatever it is about. */
export interface Said {
  to: ChosenStatus
  at: EpochMs
  label: string | null
  reason: ProgressReason | null
  tells: boolean
}

/** `full`: the history cannot grow further. */
export type EntryOutcome = 'applied' | 'unchanged' | 'superseded' | 'not-found' | 'full'

/** Number of a report's entries by result; `unread`: entries that could not be read. */
export function countOutcomes(outcomes: readonly EntryOutcome[], unread: number) {
  const count = (outcome: EntryOutcome) => outcomes.filter(each => each === outcome).length
  const [applied, unchanged, superseded] = [count('applied'), count('unchanged'), count('superseded')]
  const refused = outcomes.length - applied - unchanged - superseded + unread
  return { applied, unchanged, superseded, refused }
}

/**
 * Reads the entries of a report, lets `write` apply the valid ones, and returns one result per entry, in their order.
 * If the body as a whole cannot be read, throws and applies nothing.
 */
export async function answerReport<Id>(
  body: unknown,
  { key, readId, now }: { key: EntryKey; readId(sent: unknown): Id | undefined; now: EpochMs },
  write: (entries: (Said & { id: Id })[], unread: number) => Promise<EntryOutcome[]>,
): Promise<EntryResult[]> {
  const entries = readEntries(body).map(sent => {
    const id = readId(sent[key])
    const said = readEntry(sent, now)
    // Text that cannot be an ID is treated like an unknown ID.
    const read = 'result' in said || id !== undefined ? said : refusal('not-found')
    return { sentId: sent[key] ?? null, read: 'result' in read ? read : { ...read, id: id as Id } }
  })
  const wanted = entries.flatMap(({ read }) => ('result' in read ? [] : [read]))
  const outcomes = (await write(wanted, entries.length - wanted.length)).values()
  return entries.map(({ sentId, read }) => ({
    [key]: sentId,
    ...('result' in read ? read : resultOf(outcomes.next().value as EntryOutcome)),
  }))
}

function resultOf(outcome: EntryOutcome): EntryResult {
  if (outcome === 'not-found') return refusal('not-found')
  return outcome === 'full' ? refusal('history-full') : { result: outcome }
}

const refusal = (
  code: ProblemCode,
  detail: string = problems[code].help,
  errors?: readonly FieldError[],
): Refusal => ({ result: 'refused', code, detail, ...(errors && { errors }) })

function readEntry(sent: object, now: EpochMs): Said | Refusal {
  try {
    const { state, at, label, reason, tell } = readJson(Fields, sent, {
      rules: ({ state: said }, refuse, isSent) => {
        if (said !== undefined && said !== 'notSuccessful' && isSent('reason'))
          refuse('reason', 'not-with-this-state', 'must only be sent with notSuccessful')
      },
    })
    if (at > now + aheadSeconds * 1000) return refusal('at-in-future')
    return {
      to: statusOfState(state),
      at,
      label: label || null,
      reason: reason ?? null,
      tells: tell ?? true,
    }
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'invalid-fields')) throw error
    return refusal('invalid-fields', error.errors.map(({ message }) => message).join(' '), error.errors)
  }
}

function readEntries(body: unknown): readonly Record<string, unknown>[] {
  const refuse = (field: string, code: string, message: string) =>
    new Problem('invalid-fields', message, { errors: [{ field, code, message }] })
  if (!isJsonObject(body)) throw refuse('', 'wrong-type', 'The body must be a JSON object.')
  const { entries } = body as { entries?: unknown }
  if (!Array.isArray(entries)) throw refuse('entries', 'wrong-type', 'entries must be an array.')
  if (entries.length < 1 || entries.length > reportEntries) {
    const code = entries.length === 0 ? 'too-few' : 'too-many'
    throw refuse('entries', code, `entries must contain 1 to ${reportEntries}; there are ${entries.length}.`)
  }
  const wrong = entries.findIndex(entry => !isJsonObject(entry))
  if (wrong !== -1)
    throw refuse(`entries[${wrong}]`, 'wrong-type', `entries[${wrong}] must be a JSON object.`)
  return entries
}
