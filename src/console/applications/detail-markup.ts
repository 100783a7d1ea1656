import type { Hold } from '../../collect/retention/hold-store.ts'
import type { ApplicationDetail, Neighbours } from '../../collect/search/results.ts'
import type { ApplicationSearch } from '../../collect/search/service.ts'
import type { AdVersion } from '../../model/ad-version.ts'
import {
  answerFileType,
  type QuestionnaireResult,
  type ResultQuestion,
  type StoredFile,
} from '../../model/application.ts'
import { privacyNoticeHref } from '../../model/privacy-notice.ts'
import {
  answerInWords,
  answerTypeOf,
  isTyped,
  type Question,
  type Questionnaire,
} from '../../model/questionnaire.ts'
import { passes } from '../../model/questionnaire-outcome.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { mailtoUrl } from '../../platform/core/email.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { type BadgeKind, badge, notice } from '../../platform/web/components.ts'
import { filePreview } from '../../platform/web/file-preview.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { icon } from '../../platform/web/icons.ts'
import { dayElement, shortTime, zonedDay, zonedTime } from '../../platform/web/time.ts'
import { fileLabel, jobLabel, questionnaireBadge, zoneInWords } from './markup.ts'
import { historyMarkup, type ProgressMarkup, progressMarkup } from './progress-markup.ts'

interface DetailMarkup {
  /** Path of the application. */
  path: string
  advertiserId: number
  listPath: string
  application: ApplicationDetail
  /** Other applications of the same person. */
  related: Awaited<ReturnType<ApplicationSearch['related']>>
  answered: QuestionnaireResult | undefined
  /** The current version of the questionnaire, if it exists. */
  questionnaire: (Questionnaire & { updatedAt: number }) | undefined
  /** Whether unscanned files are withheld. */
  holdsUnscanned: boolean
  progress: ProgressMarkup
  retention: RetentionMarkup
  adVersionMarkup(ad: AdVersion): Html
}

/** How long an application is kept. */
export interface RetentionMarkup extends Pick<Forms, 'ownForm'> {
  path: string
  /** Where admins change the period; undefined for recruiters, who can change nothing about it. */
  periodPath: string | undefined
  hold: Hold | undefined
  /** Null: the period has no end. */
  dueAt: EpochMs | null
  /** The last day for which the candidate lets the company keep it for other jobs; null: none, or no longer. */
  keptUntil: string | null
  timeZone: string
}

export function detailMarkup(detail: DetailMarkup): Html {
  const { application, progress, retention } = detail
  const { erasedAt, erasure } = application
  const { timeZone } = progress
  const isDue = erasedAt === null && erasure !== null && retention.hold === undefined
  return html`${erasedAt !== null && notice('info', html`<p>The personal details were removed from this application on ${zonedTime(erasedAt, timeZone)}.</p>`)}
${isDue && notice('warning', html`<p>${erasureTexts[erasure.reason](zonedTime(erasure.dueAt, timeZone))}</p>`)}
${holdNotice(retention)}
<div class="reader"><div>
${progressMarkup(progress)}
${factsMarkup(detail, timeZone)}
${historyMarkup(progress)}
${erasedAt === null && !isDue && retentionCard(retention)}
${relatedMarkup(detail)}
${application.seenAd && detail.adVersionMarkup(application.seenAd)}
${answersMarkup(detail)}</div>
${filesMarkup(detail)}</div>`
}

const erasureTexts: Record<NonNullable<ApplicationDetail['erasure']>['reason'], (at: Html) => Html | string> =
  {
    account: at =>
      html`This candidate has deleted their account. Their personal details will be removed from this application on ${at}. You may use them for this job until then.`,
    withdrawn: at =>
      html`This candidate has withdrawn the application. Their personal details will be removed from it on ${at}.`,
    retention: () =>
      'Your company’s period for keeping applications is over. The personal details will be removed from this one within minutes.',
  }

/** Says who put the application on hold, when and why. */
function holdNotice({ path, periodPath, hold, timeZone, ownForm }: RetentionMarkup): Html | false {
  if (hold === undefined) return false
  const { placedBy, placedByName, reason } = hold
  const at = zonedTime(hold.placedAt, timeZone)
  const by =
    placedBy === null
      ? 'the operator'
      : placedByName === null
        ? 'a former colleague'
        : isolateBidi(placedByName)
  return notice(
    'warning',
    html`<p><strong>On hold for a dispute</strong> by ${by} since ${at}. Nothing of it is erased while it is on hold.</p>
<p class="written">${reason}</p>
${
  periodPath !== undefined &&
  ownForm({
    action: `${path}/hold`,
    content: html`<p class="hint">If it is due by now, it will be erased soon after you release it.</p>
<button class="second small" name="action" value="release">Release application</button>`,
  })
}`,
  )
}

function retentionCard({
  path,
  periodPath,
  hold,
  dueAt,
  keptUntil,
  timeZone,
}: RetentionMarkup): Html | false {
  if (hold !== undefined) return false
  return html`<section class="card"><h2>Keeping</h2>
<p>${dueAt === null ? 'Kept without an end date.' : html`Kept until ${zonedDay(dueAt - 1, timeZone)}.`}</p>
${keptUntil !== null && html`<p>The candidate lets you keep it for other jobs until ${dayElement(Date.parse(keptUntil))}.</p>`}
${periodPath !== undefined && html`<p class="actions"><a href="${path}/hold">Hold for a dispute</a> <a href="${periodPath}">Change the period</a></p>`}</section>`
}

/** Links to the previous and next application of the list. `reader.js` follows them by key. */
export function neighboursMarkup(
  { newerId, olderId, place }: Neighbours,
  { listPath, search }: { listPath: string; search: string },
): Html {
  const link = (id: number | undefined, rel: 'prev' | 'next', keys: string, content: Html) =>
    id !== undefined &&
    html`<a class="button second small" rel="${rel}" href="${listPath}/${id}${search}" aria-keyshortcuts="${keys}">${content}</a>`
  return html`<nav class="actions tight" aria-label="Other applications">${place && html`<span class="quiet">${placeText(place)}</span>`}${link(newerId, 'prev', 'K ArrowLeft', html`${icon('previous')}Previous`)}${link(olderId, 'next', 'J ArrowRight', html`Next${icon('next')}`)}${
    (newerId ?? olderId) !== undefined &&
    html`<button class="second small" type="button" data-keys aria-pressed="true" title="Go on with the keys J or →, and back with K or ←. Press this button to turn J and K off." hidden>Keys J, K</button>`
  }</nav>`
}

function placeText({ number, total: { count, isMore } }: NonNullable<Neighbours['place']>): string {
  return isMore ? `${number} of more than ${count}` : `${number} of ${count}`
}

function factsMarkup({ application, advertiserId }: DetailMarkup, timeZone: string): Html {
  const { id, contact, jobAd, jobReference, submittedAt, erasedAt, privacyNotice } = application
  const work = workInWords(application)
  return html`<section class="card"><h2 class="visually-hidden">Contact and job</h2><dl class="values beside">
${
  erasedAt === null &&
  html`<dt>Email</dt><dd><a href="${mailtoUrl(contact.email)}">${contact.email}</a></dd>
<dt>Phone</dt><dd>${contact.phone === '' ? 'None given' : phoneMarkup(contact.phone)}</dd>`
}
${jobAd !== null && html`<dt>Job ad</dt><dd><a href="/jobs/${jobAd.id}">${isolateBidi(jobAd.title)}</a></dd>`}
<dt>Reference</dt><dd>${jobReference ?? 'None given'}</dd>
<dt>Submitted</dt><dd>${zonedTime(submittedAt, timeZone)} <span class="hint">${zoneInWords(timeZone)} time</span></dd>
${privacyNotice && html`<dt>Privacy notice</dt><dd><a href="${privacyNoticeHref(advertiserId, privacyNotice)}">Version ${privacyNotice.version}</a></dd>`}
${work.length > 0 && html`<dt>Latest job</dt><dd>${work.map((words, index) => html`${index > 0 && ' · '}${words}`)}</dd>`}
${erasedAt === null && html`<dt>Application</dt><dd>${id}</dd>`}</dl></section>`
}

/** A `tel:` link without spaces and brackets; text that is not a number, such as "after 5 pm", is not linked. */
function phoneMarkup(phone: string): Html {
  const dialled = phone.replace(/[\s().-]/g, '')
  return /^\+?\d{3,20}$/.test(dialled) ? html`<a href="tel:${dialled}">${phone}</a>` : html`${phone}`
}

function workInWords({ primaryJobSeekingInfo: info }: ApplicationDetail): (Html | string)[] {
  const { jobTitle, companyName, timeInRoleMonths, isNewToWorkForce } = info ?? {}
  return [
    jobTitle !== undefined && isolateBidi(jobTitle),
    companyName !== undefined && isolateBidi(companyName),
    timeInRoleMonths !== undefined && durationText(timeInRoleMonths),
    isNewToWorkForce === true && 'New to the workforce',
  ].filter(words => words !== false)
}

function durationText(months: number): string {
  const years = Math.floor(months / 12)
  const rest = months % 12
  const parts = [
    years > 0 && (years === 1 ? '1 year' : `${years} years`),
    rest > 0 && (rest === 1 ? '1 month' : `${rest} months`),
  ]
  return parts.filter(part => part !== false).join(' ') || 'Less than a month'
}

function relatedMarkup({
  related: { shown, hasMore },
  application,
  listPath,
  progress,
}: DetailMarkup): Html | false {
  if (shown.length === 0) return false
  const all = `${listPath}?${new URLSearchParams({ q: application.contact.email })}`
  return html`<section class="card"><h2>Other applications from this person</h2><ul class="plain">${shown.map(
    ({ id, jobAd, jobReference, submittedAt, isQuestionnairePassed }) =>
      html`<li class="line"><a class="row-link" href="${listPath}/${id}">${jobLabel(jobAd, jobReference)}</a> <span class="quiet">${shortTime(submittedAt, progress)}</span>${isQuestionnairePassed !== null && questionnaireBadge(isQuestionnairePassed)}</li>`,
  )}</ul>${hasMore && html`<p><a href="${all}">Show all</a></p>`}</section>`
}

function answersMarkup({ application, answered, questionnaire }: DetailMarkup): Html {
  if (answered === undefined)
    return html`<section class="card"><h2>Answers</h2><p class="quiet">No questionnaire.</p></section>`
  const outcomes = answered.questions.map(question => passesNow(question, questionnaire))
  const isChanged = questionnaire !== undefined && questionnaire.updatedAt > application.submittedAt
  const name = isolateBidi(answered.name)
  const isMarked = outcomes.some(outcome => outcome !== undefined)
  return html`<section class="card"><div class="page-head"><h2 class="first">Answers</h2>${questionnaireBadge(answered.successful)}</div>
<p>${answered.successful ? html`Questionnaire “${name}”: passed` : html`Questionnaire “${name}”: not passed`}</p>
${isMarked && isChanged && html`<p class="hint">The questionnaire has changed since. Marks use the current questionnaire; the overall result is from when the application was sent.</p>`}
${!isMarked && answered.questions.length > 0 && html`<p class="hint">Passing answers aren’t shown, because this questionnaire has since changed or isn’t one of yours.</p>`}
<dl class="values answers">${answered.questions.map((question, index) => answerMarkup(question, outcomes[index], index))}</dl></section>`
}

function answerMarkup(question: ResultQuestion, isPassed: boolean | undefined, index: number): Html {
  const given = question.answers.filter(({ selected }) => selected)
  const mark = isPassed !== undefined && html` ${questionnaireBadge(isPassed)}`
  if (given.length === 0) {
    return html`<dt>${question.text}</dt><dd><span class="quiet">Not answered</span>${mark}</dd>`
  }
  const words = (text: string) => {
    if (question.kind === 'file') return html`<a href="#${answerFileType(index)}">${isolateBidi(text)}</a>`
    if (question.kind === 'date') return dayElement(Date.parse(text))
    const isUrl = question.type === 'URLQuestion' && /^https?:\/\//i.test(text)
    return isUrl
      ? html`<a href="${text}" rel="nofollow noopener noreferrer" target="_blank">${text}</a>`
      : answerInWords(answerTypeOf(question), text)
  }
  return html`<dt>${question.text}</dt>${given.map(
    ({ text }, index) => html`<dd>${words(text)}${index === given.length - 1 && mark}</dd>`,
  )}`
}

const scanBadges: Record<StoredFile['scan'], BadgeKind> = {
  unscanned: 'neutral',
  'not-judged': 'warning',
  clean: 'good',
  infected: 'danger',
}

const scanTexts: Record<StoredFile['scan'], string> = {
  unscanned: 'Not checked for viruses',
  'not-judged': 'Can’t be checked for viruses',
  clean: 'No virus found',
  infected: 'Virus found',
}

export const withheldTexts = {
  infected: 'A virus was found in this file. We didn’t keep it, so there is nothing to download.',
  unscanned:
    'This file hasn’t been checked for viruses yet. You can download it once it has been, usually within a minute.',
  'not-judged':
    'This file can’t be downloaded: it is too large or too complex for the virus scanner, or protected by a password. Ask the candidate for another copy.',
}

export const noFilesText = 'No documents were sent.'

function filesMarkup({ path, application: { files }, holdsUnscanned, progress }: DetailMarkup): Html {
  if (files.length === 0)
    return html`<div><section class="card"><h2>Documents</h2><p class="quiet">${noFilesText}</p></section></div>`
  return html`<div class="files">${
    files.length > 1 &&
    html`<nav class="line" aria-label="Documents">${files.map(({ type }) => html`<a class="button second small" href="#${type}">${fileLabel(type)}</a>`)}${
      files.some(({ scan }) => withheldText(scan, holdsUnscanned) === undefined) &&
      html`<a class="button second small" href="${path}/files.zip" download>${icon('download')}All files as ZIP</a>`
    }</nav>`
  }${files.map(
    file => html`<section id="${file.type}"><div class="line"><h2 class="first">${fileLabel(file.type)}</h2>${badge(scanBadges[file.scan], scanTexts[file.scan])}<span class="hint">Uploaded on ${zonedTime(file.uploadedAt, progress.timeZone)}</span></div>
${fileMarkup(`${path}/files/${file.type}`, file, holdsUnscanned)}</section>`,
  )}</div>`
}

/** Why a file cannot be downloaded; undefined if it can. */
function withheldText(scan: StoredFile['scan'], holdsUnscanned: boolean): string | undefined {
  return scan === 'clean' || (scan !== 'infected' && !holdsUnscanned) ? undefined : withheldTexts[scan]
}

function fileMarkup(href: string, file: StoredFile, holdsUnscanned: boolean): Html {
  const { fileName: name, contentType, size, scan } = file
  const withheld = withheldText(scan, holdsUnscanned)
  if (withheld !== undefined) return html`<p>${isolateBidi(name)}</p><p>${withheld}</p>`
  return filePreview({ name, contentType, size, href, textHref: `${href}/text` })
}

/**
 * Whether an answer passes the current questionnaire. An application stores questions, answers and the overall result,
 * but not which answers pass. Undefined if that is unknown: the question was removed or reworded, or any answer passes.
 */
function passesNow(answered: ResultQuestion, questionnaire: Questionnaire | undefined): boolean | undefined {
  const question = questionnaire?.questions.find(({ id }) => id === answered.id)
  if (question === undefined || !isSame(question, answered) || !isDecisive(question)) return undefined
  const given = answered.answers.filter(({ selected }) => selected)
  const answer = isTyped(question.type) ? (given[0]?.text ?? '') : given.map(({ id }) => id)
  return passes(question, new Map([[question.id, answer]]))
}

function isSame(question: Question, answered: ResultQuestion): boolean {
  if (answerTypeOf(question) !== answerTypeOf(answered) || question.text !== answered.text) return false
  return (
    isTyped(question.type) ||
    (question.options.length === answered.answers.length &&
      question.options.every(({ id, text }) => {
        const option = answered.answers.find(answer => answer.id === id)
        return option?.text === text
      }))
  )
}

function isDecisive({ kind, isRequired, options, passingTexts }: Question): boolean {
  if (kind !== undefined) return false
  return isRequired || passingTexts.length > 0 || options.some(option => option.passes)
}
