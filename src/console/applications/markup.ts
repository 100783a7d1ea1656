import {
  type FilterName,
  filterNames,
  filterSearch,
  type Position,
  type PositionName,
  type ReadFilter,
  usedSearch,
} from '../../collect/search/filter.ts'
import type { AdChoice, FoundApplication, FoundPage } from '../../collect/search/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import { mailtoUrl } from '../../core/email.ts'
import type { FieldError } from '../../core/problems.ts'
import type { FileType } from '../../model/application.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { badge, emptyState, pager } from '../../web/components.ts'
import { errorSummary, selectField, textField, tickBox } from '../../web/fields.ts'
import { flag, type Html, html } from '../../web/html.ts'
import { type IconName, iconCopy, iconShapes } from '../../web/icons.ts'
import { shortTime } from '../../web/time.ts'
import { chooser, orderLink, type Selection, selectionForm, statusTabs } from './list-markup.ts'
import { listTexts } from './list-texts.ts'
import { statusBadge } from './progress-markup.ts'
import { fileLabels, applicationsTexts as texts } from './texts.ts'

interface TableMarkup {
  /** Path of the table. */
  path: string
  read: ReadFilter
  ads: readonly AdChoice[]
  page: FoundPage
  position: Position
  /** What happened to invalid filters. */
  faultLead: string
  timeZone: string
  now: EpochMs
  selection: Selection
  /** Links for admins: job ads and time zone. */
  adminPaths: { jobs: string; timeZone: string } | undefined
}

export function applicationsMarkup(table: TableMarkup): Html {
  const { path, read, ads, page, position } = table
  const errors = errorsOf(read)
  const at = (place: Position) =>
    place === undefined ? undefined : `${path}${filterSearch(read.typed, positionOf(place))}`
  return html`${errorSummary(errors, name => texts.filters[name as FilterName], table.faultLead)}
${filterForm(path, read, ads, errors)}
<div class="list-head">${statusTabs(path, read, page)}${page.applications.length > 0 && html`<p class="total"><span>${texts.total(page.total)}</span> · ${orderLink(path, read)}</p>`}</div>
${chips(path, read, ads)}
${page.applications.length === 0 ? nothing(table) : tableOf(table)}
${pager({
  newest:
    position === undefined || (page.newer === undefined && !read.filter.unreadFirst)
      ? undefined
      : `${path}${filterSearch(read.typed)}`,
  newer: at(page.newer),
  older: at(page.older),
})}
${zoneLine(table)}`
}

const fileIcons: Record<FileType, IconName> = {
  resume: 'document',
  coverLetter: 'mail',
  selectionCriteria: 'questions',
}

/** Not `dataTable`: on narrow screens these rows are cards without labels, and a label in each cell is heavy. */
function tableOf(table: TableMarkup): Html {
  const { page, read, selection } = table
  const search = usedSearch(read)
  return html`${iconShapes([...Object.values(fileIcons), 'warning'])}
${selectionForm(
  selection,
  html`<div class="table-frame applications"><table class="data"><caption class="for-readers">${texts.title}</caption>
<thead><tr><th scope="col"><input type="checkbox" data-choose-all aria-label="${listTexts.chooseAll}" hidden></th>${Object.values(texts.columns).map(label => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>${page.applications.map(
    application => html`<tr${application.status === 'new' && html` class="unread"`}>${row(table, search, application).map(cell => html`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>`,
)}`
}

/** As parameters of an address. */
export function positionOf(place: Position): Partial<Record<PositionName, string>> {
  return Object.fromEntries(Object.entries(place ?? {}).map(([name, id]) => [name, String(id)]))
}

function errorsOf({ faults, typed }: ReadFilter): FieldError[] {
  return filterNames.flatMap(name => {
    const fault = faults[name]
    return fault === undefined ? [] : [{ field: name, code: fault, message: texts.fault(fault, typed[name]) }]
  })
}

/** The label of a field whose purpose shows. */
const unseen = (label: string) => html`<span class="for-readers">${label}</span>`

/** An invalid date gets a text field: a date input would hide the value that has to be corrected. */
function filterForm(
  path: string,
  { typed, filter, faults }: ReadFilter,
  ads: readonly AdChoice[],
  errors: readonly FieldError[],
): Html {
  const words = texts.filters
  const { jobAdId } = filter
  const choices = ads.map(ad => ({ id: String(ad.id), description: words.adChoice(ad) }))
  // An ad that is not offered, because it is older or unknown, stays selected.
  if (jobAdId !== undefined && !ads.some(({ id }) => id === jobAdId)) {
    choices.unshift({ id: typed.ad, description: words.otherAd(jobAdId) })
  }
  const usesMore = (['from', 'to', 'screen', 'virus'] as const).some(name => typed[name] !== '')
  const kept = (['status', 'order'] as const).filter(name => typed[name] !== '')
  return html`<form class="filter-bar" method="get" action="${path}" novalidate role="search" aria-label="${words.label}">
${kept.map(name => html`<input type="hidden" name="${name}" value="${typed[name]}">`)}
${textField({ name: 'q', label: unseen(words.q), value: typed.q, errors, attributes: html`type="search" placeholder="${words.qExample}" autocomplete="off" spellcheck="false"` })}
${selectField({ name: 'ad', label: unseen(words.ad), value: typed.ad, choices, none: words.anyAd, errors })}
<button type="submit">${words.show}</button>
<details ${flag('open', usesMore)}><summary>${words.more}</summary><div class="filters">
${(['from', 'to'] as const).map(name => textField({ name, label: words[name], value: typed[name], errors, attributes: html`type="${faults[name] === 'no-day' ? 'text' : 'date'}"` }))}
${selectField({
  name: 'screen',
  label: words.screen,
  value: typed.screen,
  choices: [
    { id: 'passed', description: words.passed },
    { id: 'failed', description: words.failed },
  ],
  none: words.anyQuestionnaire,
  errors,
})}
${tickBox({ name: 'virus', label: words.virus, isTicked: filter.hasVirus, errors })}</div></details></form>`
}

function zoneLine({ timeZone, adminPaths }: TableMarkup): Html {
  return html`<p class="quiet">${texts.timeZone(timeZone)}${adminPaths !== undefined && html` <a href="${adminPaths.timeZone}">${texts.changeTimeZone}</a>`}</p>`
}

/** The filters in use, each with a link that removes it. */
function chips(path: string, { typed, faults }: ReadFilter, ads: readonly AdChoice[]): Html | false {
  // The tabs show the status.
  const used = filterNames.filter(
    name => name !== 'status' && typed[name] !== '' && faults[name] === undefined,
  )
  const wordsOf = (name: FilterName) => {
    if (name !== 'ad') return texts.chips[name](typed[name])
    const ad = ads.find(({ id }) => String(id) === typed.ad)
    return texts.chips.ad(ad?.title ?? typed.ad)
  }
  return (
    used.length > 0 &&
    html`<ul class="chips" aria-label="${texts.chipsLabel}">${used.map(
      name =>
        html`<li><a class="chip" href="${path}${filterSearch(typed, { [name]: '' })}"><span class="for-readers">${texts.remove} </span>${isolateBidi(wordsOf(name))} <span aria-hidden="true">×</span></a></li>`,
    )}<li><a href="${path}">${texts.filters.clear}</a></li></ul>`
  )
}

function row(
  { path, timeZone, now, selection }: TableMarkup,
  search: string,
  application: FoundApplication,
): Html[] {
  const { id, contact, jobAd, jobReference, submittedAt, isQuestionnairePassed, files, erasedAt } =
    application
  const isErased = erasedAt !== null
  const name = isErased ? texts.erased : nameOf(application)
  return [
    chooser(application, name, selection),
    html`<a class="row-link" href="${path}/${id}${search}">${isErased ? name : isolateBidi(name)}</a>`,
    statusBadge(application.status),
    jobLabel(jobAd, jobReference),
    shortTime(submittedAt, { timeZone, now }),
    questionnaireBadge(isQuestionnairePassed),
    files.length === 0 ? html`<span class="quiet">${texts.noFiles}</span>` : html`${files.map(fileMark)}`,
    isErased ? html`` : html`<a href="${mailtoUrl(contact.email)}">${contact.email}</a>`,
  ]
}

export function jobLabel(
  jobAd: FoundApplication['jobAd'],
  reference: FoundApplication['jobReference'],
): Html {
  if (jobAd === null && reference === null) return html`<span class="quiet">${texts.noJob}</span>`
  return html`${isolateBidi(jobAd?.title ?? reference ?? '')}${jobAd !== null && reference !== null && html` <span class="quiet">${isolateBidi(reference)}</span>`}`
}

function fileMark({ type, scan }: FoundApplication['files'][number]): Html {
  const isInfected = scan === 'infected'
  const label = isInfected ? texts.withVirus(type) : fileLabels[type]
  return html`<span class="${isInfected ? 'fault' : 'quiet'}" title="${label}">${iconCopy(isInfected ? 'warning' : fileIcons[type])}<span class="for-readers">${label} </span></span>`
}

export function nameOf({ contact }: Pick<FoundApplication, 'contact'>): string {
  return `${contact.firstName} ${contact.lastName}`.trim()
}

export function questionnaireBadge(isPassed: boolean | null): Html {
  if (isPassed === null) return html`<span class="quiet">${texts.noQuestionnaire}</span>`
  return isPassed ? badge('good', texts.passed) : badge('warning', texts.failed)
}

function nothing({ path, read, position, adminPaths }: TableMarkup): Html {
  if (Object.values(read.typed).some(typed => typed !== '')) {
    return emptyState({ ...texts.noMatch, action: { href: path, label: texts.filters.clear } })
  }
  if (position !== undefined) {
    const { action, ...words } = texts.noOlder
    return emptyState({ ...words, action: { href: path, label: action } })
  }
  const { action, ...words } = texts.noneYet
  return emptyState({
    ...words,
    action: adminPaths === undefined ? undefined : { href: adminPaths.jobs, label: action },
  })
}
