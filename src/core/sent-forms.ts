import type { EpochMs } from './clock.ts'

/** Which forms have been sent, so that the same one is taken once, on whichever node it arrives. */
export interface SentFormStore {
  /** False when this form was sent before. */
  claim(key: string, expiresAt: EpochMs): Promise<boolean>
  /** Where it has led; undefined when it is not known, or is still on its way. */
  find(key: string): Promise<string | undefined>
  finish(key: string, location: string): Promise<void>
  release(key: string): Promise<void>
}
