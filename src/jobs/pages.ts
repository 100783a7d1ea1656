import type { FastifyRequest, RouteOptions } from 'fastify'
import type { LastApplication } from '../model/application-status.ts'
import { isOpen } from '../model/job-ad.ts'
import type { Clock } from '../platform/core/clock.ts'
import { parseNumericId } from '../platform/core/ids.ts'
import { numberText } from '../platform/core/locale.ts'
import { setCaller } from '../platform/http/auth/callers.ts'
import type { Sessions } from '../platform/http/auth/sessions.ts'
import { FormFields, searchOf } from '../platform/http/requests/form.ts'
import { route } from '../platform/http/routes.ts'
import { boardName } from '../platform/web/board.ts'
import { notice } from '../platform/web/components.ts'
import { type Html, html } from '../platform/web/html.ts'
import { sendPage } from '../platform/web/page-response.ts'
import { publicPage } from '../platform/web/page-routes.ts'
import { timeElement } from '../platform/web/time.ts'
import { jobHead, robotsText, sitemap } from './engines-markup.ts'
import { readJobSearch } from './job-search.ts'
import {
  jobHeading,
  jobListMarkup,
  jobMarkup,
  jobPath,
  jobsPath,
  noSuchJobMarkup,
  otherJobs,
} from './markup.ts'
import type { JobBoard } from './posting-store.ts'

/** Limit: Other jobs of the same company below a job ad. */
const jobsOfCompanyShown = 4

/** Limit: Open jobs that a search counts; beyond it says "more than". */
const jobsCounted = 1_000

/** Limit: Job ads on one page of the list for candidates. */
const jobAdsShown = 20

/** Limit: Jobs in the sitemap, the newest ones. Search engines accept 50,000. */
const sitemapJobs = 10_000

export interface JobPageDeps {
  board: JobBoard
  sessions: Pick<Sessions, 'of'>
  lastApplied(candidateId: string, jobAdId: number): Promise<LastApplication | undefined>
  clock: Clock
  authUrl(): string
}

/** The public pages of the job board. */
export function jobPages(deps: JobPageDeps): RouteOptions[] {
  const { board, sessions, clock, authUrl } = deps
  return [
    publicPage.get(jobsPath, async ({ request, reply }) => {
      // An unreadable position shows the first page.
      const query = new FormFields(searchOf(request.raw.url))
      const before = parseNumericId(query.get('before') ?? '')
      const search = readJobSearch(query)
      const now = clock()
      const choice = { now, words: search.words, filter: search.filter }
      const start = before ?? Number.MAX_SAFE_INTEGER
      const [found, count] = await Promise.all([
        board.listOpen(start, jobAdsShown + 1, choice),
        board.countOpen(jobsCounted + 1, choice),
      ])
      const ads = found.slice(0, jobAdsShown)
      const older = found.length > jobAdsShown ? ads.at(-1)?.id : undefined
      return sendPage(reply, {
        title: 'Jobs',
        body: jobListMarkup({
          ads,
          search,
          now,
          older,
          isContinued: before !== undefined,
          count: countInWords(count),
        }),
      })
    }),

    publicPage.get(`${jobsPath}/:jobAdId`, async ({ request, reply, params }) => {
      const id = parseNumericId(params.jobAdId)
      const ad = id === undefined ? undefined : await board.find(id)
      if (ad === undefined) {
        return sendPage(reply, { status: 404, title: 'Job not found', body: noSuchJobMarkup })
      }
      const now = clock()
      const [others, last] = await Promise.all([
        board.listOpen(Number.MAX_SAFE_INTEGER, jobsOfCompanyShown + 1, {
          now,
          advertiserId: ad.advertiserId,
        }),
        appliedBy(request, ad.id),
      ])
      return sendPage(reply, {
        title: ad.title,
        heading: jobHeading(ad, now),
        head: jobHead(ad, now, authUrl(), boardName(reply)),
        body: html`${last && notice('info', lastText(last, isOpen(ad, now, ad.timeZone)))}
${jobMarkup(ad, now, boardName(reply))}
<p class="quiet"><a href="${jobPath(ad.id)}/report" rel="nofollow">Report this job</a></p>
${otherJobs(others.filter(other => other.id !== ad.id).slice(0, jobsOfCompanyShown), now)}`,
      })
    }),

    route({
      method: 'GET',
      url: '/sitemap.xml',
      auth: 'public',
      schema: { hide: true },
      async handle({ reply }) {
        const ads = await board.listOpen(Number.MAX_SAFE_INTEGER, sitemapJobs, { now: clock() })
        return reply.header('content-type', 'application/xml; charset=utf-8').send(sitemap(ads, authUrl()))
      },
    }),

    route({
      method: 'GET',
      url: '/robots.txt',
      auth: 'public',
      schema: { hide: true },
      handle: ({ reply }) =>
        reply.header('content-type', 'text/plain; charset=utf-8').send(robotsText(authUrl())),
    }),
  ]

  async function appliedBy(request: FastifyRequest, jobAdId: number): Promise<LastApplication | undefined> {
    const session = await sessions.of(request)
    if (session === undefined) return undefined
    // Saves the page header a second lookup.
    setCaller(request, session)
    return deps.lastApplied(session.candidateId, jobAdId)
  }
}

function lastText({ submittedAt, isWithdrawn, withdrawnAt }: LastApplication, canApply: boolean): Html {
  const fact = !isWithdrawn
    ? html`You applied for this job on ${timeElement(submittedAt)}.`
    : withdrawnAt === null
      ? 'You withdrew your application for this job.'
      : html`You withdrew your application for this job on ${timeElement(withdrawnAt)}.`
  return html`<p>${fact} ${isWithdrawn && canApply && html`You can apply again. `}<a href="/account/applications">See your application</a></p>`
}

function countInWords(count: number): string {
  if (count > jobsCounted) return `More than ${numberText(jobsCounted)} jobs`
  return count === 1 ? '1 job' : `${numberText(count)} jobs`
}
