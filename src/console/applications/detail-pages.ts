import type { FastifyReply, RouteOptions } from 'fastify'
import { readFilter, usedSearch } from '../../collect/search/filter.ts'
import type { ApplicationFinding } from '../../collect/search/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { sendFile } from '../../http/responses/file-response.ts'
import { type Call, pathId } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { StoredFile } from '../../model/application.ts'
import { type FileType, fileTypes } from '../../model/application.ts'
import type { DocumentConversions } from '../../model/document.ts'
import { screenIn } from '../../model/v1/stored-screen.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { sendFileFrame } from '../../web/file-frame.ts'
import { previewAssets } from '../../web/file-preview.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { memberPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { detailMarkup, neighboursMarkup } from './detail-markup.ts'
import { applicationDetailTexts as texts } from './detail-texts.ts'
import { nameOf } from './markup.ts'
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
  limits: Pick<Limits, 'previewTextBytes' | 'searchTextLength'>
}

type ApplicationCall = Call<'console', 'applicationId'>
type FileCall = Call<'console', 'applicationId' | 'type'>

/** One application with its answers and files. */
export function applicationDetailPages(deps: PageDeps): RouteOptions[] {
  const { finding, applications, limits, conversions, clock } = deps
  const url = '/console/:advertiserId/applications/:applicationId'

  async function sendDetail({ request, reply, caller, params }: ApplicationCall): Promise<FastifyReply> {
    const { advertiserId, timeZone } = caller
    const application = await finding.detail(advertiserId, pathId(params.applicationId))
    const answered = application.screenJson === null ? undefined : screenIn(application.screenJson)
    const fields = new FormFields(searchOf(request.raw.url))
    // The filters of the list that the reader came from.
    const read = readFilter(name => fields.get(name), { ...limits, timeZone })
    const search = usedSearch(read)
    const [screen, neighbours, related] = await Promise.all([
      answered && finding.questionnaireNow(advertiserId, answered.id),
      finding.neighbours(advertiserId, application.id, read.filter),
      finding.related(advertiserId, application),
    ])
    const listPath = consolePath(advertiserId, 'applications')
    const isErased = application.erasedAt !== null
    const name = isErased ? texts.erasedTitle(application.id) : nameOf(application)
    return sendPage(reply, {
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
      body: detailMarkup({
        path: `${listPath}/${application.id}`,
        listPath,
        application,
        related,
        now: clock(),
        answered,
        screen,
        holdsUnscanned: applications.holdsUnscanned,
        timeZone,
      }),
    })
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

  async function open({ caller, params }: FileCall): Promise<Download> {
    const type = fileTypes.find(each => each === params.type)
    if (type === undefined) throw new Problem('not-found')
    return applications.download(caller.advertiserId, pathId(params.applicationId), type)
  }

  async function sendAttachment(call: FileCall): Promise<FastifyReply> {
    try {
      const download = await open(call)
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
    const download = await open(call)
    if (download.file.scan === 'infected') throw new Problem('not-found')
    const viewer = call.caller.candidateId
    const file = { ...download.file, open: download.open }
    return sendFileFrame(call.reply, file, { ...limits, conversions, viewer })
  }

  return [
    memberPage.get(url, sendDetail),
    memberPage.file(`${url}/files/:type`, sendAttachment),
    memberPage.get(`${url}/files/:type/text`, sendText),
  ]
}
