import type { EpochMs } from '../core/clock.ts'
import type { FileType } from '../model/application.ts'
import type { ScanState, Verdict } from '../model/scan-state.ts'

export interface ScannedResume {
  candidateId: string
  resumeId: string
  scan: ScanState
}

export interface ScannedAttachment {
  advertiserId: number
  applicationId: number
  type: FileType
  scan: ScanState
}

/** What waits for a verdict, whoever it belongs to, by the blob that holds its bytes. */
export interface ScanningStore {
  /** By ascending name, each blob once; not the end unless it is empty. */
  unscanned(afterBlob: string, limit: number): Promise<{ blob: string; size: number }[]>
  resumesOf(blob: string): Promise<ScannedResume[]>
  attachmentsOf(blob: string): Promise<ScannedAttachment[]>
  /** When it is infected, its content is let go of in the same step. False when it is gone, or known to be infected. */
  recordResumeVerdict(candidateId: string, resumeId: string, verdict: Verdict, at: EpochMs): Promise<boolean>
}

/** Where the verdicts on an application's files go. */
export interface VerdictStore {
  /** Changes the file's row and the rendered application in one step; false when there is no such file. */
  recordVerdict(
    advertiserId: number,
    applicationId: number,
    type: FileType,
    verdict: Verdict,
    at: EpochMs,
  ): Promise<boolean>
}
