import type { EpochMs } from '../../core/clock.ts'

/** Which forms have been sent, so that the same one is taken once, on whichever node it arrives. */
export interface SentFormStore {
  /** False when this form was sent before, or is on its way, as far as is known: until it is forgotten. */
  claim(key: string, now: EpochMs, until: EpochMs): Promise<boolean>
  /** Where it has led; undefined when it is not known, or is still on its way. */
  find(key: string): Promise<string | undefined>
  /** These two do nothing once the claim, known by its end, is somebody else's. */
  finish(key: string, until: EpochMs, result: { location: string; expiresAt: EpochMs }): Promise<void>
  release(key: string, until: EpochMs): Promise<void>
}
