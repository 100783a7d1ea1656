import { dayAfter, startOfDay } from '../core/time/time-zone.ts'
import type { AuditFilter } from './ports.ts'

/** As the address of a page has it; empty where nothing is chosen. */
export interface TypedAuditFilter {
  action: string
  from: string
  to: string
}

const dayForm = /^\d{4}-\d\d-\d\d$/

/** A group of actions and some days in this zone. An invalid filter is no filter. */
export function readAuditFilter(
  get: (name: string) => string | undefined,
  groups: Readonly<Record<string, string>>,
  timeZone: string,
): { typed: TypedAuditFilter; filter: AuditFilter } {
  const day = (name: string) => {
    const text = get(name) ?? ''
    return dayForm.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
  }
  const group = get('action') ?? ''
  const typed = { action: Object.hasOwn(groups, group) ? group : '', from: day('from'), to: day('to') }
  return {
    typed,
    filter: {
      action: typed.action || undefined,
      from: typed.from === '' ? undefined : startOfDay(typed.from, timeZone),
      to: typed.to === '' ? undefined : startOfDay(dayAfter(typed.to), timeZone),
    },
  }
}

/** The address of the page after an entry, with the same filter. */
export function olderPath(path: string, typed: TypedAuditFilter, lastNumber: number): string {
  const search = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''))
  search.set('before', String(lastNumber))
  return `${path}?${search}`
}
