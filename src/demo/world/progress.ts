import type { ChosenStatus } from '../../model/application-status.ts'
import { harbourId, raeId, rexId } from './world.ts'

/** The steps that a company's people have taken with an application, in this order. */
export interface DemoStep {
  advertiserId: number
  /** How the address in the application begins. */
  email: string
  at: string
  by: string
  /** Opened, if neither a status nor a note is given. */
  to?: ChosenStatus
  note?: string
}

export const step = (
  email: string,
  at: string,
  by: string,
  change: Pick<DemoStep, 'to' | 'note'> = {},
): DemoStep => ({
  advertiserId: harbourId,
  email: `${email}@`,
  at,
  by,
  ...change,
})

export const demoSteps: readonly DemoStep[] = [
  step('liam.oconnor', '2026-10-06T09:10:00+10:00', rexId),
  step('liam.oconnor', '2026-10-06T09:14:00+10:00', rexId, {
    to: 'not-suitable',
    note: 'No licence yet. Ask again in spring.',
  }),
  step('priya.raman', '2026-10-08T11:02:00+10:00', raeId),
  step('jack.petersen', '2026-10-10T08:30:00+10:00', rexId),
  step('jack.petersen', '2026-10-12T16:45:00+10:00', raeId, { to: 'hired', note: 'Starts on 2 November.' }),
  step('grace.whitfield', '2026-10-22T10:20:00+10:00', rexId),
  step('grace.whitfield', '2026-10-22T10:26:00+10:00', rexId, {
    to: 'shortlisted',
    note: 'Ten years behind a machine. Invite her for a trial shift.',
  }),
  step('grace.whitfield', '2026-10-23T14:05:00+10:00', raeId, { note: 'Trial shift on Thursday at 7.' }),
  step('zoe.brennan', '2026-10-24T09:00:00+10:00', raeId),
  step('samuel.taufa', '2026-10-28T08:50:00+10:00', rexId),
]
