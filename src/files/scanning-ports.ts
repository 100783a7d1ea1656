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

/** Files that wait for a verdict, of all candidates and advertisers, by blob. */
export interface ScanningStore {
  /** Ascending by name, each blob once. Only an empty page is the last. */
  unscanned(afterBlob: string, limit: number): Promise<{ blob: string; size: number }[]>
  resumesOf(blob: string): Promise<ScannedResume[]>
  attachmentsOf(blob: string): Promise<ScannedAttachment[]>
  /** Drops the content of an infected resume in the same step. False if the resume is gone or known to be infected. */
  recordResumeVerdict(candidateId: string, resumeId: string, verdict: Verdict, at: EpochMs): Promise<boolean>
}

/** Records the verdicts on an application's files. */
export interface VerdictStore {
  /**
   * Changes the file's row and the rendered application in one step; false if there is no such file. With a `blob`, only
   * if that is still its content: the candidate may have replaced the file since it was scanned.
   */
  recordVerdict(
    advertiserId: number,
    applicationId: number,
    type: FileType,
    verdict: Verdict,
    at: EpochMs,
    blob?: string,
  ): Promise<boolean>
}
