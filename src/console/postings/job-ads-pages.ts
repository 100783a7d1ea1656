import type { RouteOptions } from 'fastify'
import type { StatusCounts } from '../../collect/progress/progress-store.ts'
import type { Progress } from '../../collect/progress/service.ts'
import { jobDescriptionLength } from '../../jobs/job-ad-check.ts'
import type { PostingLists } from '../../jobs/posting-list-store.ts'
import type { JobAdSummary, PublicJobAd } from '../../jobs/postings.ts'
import type { Jobs, Questionnaires } from '../../jobs/service.ts'
import { type AdRule, type AdRuleSet, brokenRules } from '../../model/ad-rules.ts'
import { type AdState, closesAt, isOpen, type JobAdFields } from '../../model/job-ad.ts'
import type { AdHold } from '../../model/job-report.ts'
import { nameLength, referenceLength } from '../../model/text-lengths.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { dayText } from '../../platform/core/locale.ts'
import { dayIn } from '../../platform/core/time/time-zone.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { linkButton, notice, valueList } from '../../platform/web/components.ts'
import { needed } from '../../platform/web/fields.ts'
import { choice, row, textInput, textLines } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { timeElement, zoneName } from '../../platform/web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { ifFound } from '../refusals.ts'
import {
  bodyOfDetails,
  type DetailsForm,
  detailFault,
  detailFieldOf,
  detailFields,
  detailLabels,
  detailsMarkup,
  formOfDetails,
} from './ad-details-markup.ts'
import { counterText, numberInWords, type PostingState, stateBadge, stateNames } from './markup.ts'
import { type PostingPageDeps, postingPages } from './pages.ts'

/** Limit: Size of the job ad form: the longest description, with each character encoded as nine. */
const jobAdFormBytes = 256 * 1024
/** Limit: Questionnaires to choose from in the form of an ad, the newest; the page of an older one offers it. */
const screensOffered = 200

/** Limit: Ads that a notice about their closing dates names, those that close first. */
const earlierAdsNamed = 10
/** Limit: Ads that are looked through for that notice: at the change of a clock, some close earlier and others do not. */
const earlierAdsRead = 200
/** UTC+10 all year, in which ads' closing days used to end. */
const aest = 'Australia/Brisbane'

const max: Readonly<Record<string, number>> = {
  title: nameLength,
  location: nameLength,
  reference: referenceLength,
  description: jobDescriptionLength,
}

interface QuestionnaireChoice {
  id: number
  name: string
  isClosed?: boolean
}

/** Job ads of an advertiser, for its admins. */
export function jobAdPages(
  deps: PostingPageDeps & {
    jobs: Jobs
    questionnaires: Questionnaires
    lists: PostingLists
    progress: Pick<Progress, 'countsOfAds'>
    clock: Clock
    adRules: readonly AdRuleSet[]
    /** The country of the board. */
    home: string
    /** Renders an ad as the job board shows it. */
    jobMarkup(ad: PublicJobAd, now: EpochMs): Html
  },
): RouteOptions[] {
  const { jobs, questionnaires, lists, clock, adRules, home } = deps
  /** The questionnaires to choose from: the newest open ones and the ad's own. */
  async function choicesFor(advertiserId: number, chosen: string): Promise<QuestionnaireChoice[]> {
    const offered: QuestionnaireChoice[] = await lists.openScreens(advertiserId, screensOffered)
    const id = parseNumericId(chosen)
    if (id === undefined || offered.some(choice => choice.id === id)) return offered
    const own = await ifFound(() => questionnaires.find(advertiserId, id))
    return own === undefined
      ? offered
      : [...offered, { id, name: own.name, isClosed: own.status === 'closed' }]
  }

  return postingPages<JobAdFields, JobAdForm, CountedJobAd>(deps, {
    tab: 'jobs',
    parameter: 'jobAdId',
    words,
    formLimits: { bodyLimit: jobAdFormBytes },
    postings: jobs,

    list: async ({ advertiserId, timeZone }, position) =>
      withCounts(
        await lists.jobAds(advertiserId, position, dayIn(clock(), timeZone)),
        advertiserId,
        deps.progress,
      ),
    async listNotice({ advertiserId, timeZone }) {
      const ads = await lists.adsOfAestDays(advertiserId, dayIn(clock(), timeZone), earlierAdsRead)
      return earlierNotice(
        ads.filter(({ closingDate }) => closesAt(closingDate, timeZone) < closesAt(closingDate, aest)),
        { path: consolePath(advertiserId, 'jobs'), timeZone },
      )
    },
    columns: ({ advertiserId, timeZone }) => [
      ['Job', ad => titleLink(ad, consolePath(advertiserId, 'jobs'))],
      ['Reference', ({ reference }) => (reference === null ? '–' : isolateBidi(reference))],
      ['State', ad => stateBadge(stateOf(ad, clock(), timeZone))],
      ['Questionnaire', ({ screenName }) => (screenName === null ? '–' : isolateBidi(screenName))],
      [
        `Closing date (${zoneName(timeZone)})`,
        ({ closingDate }) => (closingDate === null ? '–' : dayElement(closingDate)),
      ],
      ['Applications', countsLink],
    ],

    listLinks: advertiserId =>
      html`<a class="button second" href="${consolePath(advertiserId, 'jobs')}/versions.csv" download>Export all versions</a>`,
    nameOf: ({ title }) => title,
    stateOf: (ad, { timeZone }) => stateOf(ad, clock(), timeZone),
    linksOf: ({ id, advertiserId }) => html`${linkButton(`/jobs/${id}`, 'View job')}
${linkButton(`${consolePath(advertiserId, 'applications')}?ad=${id}`, 'Applications')}`,

    noticeFor: async ({ hold, details }) =>
      html`${hold && holdNotice(hold)}${rulesNotice(brokenRules(adRules, details))}`,
    newForm: query => ({ ...emptyForm, country: home, screenId: query.get('screen') ?? '' }),
    formOf,
    // The closing date may have passed.
    copyOf: ad => ({ ...formOf(ad), closingDate: '' }),
    readForm: fields => formWith(name => (fields.get(name) ?? '').replaceAll(/\r\n?/g, '\n')),
    bodyOf: (form, advertiserId) => ({
      title: form.title,
      location: form.location,
      description: form.description,
      reference: form.reference,
      advertiserId,
      closingDate: form.closingDate.trim(),
      screenId: form.screenId.trim() || null,
      ...bodyOfDetails(form),
    }),

    formAttributes: html`class="card"`,
    async fieldsOf(form, { member: { advertiserId, timeZone }, errors }) {
      const state = { values: { ...form }, errors }
      const choices = await choicesFor(advertiserId, form.screenId)
      return html`${row(
        textInput({
          name: 'title',
          label: needed(labels.title),
          hint: 'What candidates search for, such as “Barista” or “Payroll officer”.',
          attributes: html`required maxlength="${max['title']}"`,
        }),
        textInput({
          name: 'location',
          label: needed(labels.location),
          hint: 'A town or a region, or “Remote”.',
          attributes: html`required maxlength="${max['location']}"`,
        }),
      )(state)}
${textLines({
  name: 'description',
  label: needed(labels.description),
  hint: `The work, what it requires and what you offer. For a heading start a line with ##, for a list start lines with -. Up to ${numberInWords(jobDescriptionLength)} characters.`,
  attributes: html`required rows="14" data-most="${max['description']}" data-counter="${counterText}"`,
})(state)}
${row(
  textInput({
    name: 'reference',
    label: labels.reference,
    hint: 'Optional. Included with every application, so that your own system can recognise the ad.',
    attributes: html`maxlength="${max['reference']}"`,
  }),
  textInput({
    name: 'closingDate',
    label: labels.closingDate,
    hint: `Optional. The last day candidates can apply, until midnight ${zoneName(timeZone)}.`,
    attributes: html`type="date"`,
  }),
)(state)}
${detailsMarkup(state, adRules, home)}
${choice({
  name: 'screenId',
  label: labels.screenId,
  hint: 'Optional. Candidates answer it when they apply, and you see who passed.',
  none: 'None',
  choices: choices.map(({ id, name, isClosed }) => ({
    id: String(id),
    description: isClosed ? `${name} (closed)` : name,
  })),
})(state)}
${choices.length === 0 && html`<p><a href="${consolePath(advertiserId, 'screens')}/new">Write a questionnaire</a></p>`}`
    },
    inWords: errors =>
      errors.map(error => {
        const { field: path, code } = error
        const field = detailFieldOf(path)
        return field === undefined
          ? { field: path, code, message: faultText(path, code) }
          : { field, code, message: detailFault(field, error, adRules) }
      }),
    previewOf(content, { advertiserId, advertiserName, logoHash, timeZone }, ad) {
      const now = clock()
      const made = { id: 0, advertiserId, status: 'open' as const, createdAt: now, updatedAt: now }
      const company = {
        advertiserName,
        logoHash,
        timeZone,
        retentionChoice: null,
        keepMonths: null,
        privacyNotice: null,
      }
      return html`<p class="frame-title">${content.title}</p>${deps.jobMarkup({ ...made, ...ad, ...content, ...company, screen: null }, now)}`
    },
    async changedNotice(ad, form, { timeZone }) {
      const saved = formOf(ad)
      const choices = await choicesFor(ad.advertiserId, saved.screenId)
      const textOf = (field: FormField) => {
        if (field === 'screenId') return choices.find(({ id }) => String(id) === saved.screenId)?.name
        return field === 'closingDate' && saved[field] !== '' ? dayText(saved[field]) : saved[field]
      }
      const differing = formFields.filter(field => saved[field].trim() !== form[field].trim())
      const state = stateNames[stateOf(ad, clock(), timeZone)].toLowerCase()
      return notice(
        'warning',
        html`<p><strong>This ad has changed since you opened it.</strong> It was last saved on ${timeElement(ad.updatedAt)}. Your changes are below and haven’t been saved. Save again to replace the current version.</p>
${
  differing.length === 0
    ? html`<p>Only its state has changed. It is now ${state}.</p>`
    : html`<p>The current version differs from yours:</p>
${valueList(differing.map(field => [labels[field], textOf(field) || 'empty']))}`
}`,
      )
    },
  })
}

const plainFields = ['title', 'location', 'description', 'reference', 'screenId', 'closingDate'] as const
const formFields = [...plainFields, ...detailFields] as const
type FormField = (typeof formFields)[number]
type PlainField = (typeof plainFields)[number]

/** An ad as entered in its form, not yet validated. `screenId` is empty for no questionnaire. */
type JobAdForm = Record<FormField, string>

const formWith = (textOf: (name: FormField) => string) =>
  Object.fromEntries(formFields.map(name => [name, textOf(name)])) as JobAdForm
const emptyForm = formWith(() => '')
function formOf(ad: JobAdFields): JobAdForm {
  const details = formOfDetails(ad.details)
  return formWith(name =>
    name in details ? details[name as keyof DetailsForm] : String(ad[name as PlainField] ?? ''),
  )
}

const labels: JobAdForm = {
  title: 'Job title',
  location: 'Location',
  description: 'About the job',
  reference: 'Your reference',
  screenId: 'Questionnaire',
  closingDate: 'Closing date',
  ...detailLabels,
}

/** The error text of a field, by the code of the violated rule. */
function faultText(field: string, code: string): string {
  const label = labels[field as FormField] ?? field
  if (field === 'screenId')
    return code === 'closed'
      ? 'This questionnaire is closed. Reopen it or choose another.'
      : 'Choose one of your questionnaires, or "None".'
  if (field === 'closingDate') return 'Enter a date such as 2027-03-31, or leave it empty.'
  if (code === 'empty') return emptyTexts[field] ?? `${label} must not be empty.`
  if (code === 'too-long') return `${label}: use at most ${numberInWords(max[field] ?? 0)} characters.`
  if (code === 'line-break') return `${label} must be one line.`
  return `${label} contains a character we can’t save. Type the text instead of pasting it.`
}

const emptyTexts: Readonly<Record<string, string>> = {
  title: 'Enter a job title.',
  location: 'Enter a location.',
  description: 'Describe the job.',
}

/** An ad in a list, with its number of applications by status; undefined if it has none. */
export interface CountedJobAd extends JobAdSummary {
  counts: StatusCounts | undefined
}

/** A page of ads, each with its numbers of applications. */
export async function withCounts<Page extends { entries: JobAdSummary[] }>(
  page: Page,
  advertiserId: number,
  { countsOfAds }: Pick<Progress, 'countsOfAds'>,
): Promise<Omit<Page, 'entries'> & { entries: CountedJobAd[] }> {
  const counts = await countsOfAds(
    advertiserId,
    page.entries.map(({ id }) => id),
  )
  return { ...page, entries: page.entries.map(ad => ({ ...ad, counts: counts.get(ad.id) })) }
}

export const titleLink = ({ id, title, location }: JobAdSummary, path: string): Html =>
  html`<a href="${path}/${id}"><strong>${isolateBidi(title)}</strong></a><span class="hint">${isolateBidi(location)}</span>`

export function stateOf(ad: AdState, now: EpochMs, timeZone: string): PostingState {
  if (ad.status === 'closed') return 'closed'
  if (ad.hold) return typeof ad.hold === 'string' ? ad.hold : ad.hold.kind
  return isOpen(ad, now, timeZone) ? 'open' : 'past'
}

/** The rules of the board that an ad does not meet; it may be older than the rules. */
const rulesNotice = (broken: readonly AdRule[]): Html | false =>
  broken.length > 0 &&
  notice(
    'warning',
    html`<p><strong>This ad does not say all that the law demands.</strong></p><ul>${broken.map(({ reason }) => html`<li>${reason}</li>`)}</ul>`,
  )

/** Why candidates cannot see the ad, even if it is open. */
const holdNotice = ({ kind, reason, at }: AdHold): Html =>
  kind === 'review'
    ? notice(
        'info',
        html`The people who run this job board review the first ads of a company before candidates see them. This ad has waited since ${timeElement(at)}.`,
      )
    : notice(
        'warning',
        html`<p><strong>The people who run this job board have taken this ad down.</strong> Since ${timeElement(at)}, candidates neither see it nor apply for it. They gave this reason:</p><p class="written">${reason}</p>`,
      )

const dayElement = (day: string): Html => html`<time datetime="${day}">${dayText(day, 'medium')}</time>`

/**
 * Days used to end in UTC+10, so this company's ads now close earlier than intended. The notice disappears once the
 * company saves or closes them.
 */
function earlierNotice(
  ads: readonly { id: number; title: string; closingDate: string }[],
  { path, timeZone }: { path: string; timeZone: string },
): Html | false {
  if (ads.length === 0) return false
  return notice(
    'warning',
    html`<p><strong>These ads close some hours earlier than before.</strong> A closing date used to end at midnight in UTC+10. It now ends at midnight ${zoneName(timeZone)}. To give candidates more time, choose a later date. To remove an ad from this list, save it.</p>
<ul>${ads
      .slice(0, earlierAdsNamed)
      .map(
        ({ id, title, closingDate }) =>
          html`<li><a href="${path}/${id}">${isolateBidi(title)}</a>, ${dayElement(closingDate)}</li>`,
      )}${ads.length > earlierAdsNamed && html`<li>and more</li>`}</ul>`,
  )
}

/** The number of an ad's applications, as a link to them. */
export function countsLink({ advertiserId, id, title, counts }: CountedJobAd): Html {
  const count = Object.values(counts ?? {}).reduce((sum, each) => sum + each, 0)
  const unread = counts?.new ?? 0
  return html`<a href="${consolePath(advertiserId, 'applications')}?ad=${id}">${count}${unread > 0 && ` (${unread} unread)`}<span class="visually-hidden"> for ${isolateBidi(title)}</span></a>`
}

const words = {
  title: 'Job ads',
  caption: 'Job ads, newest first',
  newEntry: 'New job ad',
  editTitle: (title: string) => `Job ad: ${title}`,
  empty: {
    all: [
      'No job ads yet',
      'Write your first ad. Candidates can find it on the job board as soon as you publish it.',
    ],
    open: ['No open ads', 'None of your ads is taking applications at the moment.'],
    closed: ['No closed ads', 'Ads that you close, or that pass their closing date, are listed here.'],
    page: ['End of list', 'There are no more ads.'],
  },
  create: 'Publish ad',
  save: 'Save changes',
  previewHint: 'What candidates will see. Not saved yet.',
  close: 'Close job',
  open: 'Reopen job',
  isCopy: 'This is a copy. Not published yet.',
  made: 'Ad published. Candidates can find it now.',
  saved: 'Changes saved. Candidates see them now.',
  wasClosed: 'Job closed. Candidates can’t apply for it. If that was a mistake, reopen it.',
  wasOpened: 'Job reopened. Candidates can apply.',
  past: {
    made: 'Ad saved, but its closing date has passed, so candidates can’t apply.',
    wasOpened:
      'Job reopened, but its closing date has passed. Enter a later date so that candidates can apply.',
  },
  tooLong: {
    title: 'This ad is too long',
    text: 'The ad is far longer than allowed. Nothing was saved.',
    help: 'Go back in your browser, where your text is still in the form, and shorten the description.',
    back: 'Back to job ads',
  },
} as const
