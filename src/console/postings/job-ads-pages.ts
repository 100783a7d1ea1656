import type { RouteOptions } from 'fastify'
import type { Progress } from '../../collect/progress/service.ts'
import type { Clock, EpochMs } from '../../core/clock.ts'
import { parseNumericId } from '../../core/ids.ts'
import type { PostingLists, PublicJobAd } from '../../jobs/ports.ts'
import type { Jobs, Questionnaires } from '../../jobs/service.ts'
import type { Limits } from '../../limits.ts'
import { dayOf, type JobAdFields } from '../../model/job-ad.ts'
import { type Html, html } from '../../web/html.ts'
import { consolePath } from '../navigation-markup.ts'
import { ifFound } from '../refusals.ts'
import { bodyOfJobAd, emptyJobAd, formOfJobAd, type JobAdForm, readJobAdForm } from './job-ad-form.ts'
import {
  type CountedJobAd,
  changedMarkup,
  jobAdCells,
  jobAdFieldsMarkup,
  jobAdLinks,
  mostOf,
  type QuestionnaireChoice,
  stateOf,
} from './job-ads-markup.ts'
import { jobAdTexts as texts } from './job-ads-texts.ts'
import { type PostingPageDeps, postingPages } from './pages.ts'
import { withCounts } from './reading-pages.ts'

interface JobAdPageDeps extends PostingPageDeps {
  jobs: Jobs
  questionnaires: Questionnaires
  lists: PostingLists
  progress: Pick<Progress, 'countsOfAds'>
  clock: Clock
  /** Renders an ad as the job board shows it. */
  jobMarkup(ad: PublicJobAd, now: EpochMs): Html
  limits: Limits
}

export function jobAdPages(deps: JobAdPageDeps): RouteOptions[] {
  const { jobs, questionnaires, lists, clock, limits } = deps

  /** The questionnaires to choose from: the newest open ones and the ad's own. */
  async function choicesFor(advertiserId: number, chosen: string): Promise<QuestionnaireChoice[]> {
    const offered: QuestionnaireChoice[] = await lists.openScreens(advertiserId, limits.screensOffered)
    const id = parseNumericId(chosen)
    if (id === undefined || offered.some(choice => choice.id === id)) return offered
    const kept = await ifFound(() => questionnaires.find(advertiserId, id))
    if (kept === undefined) return offered
    return [...offered, { id, name: kept.name, isClosed: kept.status === 'closed' }]
  }

  return postingPages<JobAdFields, JobAdForm, CountedJobAd>(deps, {
    tab: 'jobs',
    parameter: 'jobAdId',
    texts,
    tooLong: () => texts.tooLong,
    formLimits: { bodyLimit: limits.jobAdFormBytes },
    postings: jobs,

    list: async (advertiserId, position) =>
      withCounts(await lists.jobAds(advertiserId, position, dayOf(clock())), advertiserId, deps.progress),
    cellsOf: ad => jobAdCells(ad, clock()),

    nameOf: ({ title }) => title,
    stateOf: ad => stateOf(ad, clock()),
    linksOf: jobAdLinks,

    newForm: query => ({ ...emptyJobAd, screenId: query.get('screen') ?? '' }),
    formOf: formOfJobAd,
    // The closing date may have passed.
    copyOf: ad => ({ ...formOfJobAd(ad), closingDate: '' }),
    readForm: readJobAdForm,
    bodyOf: bodyOfJobAd,

    formAttributes: html`class="card"`,
    fieldsOf: async (form, { advertiserId, errors }) =>
      jobAdFieldsMarkup({
        form,
        errors,
        choices: await choicesFor(advertiserId, form.screenId),
        questionnairesPath: consolePath(advertiserId, 'screens'),
        limits,
      }),
    inWords: errors =>
      errors.map(({ field, code }) => ({ field, code, message: texts.fault(field, code, mostOf(limits)) })),
    previewOf(content, { advertiserId, advertiserName, logoHash }, ad) {
      const now = clock()
      const made = { id: 0, advertiserId, status: 'open' as const, createdAt: now, updatedAt: now }
      const shown = {
        ...made,
        ...ad,
        ...content,
        advertiserName,
        logoHash,
        screen: null,
        retentionChoice: null,
      }
      return html`<p class="frame-title">${content.title}</p>${deps.jobMarkup(shown, now)}`
    },
    changedMarkup: async (ad, form) =>
      changedMarkup(ad, clock(), form, await choicesFor(ad.advertiserId, formOfJobAd(ad).screenId)),
  })
}
