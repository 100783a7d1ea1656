import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { HistoryEntry } from '../../collect/progress/ports.ts'
import type { Progress } from '../../collect/progress/service.ts'
import type { Reads } from '../../collect/reads/service.ts'
import type { Holds } from '../../collect/retention/holds-service.ts'
import type { Retention } from '../../collect/retention/service.ts'
import { readFilter, usedSearch } from '../../collect/search/filter.ts'
import type { ApplicationFinding } from '../../collect/search/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { sendFile } from '../../http/responses/file-response.ts'
import { type Call, type FormCall, pathId } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { StoredFile } from '../../model/application.ts'
import { type FileType, fileTypes } from '../../model/application.ts'
import { memberReader } from '../../model/application-read.ts'
import { chosenStatuses, isDecision, statuses } from '../../model/application-status.ts'
import type { DocumentConversions } from '../../model/document.ts'
import { screenIn } from '../../model/v1/stored-screen.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { errorSummary } from '../../web/fields.ts'
import { sendFileFrame } from '../../web/file-frame.ts'
import { isForPreview, previewAssets } from '../../web/file-preview.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { memberPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { checked } from '../refusals.ts'
import { detailMarkup, neighboursMarkup } from './detail-markup.ts'
import { applicationDetailTexts as texts } from './detail-texts.ts'
import { holdPath } from './hold-pages.ts'
import { nameOf } from './markup.ts'
import { actorOf, changedNotice, type ProgressMarkup } from './progress-markup.ts'
import { progressTexts } from './progress-texts.ts'
import { applicationsTexts } from './texts.ts'

export interface Download {
  file: StoredFile
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

interface PageDeps {
  finding: Pick<ApplicationFinding, 'detail' | 'neighbours' | 'related' | 'questionnaireNow'>
  clock: Clock
  applications: {
    holdsUnscanned: boolean
    download(advertiserId: number, applicationId: number, type: FileType): Promise<Download>
  }
  conversions: DocumentConversions
  progress: Pick<Progress, 'open' | 'update' | 'history' | 'happenings' | 'hasAccount'>
  sessions: Sessions
  sentForms: SentForms
  /** Whether candidates can be told by email. */
  isMailOn: boolean
  reads: Pick<Reads, 'view' | 'download'>
  retention: Pick<Retention, 'endOf'>
  holds: Pick<Holds, 'find'>
  limits: Pick<Limits, 'previewTextBytes' | 'searchTextLength'>
}

/** A form that was not saved and is shown again. */
interface Again {
  status: number
  typed: ProgressMarkup['typed']
  above(history: readonly HistoryEntry[]): Html
}

/** Thrown so that the same form can be sent again. */
class StaleStatus extends Error {}

type ApplicationCall = Call<'console', 'applicationId'>
type FileCall = Call<'console', 'applicationId' | 'type'>

/** One application with its answers and files. */
export function applicationDetailPages(deps: PageDeps): RouteOptions[] {
  const { finding, applications, limits, conversions, clock, progress, sessions } = deps
  const url = '/console/:advertiserId/applications/:applicationId'

  async function sendDetail(call: ApplicationCall, again?: Again): Promise<FastifyReply> {
    const { request, reply, caller } = call
    const { advertiserId, timeZone, candidateId } = caller
    await viewed(call)
    const application = await openDetail(call)
    const answered = application.screenJson === null ? undefined : screenIn(application.screenJson)
    const fields = new FormFields(searchOf(request.raw.url))
    // The filters of the list that the reader came from.
    const read = readFilter(name => fields.get(name), { ...limits, timeZone })
    const search = usedSearch(read)
    const [hold, dueAt, history, happenings, canTell, screen, neighbours, related] = await Promise.all([
      deps.holds.find(advertiserId, application.id),
      deps.retention.endOf(advertiserId, application.submittedAt),
      progress.history(advertiserId, application.id),
      application.erasedAt === null ? progress.happenings(advertiserId, application) : [],
      deps.isMailOn && progress.hasAccount(advertiserId, application.id),
      answered && finding.questionnaireNow(advertiserId, answered.id),
      finding.neighbours(advertiserId, application.id, read.filter),
      finding.related(advertiserId, application),
    ])
    const listPath = consolePath(advertiserId, 'applications')
    const path = `${listPath}/${application.id}`
    const form = { action: `${path}${search}`, token: sessions.formToken(reply, path), formKey: newUuid() }
    const isErased = application.erasedAt !== null
    const ownHoldPath = holdPath(advertiserId, application.id)
    const admin =
      caller.role === 'admin'
        ? {
            holdPath: ownHoldPath,
            periodPath: consolePath(advertiserId, 'retention'),
            token: sessions.formToken(reply, ownHoldPath),
          }
        : undefined
    const name = isErased ? texts.erasedTitle(application.id) : nameOf(application)
    return sendPage(reply, {
      status: again?.status ?? 200,
      title: name,
      heading: pageHead(
        isErased ? name : isolateBidi(name),
        neighboursMarkup(neighbours, { listPath, search }),
        breadcrumb([{ href: `${listPath}${search}`, label: applicationsTexts.title }]),
      ),
      isWide: true,
      hasPreview: true,
      scripts: [...previewAssets, 'reader.js'],
      navigation: consoleNavigation(caller, 'applications'),
      body: html`${again === undefined ? doneNotice(sessions.unseal(call.request, fields.get('done')), history.entries, { ...form, ownId: candidateId }) : again.above(history.entries)}${detailMarkup(
        {
          path,
          listPath,
          application,
          related,
          now: clock(),
          answered,
          screen,
          holdsUnscanned: applications.holdsUnscanned,
          timeZone,
          keeping: { hold, dueAt, timeZone, admin },
          progress: {
            ...form,
            status: application.status,
            canTell,
            history,
            happenings,
            submittedAt: application.submittedAt,
            erasedAt: application.erasedAt,
            typed: again?.typed ?? { note: '', tells: false, errors: [] },
            ownId: candidateId,
            timeZone,
            now: clock(),
          },
        },
      )}`,
    })
  }

  /** Makes a new application seen, unless the browser only fetches the page ahead. */
  async function openDetail({ request, caller, params }: ApplicationCall) {
    const { advertiserId, candidateId } = caller
    const id = pathId(params.applicationId)
    const application = await finding.detail(advertiserId, id)
    if (application.status !== 'new' || request.method !== 'GET' || isFetchedAhead(request))
      return application
    // A colleague may have changed it since.
    const isSeen = await progress.open(advertiserId, id, candidateId)
    return isSeen ? { ...application, status: 'seen' as const } : finding.detail(advertiserId, id)
  }

  async function update(call: FormCall<'console', 'applicationId'>): Promise<FastifyReply> {
    const { advertiserId, candidateId } = call.caller
    const id = pathId(call.params.applicationId)
    const listPath = consolePath(advertiserId, 'applications')
    const fields = sessions.checkForm(call, `${listPath}/${id}`)
    const shown = statuses.find(status => status === fields.get('shown'))
    const to = chosenStatuses.find(status => status === fields.get('status'))
    if (shown === undefined) throw new Problem('bad-request')
    const typed = { note: fields.get('note') ?? '', tells: fields.get('tell') === 'yes', errors: [] }
    const change = { by: candidateId, shown, to, note: typed.note, tells: typed.tells }
    const what = to === undefined ? 'note' : typed.tells && isDecision(to) ? 'told' : 'status'
    const done = sessions.seal(call.reply, what)
    // The page of an application that is new again would make it seen.
    const search = filterIn(call)
    const back = to === 'new' ? `${listPath}${search}` : `${listPath}/${id}${withDone(search, done)}`
    const outcome = await checked(() =>
      deps.sentForms.once(call, fields, async () => {
        if ((await progress.update(advertiserId, id, change)) === 'stale') throw new StaleStatus()
        return back
      }),
    ).catch(error => {
      if (error instanceof StaleStatus) return error
      throw error
    })
    if (outcome instanceof StaleStatus) {
      return sendDetail(call, { status: 409, typed, above: entries => staleNotice(entries, candidateId) })
    }
    if ('errors' in outcome) {
      const { errors } = outcome
      const above = () => errorSummary(errors, undefined, progressTexts.notSaved)
      return sendDetail(call, { status: 422, typed: { ...typed, errors }, above })
    }
    return redirect(call.reply, outcome.result.location)
  }

  const filterIn = ({ request, caller }: ApplicationCall) => {
    const fields = new FormFields(searchOf(request.raw.url))
    return usedSearch(readFilter(name => fields.get(name), { ...limits, timeZone: caller.timeZone }))
  }

  /** Explains on a page why there is no file to download. */
  function sendReason(
    { reply, caller, params }: ApplicationCall,
    page: { status: number; title: string; text: string },
  ): FastifyReply {
    const back = `${consolePath(caller.advertiserId, 'applications')}/${pathId(params.applicationId)}`
    return sendPage(reply, {
      status: page.status,
      title: page.title,
      navigation: consoleNavigation(caller, 'applications'),
      body: html`${notice('warning', page.text)}<p><a class="button second" href="${back}">${texts.back}</a></p>`,
    })
  }

  async function open({ request, caller, params }: FileCall, way: 'view' | 'download'): Promise<Download> {
    const type = fileTypes.find(each => each === params.type)
    if (type === undefined) throw new Problem('not-found')
    const { advertiserId } = caller
    const id = pathId(params.applicationId)
    const found = await applications.download(advertiserId, id, type)
    return {
      ...found,
      async open(range) {
        if (request.method === 'HEAD') return found.open(range)
        await deps.reads[way](advertiserId, memberReader(caller), id)
        // The candidate may have replaced the file until it was read.
        const now = await applications.download(advertiserId, id, type)
        if (now.file.sha256 !== found.file.sha256) throw new Problem('unavailable')
        return found.open(range)
      },
    }
  }

  /** Records the view before anything is read: what the candidate replaces from then on is refused. */
  async function viewed({ request, caller, params }: ApplicationCall): Promise<void> {
    if (request.method === 'HEAD') return
    await deps.reads.view(caller.advertiserId, memberReader(caller), pathId(params.applicationId))
  }

  async function sendAttachment(call: FileCall): Promise<FastifyReply> {
    try {
      const download = await open(call, isForPreview(call.request.raw.url) ? 'view' : 'download')
      const { file } = download
      if (file.scan === 'infected') {
        return sendReason(call, { status: 404, title: texts.infectedTitle, text: texts.infected })
      }
      const answer = { file, open: download.open, isLengthTold: true, isForBrowser: true }
      return await sendFile(call.request, call.reply, answer)
    } catch (error) {
      if (error instanceof Problem && error.code === 'file-not-judged') {
        return sendReason(call, {
          status: 403,
          title: texts.notJudgedTitle,
          text: texts.notJudged,
        })
      }
      if (!(error instanceof Problem && error.code === 'not-yet-scanned')) throw error
      const { retryAfterSeconds = 0 } = error
      call.reply.header('retry-after', String(retryAfterSeconds))
      return sendReason(call, {
        status: 503,
        title: texts.heldTitle,
        text: `${texts.held} ${texts.heldAgain(retryAfterSeconds)}`,
      })
    }
  }

  async function sendText(call: FileCall): Promise<FastifyReply> {
    const download = await open(call, 'view')
    if (download.file.scan === 'infected') throw new Problem('not-found')
    const viewer = call.caller.candidateId
    const file = { ...download.file, open: download.open }
    return sendFileFrame(call.reply, file, { ...limits, conversions, viewer })
  }

  return [
    // Opening a new application makes it seen.
    memberPage.get(url, call => sendDetail(call), { isAct: true }),
    memberPage.post(url, update),
    memberPage.get(`${url}/files/:type`, sendAttachment),
    memberPage.get(`${url}/files/:type/text`, sendText),
  ]
}

/** Browsers that fetch a page before the reader asks for it say so. */
function isFetchedAhead({ headers }: FastifyRequest): boolean {
  return /prefetch|preview/.test(`${headers['sec-purpose']} ${headers['purpose']} ${headers['x-moz']}`)
}

const withDone = (search: string, done: string) => `${search === '' ? '?' : `${search}&`}done=${done}`

function doneNotice(
  done: string | undefined,
  entries: readonly HistoryEntry[],
  { ownId, ...form }: { action: string; token: string; formKey: string; ownId: string },
): Html | false {
  if (done === 'note') return notice('good', progressTexts.noteAdded)
  const { former, status, actorId } = entries.find(({ kind }) => kind === 'status') ?? {}
  if ((done !== 'status' && done !== 'told') || !former || !status || actorId !== ownId) return false
  return changedNotice({ former, status }, { ...form, isTold: done === 'told' })
}

function staleNotice(entries: readonly HistoryEntry[], ownId: string): Html {
  const last = entries.find(({ status }) => status !== null)
  if (last?.status === 'withdrawn') return notice('problem', progressTexts.staleWithdrawn)
  const who = last === undefined ? progressTexts.service : actorOf(last, ownId)
  return notice('problem', progressTexts.stale(who, last?.status ?? 'seen'))
}
