import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Progress } from '../../collect/progress/service.ts'
import type { Reads } from '../../collect/reads/service.ts'
import type { Holds } from '../../collect/retention/holds-service.ts'
import type { Retention } from '../../collect/retention/service.ts'
import { readFilter, usedSearch } from '../../collect/search/filter.ts'
import type { ApplicationSearch } from '../../collect/search/service.ts'
import type { Advertisers } from '../../companies/service.ts'
import type { AdVersion } from '../../model/ad-version.ts'
import type { StoredFile } from '../../model/application.ts'
import { type AnyFileType, readFileType } from '../../model/application.ts'
import { memberReader } from '../../model/application-read.ts'
import { chosenStatuses, statuses } from '../../model/application-status.ts'
import { answerDueBefore } from '../../model/unanswered.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { Problem } from '../../platform/core/problems.ts'
import { dayIn } from '../../platform/core/time/time-zone.ts'
import type { DocumentConversions } from '../../platform/documents/document.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { sendFile } from '../../platform/http/responses/file-response.ts'
import { type Call, pathId } from '../../platform/http/routes.ts'
import { assetsIn } from '../../platform/web/assets.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { breadcrumb, notice, pageHead } from '../../platform/web/components.ts'
import { sendFileFrame } from '../../platform/web/file-frame.ts'
import { isForPreview, previewAssets } from '../../platform/web/file-preview.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { memberPage } from '../../platform/web/page-routes.ts'
import type { ActCall, Outcome, Page, PageCall } from '../../platform/web/tab.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'
import { detailMarkup, neighboursMarkup, withheldTexts } from './detail-markup.ts'
import { nameOf } from './markup.ts'
import { doneNotice, staleNotice } from './progress-markup.ts'

export const readerAssets = assetsIn(new URL('assets/', import.meta.url), { 'reader.js': {} })

export interface Download {
  file: StoredFile & { isReplaceable: number }
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

interface PageDeps {
  applicationSearch: Pick<ApplicationSearch, 'detail' | 'neighbours' | 'related' | 'questionnaireNow'>
  clock: Clock
  applications: {
    holdsUnscanned: boolean
    download(advertiserId: number, applicationId: number, type: AnyFileType): Promise<Download>
  }
  conversions: DocumentConversions
  telling: Advertisers['telling']
  progress: Pick<Progress, 'open' | 'update' | 'history' | 'activities' | 'whyUntold'>
  sessions: Sessions
  sentForms: SentForms
  /** Whether candidates can be notified by email. */
  isMailOn: boolean
  reads: Pick<Reads, 'view' | 'download'>
  retention: Pick<Retention, 'endOf'>
  holds: Pick<Holds, 'find'>
  /** Renders the ad that an application was sent for. */
  adVersionMarkup(ad: AdVersion): Html
}

/** Thrown so that the same form can be sent again. */
class StaleStatus extends Error {}

type ApplicationCall = Call<'console', 'applicationId'>
type ApplicationPage = PageCall<'console', 'applicationId'>
type FileCall = Call<'console', 'applicationId' | 'type'>

/** One application with its answers and files. */
export function applicationDetailPages(deps: PageDeps): RouteOptions[] {
  const { applicationSearch, applications, conversions, clock, progress, sessions } = deps
  const url = '/console/:advertiserId/applications/:applicationId'

  /** The filters of the list that led to this page. */
  const filterIn = ({ query, caller }: ApplicationPage) =>
    readFilter(name => query.get(name), {
      timeZone: caller.timeZone,
      answerDueBefore: answerDueBefore(clock(), caller.answerDays),
    })

  async function show(call: ApplicationPage): Promise<Page> {
    const { advertiserId, timeZone, candidateId, role } = call.caller
    await viewed(call)
    const application = await openDetail(call)
    const { id, submittedAt, erasedAt, answered } = application
    const read = filterIn(call)
    const search = usedSearch(read)
    const [{ emails }, hold, dueAt, history, activities, untold, questionnaire, neighbours, related] =
      await Promise.all([
        deps.telling(advertiserId),
        deps.holds.find(advertiserId, id),
        deps.retention.endOf(advertiserId, application),
        progress.history(advertiserId, id),
        erasedAt === null ? progress.activities(advertiserId, application) : [],
        deps.isMailOn ? progress.whyUntold(advertiserId, id) : ('no-mail' as const),
        answered && applicationSearch.questionnaireNow(advertiserId, answered.id),
        applicationSearch.neighbours(advertiserId, id, read.filter),
        applicationSearch.related(advertiserId, application),
      ])
    const isKept = application.keptUntil !== null && application.keptUntil >= dayIn(clock(), timeZone)
    const keptUntil = isKept ? application.keptUntil : null
    const listPath = consolePath(advertiserId, 'applications')
    const path = `${listPath}/${id}`
    const name = erasedAt === null ? nameOf(application) : `Application ${id}`
    const periodPath = role === 'admin' ? consolePath(advertiserId, 'retention') : undefined
    const progressPage = {
      ...call,
      action: `${path}${search}`,
      status: application.status,
      untold: deps.isMailOn && emails === 'nothing' ? ('company' as const) : untold,
      emails,
      history,
      activities,
      submittedAt,
      erasedAt,
      ownId: candidateId,
      timeZone,
      now: clock(),
    }
    return {
      title: name,
      heading: pageHead(
        erasedAt === null ? isolateBidi(name) : name,
        neighboursMarkup(neighbours, { listPath, search }),
        breadcrumb([{ href: `${listPath}${search}`, label: 'Applications' }]),
      ),
      failed: 'The note wasn’t saved.',
      isWide: true,
      hasPreview: true,
      scripts: [...previewAssets, readerAssets.url('reader.js')],
      body: html`${doneNotice(sessions.unseal(call.request, call.query.get('done')), progressPage)}${detailMarkup(
        {
          path,
          advertiserId,
          listPath,
          application,
          related,
          answered,
          questionnaire,
          holdsUnscanned: applications.holdsUnscanned,
          retention: { ...call, path, periodPath, hold, dueAt, timeZone, keptUntil },
          progress: progressPage,
          adVersionMarkup: deps.adVersionMarkup,
        },
      )}`,
    }
  }

  /** Marks a new application as seen, unless the browser only prefetches the page. */
  async function openDetail({ request, caller, params }: ApplicationCall) {
    const { advertiserId, candidateId } = caller
    const id = pathId(params.applicationId)
    const application = await applicationSearch.detail(advertiserId, id)
    if (application.status !== 'new' || request.method !== 'GET' || isFetchedAhead(request))
      return application
    // A colleague may have changed the status since.
    const isSeen = await progress.open(advertiserId, id, candidateId)
    return isSeen ? { ...application, status: 'seen' as const } : applicationSearch.detail(advertiserId, id)
  }

  async function update(call: ActCall<'console', 'applicationId'>): Promise<Outcome> {
    const { advertiserId, candidateId } = call.caller
    const id = pathId(call.params.applicationId)
    const shown = statuses.find(status => status === call.value('shown'))
    const to = chosenStatuses.find(status => status === call.value('status'))
    if (shown === undefined) throw new Problem('bad-request')
    const tells = call.value('tell') === 'yes'
    const change = { by: candidateId, shown, to, note: call.value('note'), tells }
    const done = sessions.seal(call.reply, to === undefined ? 'note' : tells ? 'told' : 'status')
    const listPath = consolePath(advertiserId, 'applications')
    const search = usedSearch(filterIn(call))
    return deps.sentForms
      .once(call, call.fields, async () => {
        if ((await progress.update(advertiserId, id, change)) === 'stale') throw new StaleStatus()
        // Reopening an application that was set to new would mark it as seen.
        if (to === 'new') return `${listPath}${search}`
        return `${listPath}/${id}${search === '' ? '?' : `${search}&`}done=${done}`
      })
      .catch(async error => {
        if (!(error instanceof StaleStatus)) throw error
        const { entries } = await progress.history(advertiserId, id)
        return { status: 409, values: call.values, above: staleNotice(entries, candidateId) }
      })
  }

  /** Sends a page that explains why there is no file to download. */
  function sendReason(
    { reply, caller, params }: ApplicationCall,
    page: { status: number; title: string; text: string },
  ): FastifyReply {
    const back = `${consolePath(caller.advertiserId, 'applications')}/${pathId(params.applicationId)}`
    return sendPage(reply, {
      status: page.status,
      title: page.title,
      navigation: consoleNavigation(caller, 'applications'),
      body: html`${notice('warning', page.text)}<p><a class="button second" href="${back}">Back to the application</a></p>`,
    })
  }

  async function download({ caller, params }: FileCall): Promise<Download> {
    const type = readFileType(params.type)
    if (type === undefined) throw new Problem('not-found')
    return applications.download(caller.advertiserId, pathId(params.applicationId), type)
  }

  /** Records the view before anything is read: from then on, the candidate cannot replace what is shown. */
  async function viewed({ request, caller, params }: ApplicationCall): Promise<void> {
    if (request.method === 'HEAD') return
    await deps.reads.view(caller.advertiserId, memberReader(caller), pathId(params.applicationId))
  }

  async function sendContent(
    call: FileCall,
    { file, open }: Download,
    isOnRecord = false,
  ): Promise<FastifyReply> {
    const { request, reply, caller, params } = call
    if (file.scan === 'infected') {
      return sendReason(call, {
        status: 404,
        title: 'This file had a virus',
        text: withheldTexts.infected,
      })
    }
    const way = isForPreview(request.raw.url) ? 'view' : 'download'
    const beforeContent = async () => {
      if (isOnRecord) return undefined
      await deps.reads[way](caller.advertiserId, memberReader(caller), pathId(params.applicationId))
      if (!file.isReplaceable) return undefined
      // Until the read was recorded, the candidate could replace the file.
      const now = await download(call)
      return now.file.blob === file.blob ? undefined : () => sendContent(call, now, true)
    }
    return sendFile(request, reply, { file, open, beforeContent, isLengthTold: true, isForBrowser: true })
  }

  async function sendAttachment(call: FileCall): Promise<FastifyReply> {
    try {
      return await sendContent(call, await download(call))
    } catch (error) {
      if (error instanceof Problem && error.code === 'file-not-judged') {
        return sendReason(call, {
          status: 403,
          title: 'This file can’t be checked for viruses',
          text: withheldTexts['not-judged'],
        })
      }
      if (!(error instanceof Problem && error.code === 'not-yet-scanned')) throw error
      const { retryAfterSeconds = 0 } = error
      call.reply.header('retry-after', String(retryAfterSeconds))
      return sendReason(call, {
        status: 503,
        title: 'This file hasn’t been checked yet',
        text: `${withheldTexts.unscanned} Try again in ${retryAfterSeconds} seconds.`,
      })
    }
  }

  async function sendText(call: FileCall): Promise<FastifyReply> {
    await viewed(call)
    const { file, open } = await download(call)
    if (file.scan === 'infected') throw new Problem('not-found')
    const viewer = call.caller.candidateId
    return sendFileFrame(call.reply, { ...file, open }, { conversions, viewer })
  }

  return [
    ...consoleTab(sessions, 'applications', { view: 'member' })(url, {
      show,
      acts: { '': { run: update } },
      // Opening a new application marks it as seen.
      config: { isAct: true },
    }),
    memberPage.get(`${url}/files/:type`, sendAttachment),
    memberPage.get(`${url}/files/:type/text`, sendText),
  ]
}

/** Whether the browser is prefetching the page, which its request headers say. */
function isFetchedAhead({ headers }: FastifyRequest): boolean {
  return /prefetch|preview/.test(`${headers['sec-purpose']} ${headers['purpose']} ${headers['x-moz']}`)
}
