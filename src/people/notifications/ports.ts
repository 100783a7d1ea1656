import type { EpochMs } from '../../core/clock.ts'
import type { Rhythm, Topic } from '../../model/notice-topics.ts'

/** What a person has switched off, and when their mail server refused our emails. */
export interface Preferences {
  muted: number
  refusedAt: EpochMs | null
}

export interface NotificationStore {
  preferences(candidateId: string): Promise<Preferences | undefined>
  /** Replaces all of them. */
  setMuted(candidateId: string, muted: number): Promise<void>
  /** Changes this topic alone. */
  setTopic(candidateId: string, topic: Topic, isOn: boolean): Promise<void>

  /** Undefined when this person is not a member. */
  rhythm(advertiserId: number, candidateId: string): Promise<Rhythm | undefined>
  /** Emails that were off begin with what arrives from now on. */
  setRhythm(advertiserId: number, candidateId: string, rhythm: Rhythm, now: EpochMs): Promise<void>

  /** The key of the links in emails; the first caller's becomes that of all. */
  linkKey(fresh: string): Promise<string>
}

/** A member to whom it is time to write, unless nothing is new. */
export interface DueMember {
  advertiserId: number
  candidateId: string
  rhythm: Rhythm
  toldUpTo: number
  toldAt: EpochMs
  /** The newest application that the member has not been told of; null if there is none. */
  newestId: number | null
}

/** The latest time of the daily emails that has passed in a zone; null: the operator's zone. */
export interface DailyTime {
  timeZone: string | null
  at: EpochMs
}

export interface DigestStore {
  /** Zones of companies with members who want daily emails. */
  zones(): Promise<(string | null)[]>
  /** Members who want emails soon, were told before that time or after the other one, and have something new. */
  dueSoon(told: { before: EpochMs; after: EpochMs }, most: number): Promise<DueMember[]>
  /**
   * Members who want daily emails and were told before the time of their zone or after the other one, with or without
   * something new.
   */
  dueDaily(times: readonly DailyTime[], toldAfter: EpochMs, most: number): Promise<DueMember[]>
  /**
   * Queues an email to each member who has something new, and records that they were told. Skips members whom another
   * process has told, or who have changed their mind. Returns the number of emails.
   */
  tell(members: readonly DueMember[], now: EpochMs): Promise<number>
}
