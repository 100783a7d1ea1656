import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { readFilter, usedSearch } from '../../collect/search/filter.ts'
import type { ApplicationFinding } from '../../collect/search/ports.ts'
import { parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { sendFile } from '../../http/responses/file-response.ts'
import { sendFramedText } from '../../http/responses/text-frame.ts'
import type { Limits } from '../../limits.ts'
import type { StoredFile } from '../../model/application.ts'
import { type FileType, fileTypes } from '../../model/application.ts'
import { screenIn } from '../../model/v1/stored-screen.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { previewAssets } from '../../web/file-preview.ts'
import { filePreviewTexts } from '../../web/file-preview-texts.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { detailMarkup, neighboursMarkup } from './detail-markup.ts'
import { applicationDetailTexts as texts } from './detail-texts.ts'
import { nameOf } from './markup.ts'
import { applicationsTexts } from './texts.ts'

interface Download {
  file: StoredFile
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

interface PageDeps {
  finding: Pick<ApplicationFinding, 'detail' | 'neighbours' | 'questionnaireNow'>
  applications: {
    holdsUnscanned: boolean
    download(advertiserId: number, applicationId: number, type: FileType): Promise<Download>
  }
  limits: Pick<Limits, 'previewTextBytes' | 'searchTextLength'>
}

/** One application with its answers and files. */
export function applicationDetailPages(deps: PageDeps): RouteOptions[] {
  const { finding, applications, limits } = deps
  const config = { auth: 'console', role: 'recruiter', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const url = '/console/:advertiserId/applications/:applicationId'

  async function sendDetail(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { advertiserId, timeZone } = request.member
    const application = await finding.detail(advertiserId, applicationIdOf(request))
    const answered = application.screenJson === null ? undefined : screenIn(application.screenJson)
    const fields = new FormFields(searchOf(request.raw.url))
    // The filters of the list that the reader came from.
    const read = readFilter(name => fields.get(name), { ...limits, timeZone })
    const search = usedSearch(read)
    const [screen, neighbours] = await Promise.all([
      answered && finding.questionnaireNow(advertiserId, answered.id),
      finding.neighbours(advertiserId, application.id, read.filter),
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
      scripts: previewAssets,
      navigation: consoleNavigation(request.member, 'applications'),
      body: detailMarkup({
        path: `${listPath}/${application.id}`,
        application,
        answered,
        screen,
        holdsUnscanned: applications.holdsUnscanned,
        timeZone,
      }),
    })
  }

  /** Explains on a page why there is no file to download. */
  function sendReason(
    request: FastifyRequest,
    reply: FastifyReply,
    page: { status: number; title: string; text: string },
  ): FastifyReply {
    const { advertiserId } = request.member
    const back = `${consolePath(advertiserId, 'applications')}/${applicationIdOf(request)}`
    return sendPage(reply, {
      status: page.status,
      title: page.title,
      navigation: consoleNavigation(request.member, 'applications'),
      body: html`${notice('warning', page.text)}<p><a class="button second" href="${back}">${texts.back}</a></p>`,
    })
  }

  async function open(request: FastifyRequest): Promise<Download> {
    const { type } = request.params as { type: string }
    const known = fileTypes.find(each => each === type)
    const id = applicationIdOf(request)
    if (known === undefined || id === undefined) throw new Problem('not-found')
    return applications.download(request.member.advertiserId, id, known)
  }

  async function sendAttachment(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      const download = await open(request)
      const { file } = download
      if (file.scan === 'infected') {
        return sendReason(request, reply, { status: 404, title: texts.infectedTitle, text: texts.infected })
      }
      const answer = { file, open: download.open, isLengthTold: true, isForBrowser: true }
      return await sendFile(request, reply, answer)
    } catch (error) {
      if (error instanceof Problem && error.code === 'file-not-judged') {
        return sendReason(request, reply, {
          status: 403,
          title: texts.notJudgedTitle,
          text: texts.notJudged,
        })
      }
      if (!(error instanceof Problem && error.code === 'not-yet-scanned')) throw error
      const { retryAfterSeconds = 0 } = error
      reply.header('retry-after', String(retryAfterSeconds))
      return sendReason(request, reply, {
        status: 503,
        title: texts.heldTitle,
        text: `${texts.held} ${texts.heldAgain(retryAfterSeconds)}`,
      })
    }
  }

  async function sendText(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const download = await open(request)
    const { contentType, scan, size } = download.file
    if (contentType !== 'text/plain' || scan === 'infected') throw new Problem('not-found')
    return sendFramedText(
      reply,
      { size, open: download.open },
      { maxBytes: limits.previewTextBytes, rest: filePreviewTexts.restNotShown },
    )
  }

  return [
    { method: 'GET', url, config, schema, handler: sendDetail },
    { method: ['GET', 'HEAD'], url: `${url}/files/:type`, config, schema, handler: sendAttachment },
    { method: 'GET', url: `${url}/files/:type/text`, config, schema, handler: sendText },
  ]
}

/** A malformed ID matches no application. */
function applicationIdOf(request: FastifyRequest): number | undefined {
  return parseNumericId((request.params as { applicationId: string }).applicationId)
}
