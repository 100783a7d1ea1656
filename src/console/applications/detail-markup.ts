import type { ApplicationDetail, ApplicationFinding, Neighbours } from '../../collect/search/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import { mailtoUrl } from '../../core/email.ts'
import type { QuestionnaireResult, ResultQuestion, StoredFile } from '../../model/application.ts'
import { answerInWords, type Questionnaire } from '../../model/questionnaire.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type BadgeKind, badge, notice } from '../../web/components.ts'
import { filePreview } from '../../web/file-preview.ts'
import { type Html, html } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { shortTime, zonedTime } from '../../web/time.ts'
import { passesNow } from './answer-outcome.ts'
import { applicationDetailTexts as texts } from './detail-texts.ts'
import { holdMarkup, type KeepingMarkup, keepingMarkup } from './hold-markup.ts'
import { jobLabel, questionnaireBadge } from './markup.ts'
import { historyMarkup, type ProgressMarkup, progressMarkup } from './progress-markup.ts'
import { fileLabels } from './texts.ts'

interface DetailMarkup {
  /** Of the application. */
  path: string
  listPath: string
  application: ApplicationDetail
  /** Other applications of the same person. */
  related: Awaited<ReturnType<ApplicationFinding['related']>>
  now: EpochMs
  answered: QuestionnaireResult | undefined
  /** The current version of the questionnaire, if it exists. */
  screen: (Questionnaire & { updatedAt: number }) | undefined
  /** Whether unscanned files are withheld. */
  holdsUnscanned: boolean
  timeZone: string
  progress: ProgressMarkup
  keeping: KeepingMarkup
}

export function detailMarkup(detail: DetailMarkup): Html {
  const { application, timeZone, keeping } = detail
  const { erasedAt, erasure } = application
  const isDue = erasedAt === null && erasure !== null && keeping.hold === undefined
  return html`${erasedAt !== null && notice('info', texts.erased(zonedTime(erasedAt, timeZone)))}
${isDue && notice('warning', texts.erasureDue[erasure.reason](zonedTime(erasure.dueAt, timeZone)))}
${holdMarkup(keeping)}
<div class="reader"><div>
${progressMarkup(detail.progress)}
${factsMarkup(application, timeZone)}
${historyMarkup(detail.progress)}
${erasedAt === null && !isDue && keepingMarkup(keeping)}
${relatedMarkup(detail)}
${answersMarkup(detail)}</div>
${filesMarkup(detail)}</div>`
}

/** Links to the previous and next application of the list. `reader.js` follows them by key. */
export function neighboursMarkup(
  { newerId, olderId, place }: Neighbours,
  { listPath, search }: { listPath: string; search: string },
): Html {
  const link = (id: number | undefined, rel: 'prev' | 'next', keys: string, content: Html) =>
    id !== undefined &&
    html`<a class="button second small" rel="${rel}" href="${listPath}/${id}${search}" aria-keyshortcuts="${keys}">${content}</a>`
  return html`<nav class="actions tight" aria-label="${texts.neighbours}">${place && html`<span class="quiet">${texts.place(place)}</span>`}${link(newerId, 'prev', 'K ArrowLeft', html`${icon('previous')}${texts.newer}`)}${link(olderId, 'next', 'J ArrowRight', html`${texts.older}${icon('next')}`)}${
    (newerId ?? olderId) !== undefined &&
    html`<button class="second small" type="button" data-keys aria-pressed="true" title="${texts.keysHint}" hidden>${texts.keys}</button>`
  }</nav>`
}

function factsMarkup(application: ApplicationDetail, timeZone: string): Html {
  const { id, contact, jobAd, jobReference, submittedAt, erasedAt } = application
  const work = workInWords(application)
  return html`<section class="card"><h2 class="for-readers">${texts.facts}</h2><dl class="values beside">
${
  erasedAt === null &&
  html`<dt>${texts.email}</dt><dd><a href="${mailtoUrl(contact.email)}">${contact.email}</a></dd>
<dt>${texts.phone}</dt><dd>${contact.phone === '' ? texts.noPhone : phoneMarkup(contact.phone)}</dd>`
}
${jobAd !== null && html`<dt>${texts.ad}</dt><dd><a href="/jobs/${jobAd.id}">${isolateBidi(jobAd.title)}</a></dd>`}
<dt>${texts.reference}</dt><dd>${jobReference ?? texts.noReference}</dd>
<dt>${texts.submitted}</dt><dd>${zonedTime(submittedAt, timeZone)} <span class="hint">${texts.timeZone(timeZone)}</span></dd>
${work.length > 0 && html`<dt>${texts.work}</dt><dd>${work.map((words, index) => html`${index > 0 && ' · '}${words}`)}</dd>`}
${erasedAt === null && html`<dt>${texts.number}</dt><dd>${id}</dd>`}</dl></section>`
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
    timeInRoleMonths !== undefined && texts.monthsOf(timeInRoleMonths),
    isNewToWorkForce === true && texts.newToWork,
  ].filter(words => words !== false)
}

function relatedMarkup({
  related: { shown, hasMore },
  application,
  listPath,
  timeZone,
  now,
}: DetailMarkup): Html | false {
  if (shown.length === 0) return false
  const all = `${listPath}?${new URLSearchParams({ q: application.contact.email })}`
  return html`<section class="card"><h2>${texts.related}</h2><ul class="plain">${shown.map(
    ({ id, jobAd, jobReference, submittedAt, isQuestionnairePassed }) =>
      html`<li class="line"><a class="row-link" href="${listPath}/${id}">${jobLabel(jobAd, jobReference)}</a> <span class="quiet">${shortTime(submittedAt, { timeZone, now })}</span>${isQuestionnairePassed !== null && questionnaireBadge(isQuestionnairePassed)}</li>`,
  )}</ul>${hasMore && html`<p><a href="${all}">${texts.allRelated}</a></p>`}</section>`
}

function answersMarkup({ application, answered, screen }: DetailMarkup): Html {
  if (answered === undefined) {
    return html`<section class="card"><h2>${texts.answers}</h2><p class="quiet">${texts.noQuestionnaire}</p></section>`
  }
  const outcomes = answered.questions.map(question => passesNow(question, screen))
  const isChanged = screen !== undefined && screen.updatedAt > application.submittedAt
  const isMarked = outcomes.some(outcome => outcome !== undefined)
  return html`<section class="card"><div class="page-head"><h2 class="first">${texts.answers}</h2>${questionnaireBadge(answered.successful)}</div>
${texts.outcome(answered.name, answered.successful)}
${isMarked && isChanged && html`<p class="hint">${texts.changedSince}</p>`}
${!isMarked && answered.questions.length > 0 && html`<p class="hint">${texts.notMarked}</p>`}
<dl class="values answers">${answered.questions.map((question, index) => answerMarkup(question, outcomes[index]))}</dl></section>`
}

function answerMarkup(question: ResultQuestion, isPassed: boolean | undefined): Html {
  const given = question.answers.filter(({ selected }) => selected)
  const mark = isPassed !== undefined && html` ${questionnaireBadge(isPassed)}`
  if (given.length === 0) {
    return html`<dt>${question.text}</dt><dd><span class="quiet">${texts.notAnswered}</span>${mark}</dd>`
  }
  const isUrl = question.type === 'URLQuestion'
  return html`<dt>${question.text}</dt>${given.map(
    ({ text }, index) =>
      html`<dd>${isUrl && /^https?:\/\//i.test(text) ? html`<a href="${text}" rel="nofollow noopener noreferrer" target="_blank">${text}</a>` : answerInWords(question.type, text)}${index === given.length - 1 && mark}</dd>`,
  )}`
}

const scanBadges: Record<StoredFile['scan'], BadgeKind> = {
  unscanned: 'neutral',
  'not-judged': 'warning',
  clean: 'good',
  infected: 'danger',
}

function filesMarkup({ path, application: { files }, holdsUnscanned, timeZone }: DetailMarkup): Html {
  if (files.length === 0) {
    return html`<div><section class="card"><h2>${texts.files}</h2><p class="quiet">${texts.noFiles}</p></section></div>`
  }
  const withheld = (scan: StoredFile['scan']) => scan === 'infected' || (holdsUnscanned && scan !== 'clean')
  return html`<div class="files">${
    files.length > 1 &&
    html`<nav class="line" aria-label="${texts.files}">${files.map(({ type }) => html`<a class="button second small" href="#${type}">${fileLabels[type]}</a>`)}${
      files.some(({ scan }) => !withheld(scan)) &&
      html`<a class="button second small" href="${path}/files.zip" download>${icon('download')}${texts.downloadAll}</a>`
    }</nav>`
  }${files.map(
    file => html`<section id="${file.type}"><div class="line"><h2 class="first">${fileLabels[file.type]}</h2>${badge(scanBadges[file.scan], texts.scan[file.scan])}<span class="hint">${texts.uploaded(zonedTime(file.uploadedAt, timeZone))}</span></div>
${fileMarkup(`${path}/files/${file.type}`, file, holdsUnscanned)}</section>`,
  )}</div>`
}

function fileMarkup(href: string, file: StoredFile, holdsUnscanned: boolean): Html {
  const { fileName: name, contentType, size, scan } = file
  if (scan === 'infected') return html`<p>${isolateBidi(name)}</p><p>${texts.infected}</p>`
  if (scan === 'unscanned' && holdsUnscanned) return html`<p>${isolateBidi(name)}</p><p>${texts.held}</p>`
  if (scan === 'not-judged' && holdsUnscanned)
    return html`<p>${isolateBidi(name)}</p><p>${texts.notJudged}</p>`
  return filePreview({ name, contentType, size, href, textHref: `${href}/text` })
}
