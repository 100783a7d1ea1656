import type { StatusCounts } from '../../collect/progress/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import { lazily } from '../../core/lazily.ts'
import type { FieldError } from '../../core/problems.ts'
import type { JobAd, OwnJobAd } from '../../jobs/ports.ts'
import type { Limits } from '../../limits.ts'
import { isOpen, type PostingStatus } from '../../model/job-ad.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { notice } from '../../web/components.ts'
import { needed, selectField, textArea, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { formOfJobAd, type JobAdForm, jobAdFormFields } from './job-ad-form.ts'
import { jobAdTexts as texts } from './job-ads-texts.ts'
import { type PostingState, stateBadge } from './markup.ts'
import { postingTexts } from './texts.ts'

type JobAdLimits = Pick<Limits, 'nameLength' | 'referenceLength' | 'jobDescriptionLength'>

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

/** An ad in a list, with its applications by status; undefined if it has none. */
export interface CountedJobAd extends OwnJobAd {
  counts: StatusCounts | undefined
}

/** How many applications an ad has, as a link to them. */
export function countsLink({ advertiserId, id, title, counts }: CountedJobAd): Html {
  const count = Object.values(counts ?? {}).reduce((sum, each) => sum + each, 0)
  return html`<a href="${consolePath(advertiserId, 'applications')}?ad=${id}">${texts.counted(count, counts?.new ?? 0, title)}</a>`
}

export function jobAdCells(ad: CountedJobAd, now: EpochMs): (Html | string)[] {
  const { advertiserId, id, title, closingDate } = ad
  return [
    html`<a href="${consolePath(advertiserId, 'jobs')}/${id}"><strong>${isolateBidi(title)}</strong></a><span class="hint">${isolateBidi(ad.location)}</span>`,
    ad.reference === null ? texts.none : isolateBidi(ad.reference),
    stateBadge(stateOf(ad, now)),
    ad.screenName === null ? texts.none : isolateBidi(ad.screenName),
    closingDate === null ? texts.none : dayElement(closingDate),
    countsLink(ad),
  ]
}

export function jobAdLinks({ id, advertiserId }: JobAd): Html {
  return html`<a class="button second" href="/jobs/${id}">${texts.see}</a>
<a class="button second" href="${consolePath(advertiserId, 'applications')}?ad=${id}">${texts.applications}</a>`
}

export function stateOf(
  ad: { status: PostingStatus; closingDate: string | null },
  now: EpochMs,
): PostingState {
  if (ad.status === 'closed') return 'closed'
  return isOpen(ad, now) ? 'open' : 'past'
}

const dayForm = lazily(() => new Intl.DateTimeFormat('en-AU', { dateStyle: 'medium', timeZone: 'UTC' }))

function dayElement(day: string): Html {
  return html`<time datetime="${day}">${dayForm().format(Date.parse(`${day}T00:00:00Z`))}</time>`
}

export function jobAdFieldsMarkup({
  form,
  errors,
  choices,
  questionnairesPath,
  limits,
}: {
  form: JobAdForm
  errors: readonly FieldError[]
  choices: readonly QuestionnaireChoice[]
  questionnairesPath: string
  limits: JobAdLimits
}): Html {
  const { labels, hints } = texts
  const most = mostOf(limits)
  return html`<div class="fields">
${textField({ name: 'title', label: needed(labels.title), hint: hints.title, value: form.title, errors, attributes: html`required maxlength="${most.title}"` })}
${textField({ name: 'location', label: needed(labels.location), hint: hints.location, value: form.location, errors, attributes: html`required maxlength="${most.location}"` })}
</div>
${textArea({ name: 'description', label: needed(labels.description), hint: hints.description(most.description), value: form.description, errors, attributes: html`required rows="14" data-most="${most.description}" data-counter="${postingTexts.counter}"` })}
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
  choices: choices.map(({ id, name, isClosed }) => ({
    id: String(id),
    description: isClosed ? texts.closedQuestionnaire(name) : name,
  })),
  errors,
})}
${choices.length === 0 && html`<p><a href="${questionnairesPath}/new">${texts.makeQuestionnaire}</a></p>`}`
}

/** After an edit conflict: the saved values that differ from those entered. */
export function changedMarkup(
  ad: JobAd,
  now: EpochMs,
  typed: JobAdForm,
  choices: readonly QuestionnaireChoice[],
): Html {
  const saved = formOfJobAd(ad)
  const shown = (field: keyof JobAdForm) =>
    field === 'screenId' ? choices.find(({ id }) => String(id) === saved.screenId)?.name : saved[field]
  const differing = jobAdFormFields.filter(field => saved[field].trim() !== typed[field].trim())
  return notice(
    'warning',
    html`<p><strong>${texts.changedTitle}</strong> ${texts.changed(timeElement(ad.updatedAt))}</p>
${
  differing.length === 0
    ? html`<p>${texts.changedState(postingTexts.states[stateOf(ad, now)])}</p>`
    : html`<p>${texts.changedFields}</p>
<dl class="values">${differing.map(field => html`<dt>${texts.labels[field]}</dt><dd>${shown(field) || texts.empties}</dd>`)}</dl>`
}`,
  )
}
