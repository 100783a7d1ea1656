import type { Format } from '../model/v1/rendering.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { toAestIso, toMsDate } from '../platform/core/time/ms-date.ts'
import { xmlDeclaration, xmlElement, xmlNil, xsiNamespace } from '../platform/core/xml.ts'
import type { ListQuery } from './list-query.ts'

/** The text before and after the pieces of a list. */
export interface ListFrame {
  head: string
  /** Closes the last application, if any. */
  closing: string
  tail: string
}

export function listFrame(
  format: Format,
  owner: { advertiserId: number; agentId: number | null },
  query: ListQuery,
): ListFrame {
  return format === 'json' ? jsonFrame(owner, query) : xmlFrame(owner, query)
}

/** The text before an application on its own, which differs from the text before it in a list, and the text after it. */
export const singleFrame: Record<Format, { head: { with: string; without: string }; tail: string }> = {
  json: { head: { with: '', without: '' }, tail: '}' },
  xml: {
    head: { with: `${xmlDeclaration}<JobApplication${xsiNamespace}>`, without: '<JobApplication>' },
    tail: '</JobApplication>',
  },
}

function jsonFrame(owner: { advertiserId: number; agentId: number | null }, query: ListQuery): ListFrame {
  const date = (at: EpochMs | undefined) => (at === undefined ? null : toMsDate(at))
  const whole = JSON.stringify({
    JobApplications: {
      AdvertiserID: owner.advertiserId,
      AfterDate: date(query.afterDate),
      AfterID: query.afterId ?? null,
      BeforeDate: date(query.beforeDate),
      BeforeID: query.beforeId ?? null,
      AgentID: owner.agentId,
      JobApplicationsList: [],
    },
  })
  return { head: whole.slice(0, -3), closing: '}', tail: ']}}' }
}

function xmlFrame(owner: { advertiserId: number; agentId: number | null }, query: ListQuery): ListFrame {
  const orNil = (name: string, value: string | number | null | undefined) =>
    value === null || value === undefined ? xmlNil(name) : xmlElement(name, value)
  const date = (at: EpochMs | undefined) => (at === undefined ? undefined : toAestIso(at))
  return {
    head:
      `${xmlDeclaration}<JobApplications${xsiNamespace}>` +
      xmlElement('AdvertiserID', owner.advertiserId) +
      orNil('AfterDate', date(query.afterDate)) +
      orNil('AfterID', query.afterId) +
      orNil('BeforeDate', date(query.beforeDate)) +
      orNil('BeforeID', query.beforeId) +
      orNil('AgentID', owner.agentId) +
      '<JobApplicationsList>',
    closing: '</JobApplication>',
    tail: '</JobApplicationsList></JobApplications>',
  }
}
