import type { Contact, FileType, PrimaryJobSeekingInfo, ScreenResult } from '../../model/application.ts'
import type { ScanState } from '../../model/scan-state.ts'

export interface DemoFile {
  type: FileType
  /** Name in src/demo/world/files: plain ASCII, whatever script the shown name is in. */
  asset: string
  /** The name that the candidate gave the file, and that a download shows. */
  fileName: string
  contentType: string
  scan: ScanState
}

/** An application as the demo world loads it. Its ID is given by the store, its date is fixed here. */
export interface DemoApplication {
  advertiserId: number
  /** ISO 8601 with +10:00, the zone in which version 1 shows it. */
  submittedAt: string
  jobSeekerId: string
  contact: Contact
  jobReference?: string
  files: DemoFile[]
  primaryJobSeekingInfo?: PrimaryJobSeekingInfo
  screen?: ScreenResult
}

const contentTypes: Record<string, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  rtf: 'application/rtf',
  txt: 'text/plain',
}

/** An attachment as it was uploaded, with the content type that its extension stands for. */
export function file(type: FileType, asset: string, fileName: string, scan: ScanState = 'clean'): DemoFile {
  const contentType = contentTypes[asset.slice(asset.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  return { type, asset, fileName, contentType, scan }
}
