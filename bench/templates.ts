import type { Selectable } from 'kysely'
import type { ApplicationDraft, QuestionnaireResult } from '../src/model/application.ts'
import { type ApplicationView, type Format, renderApplication } from '../src/model/v1/rendering.ts'
import { type RenderedScreen, renderScreen } from '../src/model/v1/screen-rendering.ts'
import { toAestIso } from '../src/platform/core/time/ms-date.ts'
import type { Schema } from '../src/platform/database/tables.ts'
import { scanColumns } from '../src/schema/scan-columns.ts'
import { searchTerms } from '../src/schema/writing/search-terms.ts'
import { believableDraft } from './believable.ts'

/**
 * Applications as the real rendering writes them, with placeholders for the ID and the date. They are rendered once, and
 * each database makes as many applications from them as needed, in seconds instead of many minutes.
 */

export type ApplicationTable =
  | 'applications'
  | 'application_files'
  | 'application_screens'
  | 'application_pieces'
  | 'application_terms'
export type Rows = { [T in ApplicationTable]: Selectable<Schema[T]>[] }

export const idMark = '\u0001'
export const dateMark = '\u0002'
/** Application N is made from template N modulo this. */
export const templateCount = 10_000

/** Numbers that occur nowhere else in an application, to locate the placeholders. */
const anyId = 987_654_321_987
const anyDate = Date.UTC(2001, 1, 3, 4, 5, 6)
const formats: readonly Format[] = ['json', 'xml']

export function templateRows(): Rows {
  const rows: Rows = {
    applications: [],
    application_files: [],
    application_screens: [],
    application_pieces: [],
    application_terms: [],
  }
  for (let serial = 0; serial < templateCount; serial++) addRows(rows, serial)
  return rows
}

/** One application, rendered by the service's own code. */
export function pieceOf(format: Format, id: number, submittedAt: number) {
  const { body, primaryInfo } = renderApplication(format, viewOf(id % templateCount, id, submittedAt))
  return { body, primary_info: primaryInfo }
}

function addRows(rows: Rows, serial: number): void {
  const draft = believableDraft(serial, anyDate)
  const screen = draft.screen === undefined ? null : rendered(draft.screen)
  const owner = { advertiser_id: 0, application_id: serial }
  rows.applications.push(applicationRow(serial, draft))
  for (const file of draft.files) {
    rows.application_files.push({
      ...owner,
      type: file.type,
      file_name: file.fileName,
      content_type: file.contentType,
      blob: file.blob,
      sha256: file.sha256,
      size: file.size,
      ...scanColumns(file.scan),
      uploaded_at: file.uploadedAt,
      changed_at: file.uploadedAt,
    })
  }
  if (screen !== null) {
    const { json, xml, sha256, size, details } = screen
    const successful = Number(draft.screen?.successful)
    rows.application_screens.push({ ...owner, json, xml, sha256, size, successful, details })
  }
  for (const term of searchTerms(draft.contact, draft.jobReference ?? null)) {
    rows.application_terms.push({ ...owner, term })
  }
  for (const format of formats) {
    const { body, primaryInfo } = renderApplication(format, viewOf(serial, anyId, anyDate))
    const marked = body
      .replaceAll(String(anyId), idMark)
      .replaceAll(format === 'json' ? String(anyDate) : toAestIso(anyDate), dateMark)
    rows.application_pieces.push({
      advertiser_id: 0,
      format,
      id: serial,
      body: marked,
      primary_info: primaryInfo,
    })
  }
}

function viewOf(serial: number, id: number, submittedAt: number): ApplicationView {
  const draft = believableDraft(serial, submittedAt)
  return {
    id,
    submittedAt,
    contact: draft.contact,
    jobSeekerId: draft.jobSeekerId,
    jobReference: draft.jobReference ?? null,
    files: draft.files,
    primaryJobSeekingInfo: draft.primaryJobSeekingInfo ?? null,
    screen: draft.screen === undefined ? null : rendered(draft.screen),
  }
}

function applicationRow(serial: number, draft: ApplicationDraft) {
  const { contact, primaryJobSeekingInfo: info } = draft
  return {
    advertiser_id: 0,
    id: serial,
    submitted_at: anyDate,
    job_seeker_id: draft.jobSeekerId,
    email: contact.email,
    first_name: contact.firstName,
    last_name: contact.lastName,
    phone: contact.phone,
    job_reference: draft.jobReference ?? null,
    job_title: info?.jobTitle ?? null,
    company_name: info?.companyName ?? null,
    time_in_role_months: info?.timeInRoleMonths ?? null,
    is_new_to_work_force: info === undefined ? null : Number(info.isNewToWorkForce),
    // Two in three were made for one of fifty ads; bench/page-rows.ts makes those of the large advertiser.
    job_ad_id: serial % 3 === 0 ? null : 1 + (serial % 50),
    screen_successful: draft.screen === undefined ? null : Number(draft.screen.successful),
    has_virus: Number(serial % 1_000 === 1),
    erased_at: null,
    privacy_version: null,
    ad_version: null,
    status: 'new' as const,
  }
}

const screens = new Map<QuestionnaireResult, RenderedScreen>()

/** Few questionnaires are in use at once, so each answered form is rendered once. */
function rendered(screen: QuestionnaireResult): RenderedScreen {
  let known = screens.get(screen)
  if (known === undefined) {
    known = renderScreen(screen)
    screens.set(screen, known)
  }
  return known
}
