import type { EpochMs } from '../../platform/core/clock.ts'
import { Fault, notSent, readBy, readTime, wrongType } from '../../platform/core/input/json-body.ts'
import { Type } from '../../platform/core/input/json-schema.ts'
import { invalidFields, isNothing, readVersion2 } from './prefill-request.ts'

const dayMs = 86_400_000

export const CompletionBody = Type.Object({
  completionDate: readBy<EpochMs>(
    Type.String({
      format: 'date-time',
      description: 'With time zone, at most 24 hours in the future.',
    }),
    sent => {
      if (isNothing(sent)) return notSent
      if (typeof sent !== 'string') return wrongType('a string')
      const is = 'must be a time with a time zone, such as 2026-11-14T00:00:00Z'
      return readTime(sent) ?? new Fault('invalid', is)
    },
  ),
})

/** Parses when the candidate submitted the client's form, by the client's clock. */
export function readCompletionDate(body: unknown, now: EpochMs): EpochMs {
  const { completionDate } = readVersion2(CompletionBody, body)
  if (completionDate <= now + dayMs) return completionDate
  const message = 'It must be at most 24 hours in the future.'
  throw invalidFields([{ field: 'completionDate', code: 'in-the-future', message }])
}
