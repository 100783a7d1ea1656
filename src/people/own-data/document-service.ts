import type { Draft, DraftFile } from '../../apply/form/draft.ts'
import type { ReadWay } from '../../model/application-read.ts'
import { candidateStatusLabels, reasonLabels } from '../../model/application-status.ts'
import type { Resume } from '../../model/candidate.ts'
import { categoriesOf, categoryLabels } from '../../model/categories.ts'
import { isMuted, topics } from '../../model/notice-topics.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { safeFileName } from '../../platform/core/file-name.ts'
import type { SessionOnList } from '../account/session-store.ts'
import type { Disclosure } from '../activity/sharing-history.ts'
import type { Passkey, TotpFactor } from '../factors/records.ts'
import type { LinkedIdentity } from '../identities/records.ts'
import type {
  OwnAccount,
  OwnApplicationFile,
  OwnConsent,
  OwnLink,
  OwnMembership,
  OwnSentApplication,
  OwnStartedApplication,
} from './own-data-store.ts'

/** Formats everything about a candidate for the exported JSON file: plain words, and times in ISO 8601. */

/** The path of a file in the archive, or the reason it is missing. */
export interface Packed {
  path?: string
  note?: string
}

export const packedNotes = {
  infected: 'We found a virus in this file, so its content was discarded.',
  unreadable: 'This file could not be read when this download was prepared.',
  newer: 'This file was added while this download was being prepared. Download again to get it.',
} as const

/** The number distinguishes files of the same name and avoids names that some systems reject. */
export function resumePath(number: number, { fileName }: Pick<ReceivedFile, 'fileName'>): string {
  return `resumes/${safeFileName(`${number}-${fileName}`)}`
}

export function attachmentPath(applicationId: number, { type, fileName }: OwnApplicationFile): string {
  return `applications/${applicationId}/${safeFileName(`${type}-${fileName}`)}`
}

export function accountEntry(account: OwnAccount, madeAt: EpochMs) {
  return {
    madeAt: time(madeAt),
    account: {
      id: account.candidateId,
      email: account.email,
      emailConfirmed: time(account.emailConfirmedAt),
      firstName: account.firstName,
      lastName: account.lastName,
      created: time(account.createdAt),
    },
    notifications: {
      ...Object.fromEntries(topics.map(topic => [topic, isMuted(account.muted, topic) ? 'off' : 'on'])),
      rejectedByMailServer: time(account.mailRefusedAt),
    },
    profile: account.profile,
  }
}

export function resumeEntry(resume: Resume, packed: Packed) {
  return { id: resume.id, isDefault: resume.isDefault, ...fileEntry(resume, packed) }
}

export function applicationEntry(
  application: OwnSentApplication,
  packedOf: (file: OwnApplicationFile) => Packed,
) {
  return {
    id: application.applicationId,
    sent: time(application.submittedAt),
    jobAd: {
      id: application.jobAdId,
      title: application.jobTitle,
      location: application.jobLocation,
      advertiser: application.advertiserName,
      reference: application.jobReference,
    },
    status: candidateStatusLabels[application.status],
    history: application.history.map(({ at, kind, status, text, reason }) => ({
      at: time(at),
      what: kind === 'document' ? `document replaced: ${text}` : candidateStatusLabels[status ?? 'withdrawn'],
      ...(reason === null ? {} : { reason: reasonLabels[reason] }),
    })),
    reads: application.reads.map(({ day, agentName, way, isByProgram }) => ({
      day,
      by: agentName ?? application.advertiserName,
      ...(agentName === null ? {} : { onBehalfOf: application.advertiserName }),
      how: readWays[way],
      byProgram: isByProgram,
    })),
    ...(application.erasedAt === null ? {} : { erased: time(application.erasedAt) }),
    ...(application.privacyNotice === null ? {} : { privacyNotice: application.privacyNotice }),
    ...(application.keptUntil === null ? {} : { keptForOtherJobsUntil: application.keptUntil }),
    contact: application.contact,
    currentWork: application.primaryJobSeekingInfo,
    questions: application.questions.map(({ text, type, kind, answers }) => ({
      question: text,
      type: kind ?? type,
      answers: answers.map(answer => ({ text: answer.text, chosen: answer.selected })),
    })),
    files: application.files.map(file => ({ type: file.type, ...fileEntry(file, packedOf(file)) })),
  }
}

export const draftPath = (number: number, { field, fileName }: DraftFile): string =>
  `drafts/${number}/${safeFileName(`${field}-${fileName}`)}`

export function draftEntry(draft: Draft, packedOf: (file: DraftFile) => Packed) {
  const { answers, ...typed } = draft.content
  return {
    id: draft.id,
    jobAd: { id: draft.jobAdId, title: draft.jobTitle, advertiser: draft.advertiserName },
    saved: time(draft.savedAt),
    keptUntil: time(draft.expiresAt),
    typed,
    answers: answers.map(({ question, words }) => ({ question, answers: words })),
    files: draft.files.map(file => ({ field: file.field, ...fileEntry(file, packedOf(file)) })),
  }
}

const readWays: Record<ReadWay, string> = {
  view: 'opened',
  download: 'downloaded documents',
  list: 'collected in a list',
  export: 'exported with a list',
}

export function startedEntry({ createdAt, updatedAt, completedAt, ...application }: OwnStartedApplication) {
  const { clientName, advertiserName, reported, ...rest } = application
  return {
    website: clientName,
    advertiser: advertiserName,
    ...rest,
    begun: time(createdAt),
    lastRequest: time(updatedAt),
    completed: time(completedAt),
    reported: reported.map(({ at, status, reason }) => ({
      at: time(at),
      status: candidateStatusLabels[status],
      reason: reason ? reasonLabels[reason] : undefined,
    })),
  }
}

export function consentEntry(consent: OwnConsent) {
  return {
    website: consent.clientName,
    onBehalfOf: consent.advertiserName,
    scope: consent.scope,
    shares: categoriesInWords(consent.released & consent.filled),
    given: time(consent.createdAt),
    lastDecided: time(consent.decidedAt),
    withdrawn: time(consent.withdrawnAt),
  }
}

export function disclosureEntry(disclosure: Disclosure) {
  return {
    at: time(disclosure.disclosedAt),
    website: disclosure.clientName,
    onBehalfOf: disclosure.advertiserName,
    what: disclosure.kind === 'resume' ? ['Resume'] : categoriesInWords(disclosure.categories),
    how: disclosure.kind === 'resume' ? 'downloaded the resume' : 'received the profile',
  }
}

export function sessionEntry({ browser, network, factors, ...times }: SessionOnList) {
  const { createdAt, lastUsedAt, provedAt } = times
  const used = {
    signedIn: time(createdAt),
    lastUsed: time(lastUsedAt),
    lastConfirmed: time(Math.max(createdAt, provedAt)),
  }
  const secondFactor =
    factors.find(factor => !['password', 'link', 'code', 'provider'].includes(factor)) ?? null
  return { browser, network, secondFactor, ...used }
}

/** Never the secret itself. */
export function appEntry({ createdAt, lastUsedAt }: TotpFactor) {
  return { kind: 'authenticator app', added: time(createdAt), lastUsed: time(lastUsedAt) }
}

export function passkeyEntry({ name, createdAt, lastUsedAt }: Passkey) {
  return { kind: 'passkey', name, added: time(createdAt), lastUsed: time(lastUsedAt) }
}

export function identityEntry({ issuer, subject, linkedAt, lastUsedAt }: LinkedIdentity) {
  return { issuer, subject, linked: time(linkedAt), lastUsed: time(lastUsedAt) }
}

export function membershipEntry({ advertiserName, agentName, role, since, rhythm }: OwnMembership) {
  const work = { role, since: time(since) }
  if (agentName !== undefined) return { agent: agentName, ...work }
  if (advertiserName === undefined) return { operates: 'this website', ...work }
  return { advertiser: advertiserName, ...work, notifications: rhythm }
}

export function linkEntry({ purpose, email, expiresAt }: OwnLink) {
  return { purpose, email, validUntil: time(expiresAt) }
}

const virusScans: Record<ReceivedFile['scan'], string> = {
  unscanned: 'not scanned',
  'not-judged': 'cannot be scanned',
  clean: 'clean',
  infected: 'virus found',
}

function fileEntry(file: ReceivedFile, packed: Packed) {
  return {
    fileName: file.fileName,
    contentType: file.contentType,
    bytes: file.size,
    sha256: file.sha256,
    uploaded: time(file.uploadedAt),
    virusScan: virusScans[file.scan],
    ...packed,
  }
}

/** Every consent includes name and email address. */
function categoriesInWords(bits: number): string[] {
  return ['Name', 'Email address', ...categoriesOf(bits).map(category => categoryLabels[category])]
}

function time(at: EpochMs): string
function time(at: EpochMs | null): string | null
function time(at: EpochMs | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

export function readmeText(board: string, email: string, madeAt: EpochMs): string {
  return `Everything ${board} holds about ${email}, as of ${time(madeAt)}.

data.json
    All the data in one file, readable by programs and people. Times are in UTC.
      account, profile     your account and profile details
      notifications        which emails you get from us
      resumes              the resumes in your account
      applications         the applications you sent from here, with your answers, their
                           status, what happened to them, and who has read them
      drafts               applications you have saved and not sent
      startedApplications  the applications you started on other websites with data from here,
                           and what those websites said became of them
      consents             who can see your profile, or could until you withdrew access
      disclosures          everything shared from your profile: with whom, when and what
      sessions             the browsers you are signed in with
      secondFactors        what two-step sign-in asks you for, without its secrets
      workplaces           the companies and agents you work for, your role there, and how
                           often we email you about applications
      openLinks            links we emailed you that still work
    Each file has a "path", its place in this archive, or a "note" saying why it is missing.

resumes/
    The files of your resumes.

applications/
    The files you sent, in a folder for each application.

drafts/
    The files of your drafts, in a folder for each draft.

Not included: your password and the secrets that keep you signed in. We store only
hashes of them, which cannot be reversed.
`
}
