import type { EpochMs } from '../../core/clock.ts'
import type { FieldError } from '../../core/problems.ts'
import type { ListedPage, OwnJobAd } from '../../jobs/ports.ts'
import { isOpen, type PostingStatus } from '../../model/job-ad.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { badge, dataTable, emptyState, notice } from '../../web/components.ts'
import { errorSummary, needed, selectField, textArea, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { type JobAdForm, jobAdFormFields } from './job-ad-form.ts'
import { jobAdTexts as texts } from './job-ads-texts.ts'
import type { Filter } from './list.ts'
import { filterLinks, listPager } from './list-markup.ts'

export interface JobAdLimits {
  nameLength: number
  referenceLength: number
  jobDescriptionLength: number
}

export interface QuestionnaireChoice {
  id: number
  name: string
  isClosed?: boolean
}

/** Maximum length of each field, by name. */
export const mostOf = (limits: JobAdLimits) => ({
  title: limits.nameLength,
  location: limits.nameLength,
  reference: limits.referenceLength,
  description: limits.jobDescriptionLength,
})

export function jobAdListMarkup(
  page: ListedPage<OwnJobAd>,
  place: { path: string; filter: Filter; now: EpochMs; isContinued: boolean; applicationsPath: string },
): Html {
  const { path, filter, isContinued } = place
  return html`${filterLinks(path, filter, { label: texts.filterLabel, names: texts.filters })}
${page.entries.length === 0 ? emptyMarkup(path, filter, isContinued) : tableMarkup(page.entries, place)}
${listPager(page, path, { filter, isContinued })}`
}

function emptyMarkup(path: string, filter: Filter, isContinued: boolean): Html {
  if (isContinued) return emptyState({ title: texts.emptyPageTitle, text: texts.emptyPage })
  if (filter === 'open') return emptyState({ title: texts.emptyOpenTitle, text: texts.emptyOpen })
  if (filter === 'closed') return emptyState({ title: texts.emptyClosedTitle, text: texts.emptyClosed })
  const action = { href: `${path}/new`, label: texts.newAd }
  return emptyState({ title: texts.emptyTitle, text: texts.empty, action })
}

function tableMarkup(
  entries: readonly OwnJobAd[],
  { path, now, applicationsPath }: { path: string; now: EpochMs; applicationsPath: string },
): Html {
  const { columns } = texts
  return dataTable(
    texts.caption,
    [
      { label: columns.job },
      { label: columns.reference },
      { label: columns.state },
      { label: columns.screen },
      { label: columns.closing },
      { label: columns.applications },
    ],
    entries.map(ad => [
      html`<a href="${path}/${ad.id}"><strong>${isolateBidi(ad.title)}</strong></a><span class="hint">${isolateBidi(ad.location)}</span>`,
      ad.reference === null ? texts.none : isolateBidi(ad.reference),
      stateBadge(ad, now),
      ad.screenName === null ? texts.none : isolateBidi(ad.screenName),
      ad.closingDate === null ? texts.none : dayElement(ad.closingDate),
      html`<a href="${applicationsPath}?ad=${ad.id}">${texts.seeApplications(ad.title)}</a>`,
    ]),
  )
}

export function stateOf(ad: { status: PostingStatus; closingDate: string | null }, now: EpochMs) {
  if (ad.status === 'closed') return 'closed'
  return isOpen(ad, now) ? 'open' : 'past'
}

export function stateBadge(ad: { status: PostingStatus; closingDate: string | null }, now: EpochMs): Html {
  const state = stateOf(ad, now)
  return badge(({ open: 'good', closed: 'neutral', past: 'warning' } as const)[state], texts.states[state])
}

const dayForm = new Intl.DateTimeFormat('en-AU', { dateStyle: 'medium', timeZone: 'UTC' })

function dayElement(day: string): Html {
  return html`<time datetime="${day}">${dayForm.format(Date.parse(`${day}T00:00:00Z`))}</time>`
}

export interface JobAdMarkup {
  path: string
  /** Path of the list. */
  back: string
  questionnairesPath: string
  form: JobAdForm
  hidden: Record<string, string>
  screens: readonly QuestionnaireChoice[]
  limits: JobAdLimits
  errors: readonly FieldError[]
  isNew: boolean
  notices: Html
  /** The ad as the job board would show it. */
  preview: Html | undefined
}

export function jobAdFormMarkup(page: JobAdMarkup): Html {
  const { form, errors, limits, hidden } = page
  const { labels, hints } = texts
  const most = mostOf(limits)
  const save = page.isNew ? texts.publish : texts.save
  return html`${page.notices}${errorSummary(errors)}
<form class="card" method="post" action="${page.path}" novalidate data-posting>
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="default" type="submit" tabindex="-1" aria-hidden="true">${save}</button>
<div class="fields">
${textField({ name: 'title', label: needed(labels.title), hint: hints.title, value: form.title, errors, attributes: html`required maxlength="${most.title}"` })}
${textField({ name: 'location', label: needed(labels.location), hint: hints.location, value: form.location, errors, attributes: html`required maxlength="${most.location}"` })}
</div>
${textArea({ name: 'description', label: needed(labels.description), hint: hints.description(most.description), value: form.description, errors, attributes: html`required rows="14" data-most="${most.description}" data-counter="${texts.counter}"` })}
<div class="fields">
${textField({ name: 'reference', label: labels.reference, hint: hints.reference, value: form.reference, errors, attributes: html`maxlength="${most.reference}"` })}
${textField({ name: 'closingDate', label: labels.closingDate, hint: hints.closingDate, value: form.closingDate, errors, attributes: html`type="date"` })}
</div>
${selectField({
  name: 'screenId',
  label: labels.screenId,
  hint: hints.screenId,
  value: form.screenId,
  none: texts.noQuestionnaire,
  choices: page.screens.map(({ id, name, isClosed }) => ({
    id: String(id),
    description: isClosed ? texts.closedQuestionnaire(name) : name,
  })),
  errors,
})}
${page.screens.length === 0 && html`<p><a href="${page.questionnairesPath}/new">${texts.makeQuestionnaire}</a></p>`}
<p class="actions"><button type="submit">${save}</button>
<button class="second" type="submit" name="do" value="preview">${texts.preview}</button>
<a href="${page.back}">${texts.cancel}</a></p>
</form>
${
  page.preview &&
  html`<section class="preview" id="preview" aria-labelledby="preview-title"><h2 id="preview-title" tabindex="-1" autofocus>${texts.previewTitle}</h2>
<p class="hint">${texts.previewHint}</p><div class="frame" inert><p class="frame-title">${form.title}</p>${page.preview}</div></section>`
}`
}

/** After an edit conflict: the saved values that differ from those entered. */
export function changedMarkup(
  at: Html,
  state: string,
  saved: JobAdForm,
  { typed, screens }: { typed: JobAdForm; screens: readonly QuestionnaireChoice[] },
): Html {
  const shown = (field: keyof JobAdForm) =>
    field === 'screenId' ? screens.find(({ id }) => String(id) === saved.screenId)?.name : saved[field]
  const differing = jobAdFormFields.filter(field => saved[field].trim() !== typed[field].trim())
  return notice(
    'warning',
    html`<p><strong>${texts.changedTitle}</strong> ${texts.changed(at)}</p>
${
  differing.length === 0
    ? html`<p>${texts.changedState(state)}</p>`
    : html`<p>${texts.changedFields}</p>
<dl class="values">${differing.map(field => html`<dt>${texts.labels[field]}</dt><dd>${shown(field) || texts.empties}</dd>`)}</dl>`
}`,
  )
}
