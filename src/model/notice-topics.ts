import type { Notice } from './notice.ts'

/**
 * The notifications that a person can switch off for all companies. The database stores those switched off as one
 * number with a bit for each in this order, so the order must never change.
 */
export const topics = ['receipts', 'progress', 'disclosures'] as const
export type Topic = (typeof topics)[number]

export const mutedBit = (topic: Topic): number => 1 << topics.indexOf(topic)
export const isMuted = (muted: number, topic: Topic): boolean => (muted & mutedBit(topic)) !== 0

/** Why the candidate gets no email about an application's status. */
export type Untold = 'no-account' | 'unconfirmed' | 'refused' | 'muted'

/** How often a member is notified of new applications. */
export const rhythms = ['soon', 'daily', 'off'] as const
export type Rhythm = (typeof rhythms)[number]

/** The setting that switches an email off: a topic, the member's rhythm at the company, or nothing (null). */
const switches: Record<Notice['kind'], Topic | 'company' | null> = {
  'application-sent': 'receipts',
  'status-changed': 'progress',
  'application-withdrawn': 'progress',
  'keep-ending': 'progress',
  'first-disclosure': 'disclosures',
  'new-applications': 'company',
  // Admins must learn of it in time to undo it.
  'retention-shortened': null,
  // The company's or its agent's systems are missing applications.
  'webhook-failing': null,
}

/** A notification that a person can switch off: a topic, or all from one company. */
export type Subscription = { candidateId: string } & ({ topic: Topic } | { advertiserId: number })

/** Undefined for emails that cannot be switched off. */
export function subscriptionOf(notice: Notice): Subscription | undefined {
  const { candidateId } = notice
  const found = switches[notice.kind]
  if (found === null) return undefined
  if (found !== 'company') return { candidateId, topic: found }
  return 'advertiserId' in notice && notice.advertiserId !== null
    ? { candidateId, advertiserId: notice.advertiserId }
    : undefined
}
