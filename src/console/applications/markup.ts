import type { FoundApplication, Total } from '../../collect/search/results.ts'
import { type AnyFileType, type FileType, isDocument, questionNumberOf } from '../../model/application.ts'
import { type ApplicationStatus, statusLabels } from '../../model/application-status.ts'
import { numberText } from '../../platform/core/locale.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { type BadgeKind, badge } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'

/** Shared by the pages about applications. */

const documentLabels: Record<FileType, string> = {
  resume: 'Resume',
  coverLetter: 'Cover letter',
  selectionCriteria: 'Selection criteria',
}

export const fileLabel = (type: AnyFileType): string =>
  isDocument(type) ? documentLabels[type] : `Answer ${questionNumberOf(type)}`

/** `America/New York` */
export const zoneInWords = (timeZone: string) => timeZone.replaceAll('_', ' ')

export { numberText as numberInWords }
export const totalInWords = ({ count, isMore }: Total) => `${numberText(count)}${isMore ? '+' : ''}`

export const daysInWords = (days: number) => (days === 1 ? '1 day' : `${days} days`)
export const unansweredText = (days: number) => `No answer for ${daysInWords(days)}`

export const erasedName = 'Erased'

export const nameOf = ({ contact }: Pick<FoundApplication, 'contact'>): string =>
  `${contact.firstName} ${contact.lastName}`.trim()

// Rendered once: lists repeat them in every row.
const quiet = (text: string) => html`<span class="quiet">${text}</span>`
const noJob = quiet('No reference')
const noQuestionnaire = quiet('None')
const passed = badge('good', 'Passed')
const failed = badge('warning', 'Failed')

export function jobLabel(
  jobAd: FoundApplication['jobAd'],
  reference: FoundApplication['jobReference'],
): Html {
  if (jobAd === null && reference === null) return noJob
  return html`${isolateBidi(jobAd?.title ?? reference ?? '')}${jobAd !== null && reference !== null && html` <span class="quiet">${isolateBidi(reference)}</span>`}`
}

export const questionnaireBadge = (isPassed: boolean | null): Html =>
  isPassed === null ? noQuestionnaire : isPassed ? passed : failed

const statusKinds: Record<ApplicationStatus, BadgeKind> = {
  new: 'accent',
  seen: 'neutral',
  'in-review': 'neutral',
  shortlisted: 'good',
  interview: 'good',
  offer: 'good',
  'not-suitable': 'warning',
  hired: 'good',
  withdrawn: 'danger',
}

export const statusBadge = (status: ApplicationStatus): Html =>
  badge(statusKinds[status], statusLabels[status])
