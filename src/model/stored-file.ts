import type { EpochMs } from '../core/clock.ts'
import type { ScanState } from './scan-state.ts'

/** What became of an upload. */
export interface ReceivedFile {
  fileName: string
  contentType: string
  /** Null when a virus was found: the content is gone, and `sha256` and `size` are those of nothing. */
  blob: string | null
  sha256: string
  size: number
  scan: ScanState
  uploadedAt: EpochMs
}
