import type {
  Contact,
  FileType,
  PrimaryJobSeekingInfo,
  QuestionnaireResult,
} from '../../model/application.ts'
import type { ScanState } from '../../platform/blobs/scan-state.ts'

export interface DemoFile {
  type: FileType
  /** Name in src/demo/world/files: plain ASCII, even if the file name shown is not. */
  asset: string
  /** The candidate's name for the file, used for downloads. */
  fileName: string
  contentType: string
  scan: ScanState
}

/** An application of the demo world. The store assigns its ID; its date is fixed here. */
export interface DemoApplication {
  advertiserId: number
  /** ISO 8601 with the offset of the board. */
  submittedAt: string
  jobSeekerId: string
  contact: Contact
  jobReference?: string
  files: DemoFile[]
  primaryJobSeekingInfo?: PrimaryJobSeekingInfo
  screen?: QuestionnaireResult
}

const contentTypes: Record<string, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  rtf: 'application/rtf',
  txt: 'text/plain',
}

/** An attachment with the content type of its extension. */
export function file(type: FileType, asset: string, fileName: string, scan: ScanState = 'clean'): DemoFile {
  const contentType = contentTypes[asset.slice(asset.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  return { type, asset, fileName, contentType, scan }
}
