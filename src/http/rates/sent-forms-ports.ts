import type { EpochMs } from '../../core/clock.ts'

/** Remembers sent forms, so that each is processed once, on whichever node it arrives. */
export interface SentFormStore {
  /** False if this form was sent before or is being processed, until it is forgotten. */
  claim(key: string, now: EpochMs, until: EpochMs): Promise<boolean>
  /** The location that the form led to; undefined if unknown or still being processed. */
  find(key: string): Promise<string | undefined>
  /** This and `release` do nothing if the claim, identified by its end, now belongs to another request. */
  finish(key: string, until: EpochMs, result: { location: string; expiresAt: EpochMs }): Promise<void>
  release(key: string, until: EpochMs): Promise<void>
}
