import { Problem } from '../problems.ts'

/** Limit: The largest limit of a list page; such a page stays well below 2 MB. */
export const maxPageSize = 1_000
/** Limit: Entries on a page of the intake lists if the request has no limit. */
export const intakePageSize = 100

/** A page of a list in ascending order of ID. */
export interface PageParameters {
  afterId: number
  limit: number
}

/** Parses `afterId` and `limit`; empty counts as not sent. */
export function readPageParameters(
  sent: { afterId?: string; limit?: string },
  { usual, max }: { usual: number; max: number },
): PageParameters {
  const afterId = sent.afterId || '0'
  if (!/^\d{1,19}$/.test(afterId)) throw invalidParameter('afterId', 'an ID of 1 to 19 digits')
  const limit = sent.limit || String(usual)
  if (!/^0*[1-9]\d{0,8}$/.test(limit) || Number(limit) > max)
    throw invalidParameter('limit', `a number from 1 to ${max}`)
  // Any number above the highest ID has the same effect.
  return { afterId: Math.min(Number(afterId), Number.MAX_SAFE_INTEGER), limit: Number(limit) }
}

export const invalidParameter = (name: string, expected: string) =>
  new Problem('invalid-parameter', `The parameter ${name} must be ${expected}.`)
