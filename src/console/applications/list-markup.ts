import {
  type FilterFault,
  type FilterName,
  filterNames,
  filterSearch,
  type Position,
  type PositionName,
  type ReadFilter,
  usedSearch,
} from '../../collect/search/filter.ts'
import type { AdChoice, FoundApplication, FoundPage, Total } from '../../collect/search/results.ts'
import { type FileType, isDocument } from '../../model/application.ts'
import {
  type ApplicationStatus,
  chosenStatuses,
  statuses,
  statusLabels,
} from '../../model/application-status.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { mailtoUrl } from '../../platform/core/email.ts'
import { dayText } from '../../platform/core/locale.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import { emptyState, pager } from '../../platform/web/components.ts'
import { errorSummary, selectField, textField, tickBox } from '../../platform/web/fields.ts'
import { choice, tick } from '../../platform/web/forms.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { type IconName, icon, iconCopy, iconShapes } from '../../platform/web/icons.ts'
import type { PageCall } from '../../platform/web/tab.ts'
import { shortTime } from '../../platform/web/time.ts'
import {
  daysInWords,
  erasedName,
  fileLabel,
  jobLabel,
  nameOf,
  numberInWords,
  questionnaireBadge,
  statusBadge,
  unansweredText,
  zoneInWords,
} from './markup.ts'

export interface ApplicationList extends Pick<PageCall<'console'>, 'state' | 'ownForm'> {
  /** Path of the list. */
  path: string
  read: ReadFilter
  ads: readonly AdChoice[]
  page: FoundPage
  position: Position
  /** Says what happened to invalid filters. */
  faultLead: string
  /** Whether candidates can be notified by email. */
  canTell: boolean
  timeZone: string
  answerDays: number
  now: EpochMs
  /** Links for admins. */
  adminPaths: { jobs: string; timeZone: string; answerDays: string } | undefined
}

export function listMarkup(list: ApplicationList): Html {
  const { path, read, page, position, timeZone, answerDays, adminPaths } = list
  const errors = errorsOf(read)
  const isUnreadFirst = read.typed.order === 'unread'
  const order = filterSearch(read.typed, { order: isUnreadFirst ? '' : 'unread' })
  const at = (place: Position) =>
    place === undefined ? undefined : `${path}${filterSearch(read.typed, positionOf(place))}`
  return html`${errorSummary(errors, name => labelOf(name as FilterName, answerDays), list.faultLead)}
${filterForm(list, errors)}
<div class="list-head">${statusTabs(list)}${
    page.applications.length > 0 &&
    html`<p class="total"><span>${totalText(page.total)}</span> · <a id="order" href="${path}${order}">${isUnreadFirst ? 'Show newest first' : 'Show unread first'}</a></p>`
  }</div>
${chips(list)}
${page.applications.length === 0 ? nothing(list) : table(list)}
${pager({
  newest:
    position === undefined || (page.newer === undefined && !read.filter.unreadFirst)
      ? undefined
      : `${path}${filterSearch(read.typed)}`,
  newer: at(page.newer),
  older: at(page.older),
})}
<p class="quiet">Days and times are in ${zoneInWords(timeZone)} time.${adminPaths !== undefined && html` <a href="${adminPaths.timeZone}">Change time zone</a>`}</p>
${adminPaths !== undefined && html`<p class="quiet">An application counts as unanswered after ${daysInWords(answerDays)}. <a href="${adminPaths.answerDays}">Change number of days</a></p>`}`
}

function totalText({ count, isMore }: Total): string {
  if (isMore) return `More than ${numberInWords(count)} applications`
  return count === 1 ? '1 application' : `${numberInWords(count)} applications`
}

/** The position as URL parameters. */
export function positionOf(place: Position): Partial<Record<PositionName, string>> {
  return Object.fromEntries(Object.entries(place ?? {}).map(([name, id]) => [name, String(id)]))
}

const filterLabels: Record<Exclude<FilterName, 'unanswered'>, string> = {
  q: 'Search',
  ad: 'Job ad',
  status: 'Status',
  from: 'From',
  to: 'To',
  screen: 'Questionnaire',
  virus: 'Infected files',
  order: 'Order',
}

const labelOf = (name: FilterName, answerDays: number) =>
  name === 'unanswered' ? unansweredText(answerDays) : filterLabels[name]

const faultTexts: Record<FilterFault, (typed: string) => string> = {
  'too-long': () => 'This search is too long. Enter the start of a name, an email address or a reference.',
  'no-ad': () => 'This job ad doesn’t exist. Choose one from the list.',
  'no-day': typed => `“${typed}” isn’t a date. Enter one such as 2026-11-15.`,
  crossed: () => 'The end date is before the start date.',
  'no-choice': typed => `“${typed}” isn’t one of the choices.`,
}

function errorsOf({ faults, typed }: ReadFilter): FieldError[] {
  return filterNames.flatMap(name => {
    const fault = faults[name]
    return fault === undefined ? [] : [{ field: name, code: fault, message: faultTexts[fault](typed[name]) }]
  })
}

/** A label for screen readers, for a field whose purpose is visible. */
const unseen = (label: string) => html`<span class="visually-hidden">${label}</span>`

/** An invalid date gets a text field: a date input would hide the value to be corrected. */
function filterForm({ path, read, ads, answerDays }: ApplicationList, errors: readonly FieldError[]): Html {
  const { typed, filter, faults } = read
  const { jobAdId } = filter
  const choices = ads.map(({ id, title, reference }) => ({
    id: String(id),
    description: stripBidi(reference === null ? title : `${title} (${reference})`),
  }))
  // An ad that is not offered, because it is old or unknown, stays selected.
  if (jobAdId !== undefined && !ads.some(({ id }) => id === jobAdId))
    choices.unshift({ id: typed.ad, description: `Job ad ${jobAdId}` })
  const usesMore = (['from', 'to', 'screen', 'virus', 'unanswered'] as const).some(name => typed[name] !== '')
  const kept = (['status', 'order'] as const).filter(name => typed[name] !== '')
  return html`<form class="filter-bar" method="get" action="${path}" novalidate role="search" aria-label="Filters">
${kept.map(name => html`<input type="hidden" name="${name}" value="${typed[name]}">`)}
${textField({ name: 'q', label: unseen(filterLabels.q), value: typed.q, errors, attributes: html`type="search" placeholder="Start of a name, email or reference" autocomplete="off" spellcheck="false"` })}
${selectField({ name: 'ad', label: unseen(filterLabels.ad), value: typed.ad, choices, none: 'All job ads', errors })}
<button type="submit">Apply</button>
<details ${flag('open', usesMore)}><summary>More filters</summary><div class="filters">
${(['from', 'to'] as const).map(name => textField({ name, label: filterLabels[name], value: typed[name], errors, attributes: html`type="${faults[name] === 'no-day' ? 'text' : 'date'}"` }))}
${selectField({
  name: 'screen',
  label: filterLabels.screen,
  value: typed.screen,
  choices: [
    { id: 'passed', description: 'Passed' },
    { id: 'failed', description: 'Failed' },
  ],
  none: 'All',
  errors,
})}
${tickBox({ name: 'virus', label: filterLabels.virus, isTicked: filter.hasVirus, errors })}
${tickBox({ name: 'unanswered', label: unansweredText(answerDays), isTicked: filter.isUnanswered === true, errors })}</div></details></form>`
}

/** Statuses as links that filter by them, with counts if these are known. */
function statusTabs({ path, read: { typed }, page: { counts } }: ApplicationList): Html {
  const tab = (status: string, label: string, count: number | undefined) =>
    html`<a href="${path}${filterSearch(typed, { status })}"${typed.status === status && html` aria-current="page"`}>${label}${count !== undefined && html` <span class="count">${numberInWords(count)}</span>`}</a>`
  const all = counts && Object.values(counts).reduce((sum, count) => sum + count, 0)
  return html`<nav class="status-tabs" id="status" aria-label="${filterLabels.status}">${tab('', 'All', all)}${statuses.map(status => tab(status, statusLabels[status], counts?.[status]))}</nav>`
}

/** The filters in use. */
const chipTexts: Record<Exclude<FilterName, 'unanswered'>, (typed: string) => string> = {
  q: typed =>
    /^[1-9]\d*$/.test(typed) ? `Starts with “${typed}”, or has this number` : `Starts with “${typed}”`,
  ad: title => `For “${title}”`,
  status: status => statusLabels[status as ApplicationStatus],
  order: () => 'Unread first',
  from: day => `From ${dayText(day)}`,
  to: day => `To ${dayText(day)}`,
  screen: result => (result === 'passed' ? 'Questionnaire passed' : 'Questionnaire failed'),
  virus: () => filterLabels.virus,
}

/** The filters in use, each with a link that removes it. */
function chips({ path, read: { typed, faults }, ads, answerDays }: ApplicationList): Html | false {
  // The tabs show the status.
  const used = filterNames.filter(
    name => name !== 'status' && typed[name] !== '' && faults[name] === undefined,
  )
  const textOf = (name: FilterName) =>
    name === 'unanswered'
      ? unansweredText(answerDays)
      : chipTexts[name](
          (name === 'ad' && ads.find(({ id }) => String(id) === typed.ad)?.title) || typed[name],
        )
  return (
    used.length > 0 &&
    html`<ul class="chips" aria-label="Filters in use">${used.map(
      name =>
        html`<li><a class="chip" href="${path}${filterSearch(typed, { [name]: '' })}"><span class="visually-hidden">Remove this filter: </span>${isolateBidi(textOf(name))} <span aria-hidden="true">×</span></a></li>`,
    )}<li><a href="${path}">Clear all</a></li></ul>`
  )
}

const fileIcons: Record<FileType, IconName> = {
  resume: 'document',
  coverLetter: 'mail',
  selectionCriteria: 'questions',
}

const columns = ['Name', 'Status', 'Job', 'Submitted', 'Questionnaire', 'Files', 'Email']

/**
 * Not the kit's `table`: on narrow screens these rows are cards without labels, and a label in each cell would be too
 * much.
 */
function table({
  path,
  read,
  page,
  position,
  canTell,
  timeZone,
  now,
  state,
  ownForm,
}: ApplicationList): Html {
  const search = usedSearch(read)
  const chosen = new Set(state.values['chosen']?.split(' '))
  const row = (application: FoundApplication) => {
    const { id, contact, status, stage, jobAd, jobReference, submittedAt, files, erasedAt } = application
    const isErased = erasedAt !== null
    const name = isErased ? erasedName : nameOf(application)
    const cells = [
      html`<input type="checkbox" name="chosen" value="${id}:${status}" aria-label="Select ${stripBidi(name)}" ${flag('checked', chosen.has(String(id)))}>`,
      html`<a class="row-link" href="${path}/${id}${search}">${isErased ? name : isolateBidi(name)}</a>`,
      html`${statusBadge(status)}${stage !== null && html` <span class="quiet">${isolateBidi(stage)}</span>`}`,
      jobLabel(jobAd, jobReference),
      shortTime(submittedAt, { timeZone, now }),
      questionnaireBadge(application.isQuestionnairePassed),
      files.length === 0 ? noFiles : html`${files.map(fileMark)}`,
      !isErased && html`<a href="${mailtoUrl(contact.email)}">${contact.email}</a>`,
    ]
    return html`<tr${status === 'new' && html` class="unread"`}>${cells.map(cell => html`<td>${cell}</td>`)}</tr>
`
  }
  const action = `${path}/selection`
  const here = filterSearch(read.typed, positionOf(position))
  return html`${iconShapes([...Object.values(fileIcons), 'warning'])}
${ownForm({
  action: `${action}${here}`,
  className: 'selection',
  isOnce: true,
  content: html`<div class="table-frame applications"><table class="data"><caption class="visually-hidden">Applications</caption>
<thead><tr><th scope="col"><input type="checkbox" data-choose-all aria-label="Select all on this page" hidden></th>${columns.map(label => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>${page.applications.map(row)}</tbody></table></div>
<div class="bulk" role="group" aria-label="With selected:"><span class="label" data-counted="selected"></span><span class="label">With selected:</span>
${choice({
  name: 'status',
  id: 'new-status',
  label: unseen('New status'),
  none: 'Choose a status',
  choices: chosenStatuses.map(status => ({ id: status, description: statusLabels[status] })),
})(state)}
${canTell && tick({ name: 'tell', label: 'Tell candidates by email', tickedUntil: 'status' })(state)}
<button class="second small" type="submit">Change status</button>
<button class="second small" type="submit" formaction="${action}/files.zip${here}" data-stays>${icon('download')}Download files</button></div>`,
})}`
}

const noFiles = html`<span class="quiet">None</span>`

function fileMark({ type, scan }: FoundApplication['files'][number]): Html {
  const isInfected = scan === 'infected'
  const label = isInfected ? `${fileLabel(type)}: infected` : fileLabel(type)
  return html`<span class="${isInfected ? 'fault' : 'quiet'}" title="${label}">${iconCopy(isInfected ? 'warning' : isDocument(type) ? fileIcons[type] : 'questions')}<span class="visually-hidden">${label} </span></span>`
}

function nothing({ path, read, position, adminPaths }: ApplicationList): Html {
  if (Object.values(read.typed).some(typed => typed !== ''))
    return emptyState({
      title: 'No applications match',
      text: 'Try fewer filters, or the start of a name.',
      action: { href: path, label: 'Clear all' },
    })
  if (position !== undefined)
    return emptyState({
      title: 'End of list',
      text: 'There are no older applications.',
      action: { href: path, label: 'Newest applications' },
    })
  return emptyState({
    title: 'No applications yet',
    text: 'Applications appear here as soon as a candidate applies for one of your jobs, on this site or on a job board that sends them to us.',
    action: adminPaths && { href: adminPaths.jobs, label: 'Your job ads' },
  })
}
