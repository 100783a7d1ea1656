import type { RouteOptions } from 'fastify'
import type { Progress } from '../../collect/progress/service.ts'
import type { Clock, EpochMs } from '../../core/clock.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { pathId } from '../../http/routes.ts'
import type { OwnJobAd, PostingLists, PublicJobAd } from '../../jobs/ports.ts'
import type { Jobs, Questionnaires } from '../../jobs/service.ts'
import type { Limits } from '../../limits.ts'
import { dayOf } from '../../model/job-ad.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { breadcrumb, dataTable, emptyState, pageHead, pager } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { memberPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { ifFound } from '../refusals.ts'
import { type CountedJobAd, countsLink, stateOf } from './job-ads-markup.ts'
import { listPath, positionIn } from './list.ts'
import { stateBadge } from './markup.ts'

const texts = {
  title: 'Job ads',
  columns: { title: 'Job ad', reference: 'Reference', state: 'State', applications: 'Applications' },
  none: 'None',
  empty: {
    title: 'No job ads',
    text: 'Admins of your company write job ads; job boards can send them, too.',
  },
  applications: 'See applications',
  asCandidates: 'Open the public page',
  questionnaire: (name: string) => html`Questionnaire “${isolateBidi(name)}”`,
  noQuestionnaire: 'Candidates answer no questionnaire.',
} as const

interface PageDeps {
  jobs: Pick<Jobs, 'find'>
  questionnaires: Pick<Questionnaires, 'find'>
  lists: Pick<PostingLists, 'jobAds'>
  progress: Pick<Progress, 'countsOfAds'>
  clock: Clock
  /** Renders an ad as the job board shows it. */
  jobMarkup(ad: PublicJobAd, now: EpochMs): Html
  limits: Pick<Limits, 'postingsShown'>
}

/** The ads that people apply for, to read: for recruiters, who do not change them. */
export function readingPages(deps: PageDeps): RouteOptions[] {
  const { jobs, questionnaires, lists, progress, clock, limits } = deps
  return [
    memberPage.get('/console/:advertiserId/ads', async ({ request, reply, caller }) => {
      const { advertiserId } = caller
      const path = consolePath(advertiserId, 'ads')
      const now = clock()
      const position = positionIn(new FormFields(searchOf(request.raw.url)))
      const page = await lists.jobAds(advertiserId, { ...position, limit: limits.postingsShown }, dayOf(now))
      const { entries, hasNewer, hasOlder } = await withCounts(page, advertiserId, progress)
      const rows = entries.map(ad => [
        html`<a href="${path}/${ad.id}"><strong>${isolateBidi(ad.title)}</strong></a><span class="hint">${isolateBidi(ad.location)}</span>`,
        ad.reference === null ? texts.none : isolateBidi(ad.reference),
        stateBadge(stateOf(ad, now)),
        countsLink(ad),
      ])
      const [first, last] = [entries[0]?.id, entries.at(-1)?.id]
      return sendPage(reply, {
        title: texts.title,
        isWide: true,
        navigation: consoleNavigation(caller, 'ads'),
        body: html`${
          rows.length === 0
            ? emptyState(texts.empty)
            : dataTable(
                texts.title,
                Object.values(texts.columns).map(label => ({ label })),
                rows,
              )
        }${pager({
          newer: hasNewer && first !== undefined ? listPath(path, undefined, { after: first }) : undefined,
          older: hasOlder && last !== undefined ? listPath(path, undefined, { before: last }) : undefined,
        })}`,
      })
    }),
    memberPage.get('/console/:advertiserId/ads/:jobAdId', async ({ reply, caller, params }) => {
      const { advertiserId, advertiserName, logoHash } = caller
      const ad = await jobs.find(advertiserId, pathId(params.jobAdId))
      const { screenId } = ad
      const screen =
        screenId === null ? undefined : await ifFound(() => questionnaires.find(advertiserId, screenId))
      const path = consolePath(advertiserId, 'ads')
      return sendPage(reply, {
        title: ad.title,
        heading: pageHead(
          isolateBidi(ad.title),
          html`<a class="button second" href="${consolePath(advertiserId, 'applications')}?ad=${ad.id}">${texts.applications}</a><a class="button second" href="/jobs/${ad.id}">${texts.asCandidates}</a>`,
          breadcrumb([{ href: path, label: texts.title }]),
        ),
        navigation: consoleNavigation(caller, 'ads'),
        body: html`${deps.jobMarkup({ ...ad, advertiserName, logoHash, screen: null, retentionChoice: null }, clock())}
<section class="card">${
          screen === undefined
            ? html`<p class="quiet">${texts.noQuestionnaire}</p>`
            : html`<h2 class="first">${texts.questionnaire(screen.name)}</h2><ol>${screen.questions.map(
                ({ text, options }) =>
                  html`<li><p><bdi>${text}</bdi></p>${options.length > 0 && html`<ul>${options.map(option => html`<li><bdi>${option.text}</bdi></li>`)}</ul>`}</li>`,
              )}</ol>`
        }</section>`,
      })
    }),
  ]
}

/** A page of ads, each with its counts. */
export async function withCounts<Page extends { entries: OwnJobAd[] }>(
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
