import type { ScanState } from '../../platform/blobs/scan-state.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { toAestIso, toMsDate } from '../../platform/core/time/ms-date.ts'
import { xmlElement, xmlNil } from '../../platform/core/xml.ts'
import {
  type AnyFileType,
  type ApplicationFile,
  type Contact,
  type FileType,
  isDocument,
  type PrimaryJobSeekingInfo,
} from '../application.ts'

/**
 * Renders applications for version 1. Each is rendered when it is stored and whenever it changes; a list only joins the
 * stored pieces, so that reading is cheap.
 */
export type Format = 'json' | 'xml'

/**
 * Part of a list's ETag. Increase it with every change to the rendering, so that clients with a list in the old form do
 * not get 304. A test compares the rendering of each edition.
 */
export const renderingEdition = 1

/** The data shown in an application's rendering. */
export interface ApplicationView {
  id: number
  submittedAt: EpochMs
  contact: Contact
  jobSeekerId: string
  jobReference: string | null
  files: Pick<ApplicationFile, 'type' | 'sha256' | 'size' | 'scan' | 'uploadedAt'>[]
  primaryJobSeekingInfo: PrimaryJobSeekingInfo | null
  /** Hash and size of the screen's XML form, which its descriptor shows. */
  screen: { sha256: string; size: number } | null
}

/**
 * A rendered application without its closing, and the primary job-seeking info, which is inserted before the closing if
 * requested. `pieceSeparator` closes one application and opens the next.
 */
export interface Piece {
  body: string
  primaryInfo: string
}

export const pieceSeparator: Record<Format, string> = { json: '},', xml: '</JobApplication>' }

const attachmentOrder = ['resume', 'coverLetter', 'selectionCriteria', 'screen'] as const

interface AttachmentView {
  dateUploaded: EpochMs
  hasVirus: boolean | null
  hash: string
  href: string
  size: number
  type: (typeof attachmentOrder)[number]
}

const hasVirus: Record<ScanState, boolean | null> = {
  unscanned: null,
  'not-judged': null,
  clean: false,
  infected: true,
}

function attachmentsOf(application: ApplicationView): AttachmentView[] {
  const href = (type: string) => `advertiser/applications/${type.toLowerCase()}/${application.id}`
  const attachments: AttachmentView[] = application.files.filter(hasDocumentType).map(file => ({
    dateUploaded: file.uploadedAt,
    hasVirus: hasVirus[file.scan],
    hash: file.sha256,
    href: href(file.type),
    size: file.size,
    type: file.type,
  }))
  if (application.screen !== null) {
    attachments.push({
      dateUploaded: application.submittedAt,
      hasVirus: false,
      hash: application.screen.sha256,
      href: href('screen'),
      size: application.screen.size,
      type: 'screen',
    })
  }
  return attachments.sort((a, b) => attachmentOrder.indexOf(a.type) - attachmentOrder.indexOf(b.type))
}

/** Version 1 has no type for answers that are files, so they are not listed. */
const hasDocumentType = <File extends { type: AnyFileType }>(file: File): file is File & { type: FileType } =>
  isDocument(file.type)

export function renderApplication(format: Format, application: ApplicationView): Piece {
  return format === 'json' ? renderJson(application) : renderXml(application)
}

function renderJson(application: ApplicationView): Piece {
  const whole = JSON.stringify({
    ID: application.id,
    DateSubmitted: toMsDate(application.submittedAt),
    Email: application.contact.email,
    FirstName: application.contact.firstName,
    LastName: application.contact.lastName,
    Phone: application.contact.phone,
    JobSeekerID: application.jobSeekerId,
    JobReference: application.jobReference ?? undefined,
    Attachments: attachmentsOf(application).map(attachment => ({
      DateUploaded: toMsDate(attachment.dateUploaded),
      HasVirus: attachment.hasVirus,
      Hash: attachment.hash,
      Href: attachment.href,
      Size: attachment.size,
      Type: attachment.type,
    })),
  })
  const info = application.primaryJobSeekingInfo
  return {
    body: whole.slice(0, -1),
    primaryInfo:
      info === null
        ? ''
        : `,"PrimaryJobSeekingInfo":${JSON.stringify({
            JobTitle: info.jobTitle,
            CompanyName: info.companyName,
            TimeInRole: info.timeInRoleMonths,
            IsNewToWorkForce: info.isNewToWorkForce,
          })}`,
  }
}

function renderXml(application: ApplicationView): Piece {
  const attachments = attachmentsOf(application).map(
    attachment =>
      '<Attachment>' +
      xmlElement('DateUploaded', toAestIso(attachment.dateUploaded)) +
      (attachment.hasVirus === null ? xmlNil('HasVirus') : xmlElement('HasVirus', attachment.hasVirus)) +
      xmlElement('Hash', attachment.hash) +
      xmlElement('Href', attachment.href) +
      xmlElement('Size', attachment.size) +
      xmlElement('Type', attachment.type) +
      '</Attachment>',
  )
  const info = application.primaryJobSeekingInfo
  return {
    body:
      '<JobApplication>' +
      xmlElement('ID', application.id) +
      xmlElement('DateSubmitted', toAestIso(application.submittedAt)) +
      xmlElement('Email', application.contact.email) +
      xmlElement('FirstName', application.contact.firstName) +
      xmlElement('LastName', application.contact.lastName) +
      xmlElement('Phone', application.contact.phone) +
      xmlElement('JobSeekerID', application.jobSeekerId) +
      optionalElement('JobReference', application.jobReference ?? undefined) +
      `<Attachments>${attachments.join('')}</Attachments>`,
    primaryInfo:
      info === null
        ? ''
        : '<PrimaryJobSeekingInfo>' +
          optionalElement('JobTitle', info.jobTitle) +
          optionalElement('CompanyName', info.companyName) +
          optionalElement('TimeInRole', info.timeInRoleMonths) +
          xmlElement('IsNewToWorkForce', info.isNewToWorkForce) +
          '</PrimaryJobSeekingInfo>',
  }
}

function optionalElement(name: string, value: string | number | undefined): string {
  return value === undefined ? '' : xmlElement(name, value)
}
