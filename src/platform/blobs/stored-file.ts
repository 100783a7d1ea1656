import type { EpochMs } from '../core/clock.ts'
import type { ScanState } from './scan-state.ts'

/** A received upload. */
export interface ReceivedFile {
  fileName: string
  contentType: string
  /** Null if a virus was found: the content was discarded, and `sha256` and `size` describe an empty file. */
  blob: string | null
  sha256: string
  size: number
  scan: ScanState
  uploadedAt: EpochMs
}
