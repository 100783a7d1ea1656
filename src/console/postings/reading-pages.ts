import type { RouteOptions } from 'fastify'
import type { Progress } from '../../collect/progress/service.ts'
import type { PostingLists } from '../../jobs/posting-list-store.ts'
import type { PublicJobAd } from '../../jobs/postings.ts'
import type { Jobs, Questionnaires } from '../../jobs/service.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { dayIn } from '../../platform/core/time/time-zone.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { pathId } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { breadcrumb, emptyState, linkButton, pageHead, table } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { consolePath } from '../navigation-markup.ts'
import { ifFound } from '../refusals.ts'
import { consoleTab } from '../tab-pages.ts'
import { countsLink, stateOf, titleLink, withCounts } from './job-ads-pages.ts'
import { listPager, positionIn, postingsShown, stateBadge } from './markup.ts'

/** Job ads as recruiters read them, who cannot change them. */
export function readingPages(deps: {
  jobs: Pick<Jobs, 'find'>
  questionnaires: Pick<Questionnaires, 'find'>
  lists: Pick<PostingLists, 'jobAds'>
  progress: Pick<Progress, 'countsOfAds'>
  sessions: Sessions
  clock: Clock
  /** Renders an ad as the job board shows it. */
  jobMarkup(ad: PublicJobAd, now: EpochMs): Html
}): RouteOptions[] {
  const { jobs, questionnaires, lists, progress, clock } = deps
  const pages = consoleTab(deps.sessions, 'ads', { view: 'member' })
  return [
    ...pages('/console/:advertiserId/ads', {
      async show({ caller: { advertiserId, timeZone }, query }) {
        const path = consolePath(advertiserId, 'ads')
        const now = clock()
        const position = positionIn(query)
        const today = dayIn(now, timeZone)
        const listed = await lists.jobAds(advertiserId, { ...position, limit: postingsShown }, today)
        const page = await withCounts(listed, advertiserId, progress)
        return {
          title: 'Job ads',
          isWide: true,
          body: html`${table({
            caption: 'Job ads',
            empty: emptyState({
              title: 'No job ads',
              text: 'Admins of your company write job ads; job boards can send them, too.',
            }),
            rows: page.entries,
            columns: [
              ['Job ad', ad => titleLink(ad, path)],
              ['Reference', ({ reference }) => (reference === null ? 'None' : isolateBidi(reference))],
              ['State', ad => stateBadge(stateOf(ad, now, timeZone))],
              ['Applications', countsLink],
            ],
          })}${listPager(page, { path })}`,
        }
      },
    }),
    ...pages('/console/:advertiserId/ads/:jobAdId', {
      async show({ caller: { advertiserId, advertiserName, logoHash, timeZone }, params }) {
        const ad = await jobs.find(advertiserId, pathId(params.jobAdId))
        const { screenId } = ad
        const questionnaire =
          screenId === null ? undefined : await ifFound(() => questionnaires.find(advertiserId, screenId))
        const applications = `${consolePath(advertiserId, 'applications')}?ad=${ad.id}`
        const company = {
          advertiserName,
          logoHash,
          timeZone,
          retentionChoice: null,
          keepMonths: null,
          privacyNotice: null,
        }
        const shown = { ...ad, ...company, screen: null }
        return {
          title: ad.title,
          heading: pageHead(
            isolateBidi(ad.title),
            html`${linkButton(applications, 'See applications')}${linkButton(`/jobs/${ad.id}`, 'Open the public page')}`,
            breadcrumb([{ href: consolePath(advertiserId, 'ads'), label: 'Job ads' }]),
          ),
          body: html`${deps.jobMarkup(shown, clock())}
<section class="card">${
            questionnaire === undefined
              ? html`<p class="quiet">Candidates answer no questionnaire.</p>`
              : html`<h2 class="first">Questionnaire “${isolateBidi(questionnaire.name)}”</h2><ol>${questionnaire.questions.map(
                  ({ text, options }) =>
                    html`<li><p><bdi>${text}</bdi></p>${options.length > 0 && html`<ul>${options.map(option => html`<li><bdi>${option.text}</bdi></li>`)}</ul>`}</li>`,
                )}</ol>`
          }</section>`,
        }
      },
    }),
  ]
}
