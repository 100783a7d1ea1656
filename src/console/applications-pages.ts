import { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { filterSearch, type ReadFilter, readFilter, readPosition } from '../applications/search-filter.ts'
import type { ApplicationFinding, FoundApplication } from '../applications/search-ports.ts'
import type { Clock } from '../core/clock.ts'
import { toAestIso } from '../core/ms-date.ts'
import { Problem } from '../core/problems.ts'
import { FormFields, searchOf } from '../http/form.ts'
import type { Sessions } from '../http/sessions.ts'
import { Slots } from '../http/slots.ts'
import { dayOf } from '../jobs/job-ad.ts'
import { pageHead } from '../web/components.ts'
import { html } from '../web/html.ts'
import { sendPage } from '../web/page-response.ts'
import { applicationsMarkup } from './applications-markup.ts'
import { fileLabels, applicationsTexts as texts } from './applications-texts.ts'
import { consoleNavigation, consolePath } from './console-navigation.ts'
import { byteOrderMark, csvLine } from './csv.ts'

interface PageDeps {
  finding: ApplicationFinding
  sessions: Sessions
  clock: Clock
  limits: { searchTextLength: number; exportsPerSession: number; retryAfterSeconds: number }
}

/** The table of an advertiser's applications, and the same as a file for spreadsheets. */
export function applicationsPages({ finding, sessions, clock, limits }: PageDeps): RouteOptions[] {
  const config = { auth: 'console', role: 'recruiter', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const exports = new Slots(limits.exportsPerSession)

  const fieldsOf = (request: FastifyRequest) => new FormFields(searchOf(request.raw.url))
  const filterOf = (request: FastifyRequest): ReadFilter => {
    const fields = fieldsOf(request)
    return readFilter(name => fields.get(name), limits)
  }

  async function sendTable(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { advertiserId, role } = request.member
    const fields = fieldsOf(request)
    const read = filterOf(request)
    const position = readPosition(name => fields.get(name))
    const path = consolePath(advertiserId, 'applications')
    const [page, ads] = await Promise.all([
      finding.page(advertiserId, read.filter, position),
      finding.adChoices(advertiserId),
    ])
    const exportLink = html`<a class="button second" href="${path}.csv${filterSearch(read.typed)}" download>${texts.export}</a>`
    return sendPage(reply, {
      title: texts.title,
      heading: pageHead(texts.title, page.applications.length > 0 && exportLink),
      isWide: true,
      navigation: consoleNavigation(sessions, request, reply, 'applications'),
      body: applicationsMarkup({
        path,
        read,
        ads,
        page,
        position,
        jobsPath: role === 'admin' ? consolePath(advertiserId, 'jobs') : undefined,
      }),
    })
  }

  async function sendExport(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { advertiserId } = request.member
    const { filter } = filterOf(request)
    const fileName = `applications-${advertiserId}-${dayOf(clock())}.csv`
    reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': contentDisposition(fileName),
      'cache-control': 'private, no-store',
    })
    if (request.method === 'HEAD') return reply.send()
    const release = exports.take(request.session.sessionId)
    if (release === undefined) {
      throw new Problem('too-many-streams', texts.tooManyExports, {
        retryAfterSeconds: limits.retryAfterSeconds,
      })
    }
    reply.raw.once('close', release)
    // Whoever left while we asked who it was has closed already, and that is told only once.
    if (reply.raw.destroyed) release()
    const chunks = await finding.all(advertiserId, filter)
    // No reading ahead: a chunk is read when the one before it has gone out. What breaks half-way cuts the
    // connection, so that nobody takes half a file for a whole one.
    return reply.send(Readable.from(linesOf(chunks), { objectMode: false, highWaterMark: 1 }))
  }

  return [
    { method: 'GET', url: '/console/:advertiserId/applications', config, schema, handler: sendTable },
    {
      method: ['GET', 'HEAD'],
      url: '/console/:advertiserId/applications.csv',
      config,
      schema,
      handler: sendExport,
    },
  ]
}

async function* linesOf(chunks: AsyncIterable<FoundApplication[]>): AsyncGenerator<Buffer> {
  yield Buffer.from(byteOrderMark + csvLine(texts.csv.columns))
  for await (const chunk of chunks) {
    if (chunk.length > 0) yield Buffer.from(chunk.map(lineOf).join(''))
  }
}

function lineOf(application: FoundApplication): string {
  const { contact, jobAd, isScreenPassed, primaryJobSeekingInfo: info } = application
  const screen = isScreenPassed ? texts.passed : texts.failed
  return csvLine([
    application.id,
    toAestIso(application.submittedAt),
    contact.firstName,
    contact.lastName,
    contact.email,
    contact.phone,
    jobAd?.title ?? null,
    application.jobReference,
    isScreenPassed === null ? null : screen,
    info?.jobTitle ?? null,
    info?.companyName ?? null,
    info?.timeInRoleMonths ?? null,
    application.files.map(({ type }) => fileLabels[type]).join('; '),
    application.hasVirus ? texts.csv.yes : texts.csv.no,
  ])
}
