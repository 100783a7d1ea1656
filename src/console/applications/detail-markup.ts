import type { ApplicationDetail, Neighbours } from '../../collect/search/ports.ts'
import type { QuestionnaireResult, ResultQuestion, StoredFile } from '../../model/application.ts'
import type { Questionnaire } from '../../model/questionnaire.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type BadgeKind, badge, notice } from '../../web/components.ts'
import { filePreview } from '../../web/file-preview.ts'
import { type Html, html } from '../../web/html.ts'
import { zonedTime } from '../../web/time.ts'
import { passesNow } from './answer-outcome.ts'
import { applicationDetailTexts as texts } from './detail-texts.ts'
import { questionnaireBadge } from './markup.ts'
import { fileLabels } from './texts.ts'

interface DetailMarkup {
  /** Of the application. */
  path: string
  application: ApplicationDetail
  answered: QuestionnaireResult | undefined
  /** The current version of the questionnaire, if it exists. */
  screen: (Questionnaire & { updatedAt: number }) | undefined
  /** Whether unscanned files are withheld. */
  holdsUnscanned: boolean
  timeZone: string
}

export function detailMarkup(detail: DetailMarkup): Html {
  const { application, timeZone } = detail
  const { erasedAt, erasureDueAt } = application
  return html`${erasedAt !== null && notice('info', texts.erased(zonedTime(erasedAt, timeZone)))}
${erasedAt === null && erasureDueAt !== null && notice('warning', texts.erasureDue(zonedTime(erasureDueAt, timeZone)))}
<div class="columns">
${erasedAt === null && contactMarkup(application)}
${jobMarkup(application, timeZone)}
${workMarkup(application)}</div>
${answersMarkup(detail)}
${filesMarkup(detail)}`
}

/** Links to the next and previous application. */
export function neighboursMarkup(
  { newerId, olderId }: Neighbours,
  { listPath, search }: { listPath: string; search: string },
): Html {
  return html`<nav class="actions tight" aria-label="${texts.neighbours}">${
    newerId !== undefined &&
    html`<a class="button second" rel="prev" href="${listPath}/${newerId}${search}">${texts.newer}</a>`
  }${olderId !== undefined && html`<a class="button second" rel="next" href="${listPath}/${olderId}${search}">${texts.older}</a>`}</nav>`
}

function contactMarkup({ contact: { email, phone } }: ApplicationDetail): Html {
  return html`<section class="card"><h2>${texts.contact}</h2><dl class="values">
<dt>${texts.email}</dt><dd><a href="mailto:${email}">${email}</a></dd>
<dt>${texts.phone}</dt><dd>${phone === '' ? texts.noPhone : phoneMarkup(phone)}</dd></dl></section>`
}

/** A `tel:` link without spaces and brackets; text that is not a number, such as "after 5 pm", is not linked. */
function phoneMarkup(phone: string): Html {
  const dialled = phone.replace(/[\s().-]/g, '')
  return /^\+?\d{3,20}$/.test(dialled) ? html`<a href="tel:${dialled}">${phone}</a>` : html`${phone}`
}

function jobMarkup(
  { id, jobAd, jobReference, submittedAt, erasedAt }: ApplicationDetail,
  timeZone: string,
): Html {
  return html`<section class="card"><h2>${texts.job}</h2><dl class="values">
${jobAd !== null && html`<dt>${texts.ad}</dt><dd><a href="/jobs/${jobAd.id}">${isolateBidi(jobAd.title)}</a></dd>`}
<dt>${texts.reference}</dt><dd>${jobReference ?? texts.noReference}</dd>
<dt>${texts.submitted}</dt><dd>${zonedTime(submittedAt, timeZone)} <span class="hint">${texts.timeZone(timeZone)}</span></dd>
${erasedAt === null && html`<dt>${texts.number}</dt><dd>${id}</dd>`}</dl></section>`
}

function workMarkup({ primaryJobSeekingInfo: info }: ApplicationDetail): Html | false {
  if (info === null) return false
  const { jobTitle, companyName, timeInRoleMonths, isNewToWorkForce } = info
  if ((jobTitle ?? companyName ?? timeInRoleMonths) === undefined && !isNewToWorkForce) return false
  return html`<section class="card"><h2>${texts.work}</h2><dl class="values">
${jobTitle !== undefined && html`<dt>${texts.jobTitle}</dt><dd>${jobTitle}</dd>`}
${companyName !== undefined && html`<dt>${texts.company}</dt><dd>${companyName}</dd>`}
${timeInRoleMonths !== undefined && html`<dt>${texts.months}</dt><dd>${texts.monthsOf(timeInRoleMonths)}</dd>`}
${isNewToWorkForce && html`<dt>${texts.experience}</dt><dd>${texts.newToWork}</dd>`}</dl></section>`
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
      html`<dd>${isUrl && /^https?:\/\//i.test(text) ? html`<a href="${text}" rel="nofollow noopener noreferrer" target="_blank">${text}</a>` : text}${index === given.length - 1 && mark}</dd>`,
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
    return html`<section class="card"><h2>${texts.files}</h2><p class="quiet">${texts.noFiles}</p></section>`
  }
  return html`${files.map(
    file => html`<section class="card"><div class="page-head"><h2 class="first">${fileLabels[file.type]}</h2>${badge(scanBadges[file.scan], texts.scan[file.scan])}</div>
<p class="hint">${texts.uploaded(zonedTime(file.uploadedAt, timeZone))}</p>
${fileMarkup(`${path}/files/${file.type}`, file, holdsUnscanned)}</section>`,
  )}`
}

function fileMarkup(href: string, file: StoredFile, holdsUnscanned: boolean): Html {
  const { fileName: name, contentType, size, scan } = file
  if (scan === 'infected') return html`<p>${isolateBidi(name)}</p><p>${texts.infected}</p>`
  if (scan === 'unscanned' && holdsUnscanned) return html`<p>${isolateBidi(name)}</p><p>${texts.held}</p>`
  if (scan === 'not-judged' && holdsUnscanned)
    return html`<p>${isolateBidi(name)}</p><p>${texts.notJudged}</p>`
  return filePreview({ name, contentType, size, href, textHref: `${href}/text` })
}
