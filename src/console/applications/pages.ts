import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, RouteOptions } from 'fastify'
import type { Reads } from '../../collect/reads/service.ts'
import {
  picksSome,
  type ReadFilter,
  readFilter,
  readPosition,
  usedSearch,
} from '../../collect/search/filter.ts'
import type { ApplicationFinding, FoundApplication } from '../../collect/search/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import { dayIn, isoIn } from '../../core/time-zone.ts'
import type { Slots } from '../../http/rates/slots.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { sendChunks } from '../../http/responses/chunked-response.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { memberReader } from '../../model/application-read.ts'
import { pageHead } from '../../web/components.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { memberPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath, timeZonePath } from '../navigation-markup.ts'
import { byteOrderMark, csvLine } from './csv.ts'
import { applicationsMarkup } from './markup.ts'
import { fileLabels, applicationsTexts as texts } from './texts.ts'

interface PageDeps {
  finding: ApplicationFinding
  reads: Pick<Reads, 'exportAll' | 'exportSome'>
  exports: Slots
  clock: Clock
  limits: Pick<Limits, 'searchTextLength' | 'retryAfterSeconds'>
}

/** An advertiser's applications as a table and as a CSV export. */
export function applicationsPages({ finding, reads, exports, clock, limits }: PageDeps): RouteOptions[] {
  const fieldsOf = ({ request }: Call<'console'>) => new FormFields(searchOf(request.raw.url))
  const filterOf = (call: Call<'console'>): ReadFilter => {
    const fields = fieldsOf(call)
    return readFilter(name => fields.get(name), { ...limits, timeZone: call.caller.timeZone })
  }

  async function sendTable(
    call: Call<'console'>,
    { status, faultLead }: { status: number; faultLead: string },
  ): Promise<FastifyReply> {
    const { advertiserId, role, timeZone } = call.caller
    const fields = fieldsOf(call)
    const read = filterOf(call)
    const position = readPosition(name => fields.get(name))
    const path = consolePath(advertiserId, 'applications')
    const [page, ads] = await Promise.all([
      finding.page(advertiserId, read.filter, position),
      finding.adChoices(advertiserId),
    ])
    const exportLink = html`<a class="button second" href="${path}.csv${usedSearch(read)}" download>${texts.export}</a>`
    return sendPage(call.reply, {
      status,
      title: texts.title,
      heading: pageHead(texts.title, page.applications.length > 0 && exportLink),
      isWide: true,
      navigation: consoleNavigation(call.caller, 'applications'),
      body: applicationsMarkup({
        path,
        read,
        ads,
        page,
        position,
        faultLead,
        timeZone,
        now: clock(),
        adminPaths:
          role === 'admin'
            ? { jobs: consolePath(advertiserId, 'jobs'), timeZone: timeZonePath(advertiserId) }
            : undefined,
      }),
    })
  }

  const tooManyExports = () =>
    new Problem('too-many-streams', texts.tooManyExports, { retryAfterSeconds: limits.retryAfterSeconds })

  async function sendExport(call: Call<'console'>): Promise<FastifyReply> {
    const { request, reply, caller } = call
    const { advertiserId, timeZone } = caller
    const { filter, faults } = filterOf(call)
    // The table shows which filters were ignored; a file could not.
    if (Object.keys(faults).length > 0) {
      return sendTable(call, { status: 422, faultLead: texts.exportFaultLead })
    }
    const fileName = `applications-${advertiserId}-${dayIn(clock(), timeZone)}.csv`
    reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': contentDisposition(fileName),
      'cache-control': 'private, no-store',
    })
    if (request.method === 'HEAD') return reply.send()
    const slot = exports.take(caller.sessionId)
    if (slot === undefined) throw tooManyExports()
    reply.raw.once('close', slot.release)
    // If the client disconnected during authentication, `close` has already fired and will not fire again.
    if (reply.raw.destroyed) slot.release()
    // An export that a single read can answer finishes quickly; only longer ones need a slot shared by all nodes.
    const chunks = await finding.all(advertiserId, filter, async () => {
      if (!(await slot.share())) throw tooManyExports()
    })
    return sendChunks(reply, linesOf(recorded(caller, filter, chunks), timeZone))
  }

  /** Records what an export hands out: ranges of a period, newest first, or the applications that a filter has picked. */
  async function* recorded(
    caller: Call<'console'>['caller'],
    filter: ReadFilter['filter'],
    chunks: AsyncIterable<FoundApplication[]>,
  ): AsyncGenerator<FoundApplication[]> {
    const { advertiserId } = caller
    let newest: number | undefined
    for await (const chunk of chunks) {
      const ids = chunk.map(({ id }) => id)
      const last = ids.at(-1)
      if (last !== undefined) {
        newest ??= ids[0] ?? last
        if (picksSome(filter)) await reads.exportSome(advertiserId, memberReader(caller), ids)
        else reads.exportAll(advertiserId, memberReader(caller), last, newest)
      }
      yield chunk
    }
  }

  return [
    memberPage.get('/console/:advertiserId/applications', call =>
      sendTable(call, { status: 200, faultLead: texts.faultLead }),
    ),
    memberPage.file('/console/:advertiserId/applications.csv', sendExport),
  ]
}

async function* linesOf(chunks: AsyncIterable<FoundApplication[]>, timeZone: string): AsyncGenerator<Buffer> {
  yield Buffer.from(byteOrderMark + csvLine(texts.csv.columns))
  for await (const chunk of chunks) {
    if (chunk.length > 0) yield Buffer.from(chunk.map(application => lineOf(application, timeZone)).join(''))
  }
}

function lineOf(application: FoundApplication, timeZone: string): string {
  const { contact, jobAd, isQuestionnairePassed, primaryJobSeekingInfo: info } = application
  const screen = isQuestionnairePassed ? texts.passed : texts.failed
  return csvLine([
    application.id,
    isoIn(application.submittedAt, timeZone),
    contact.firstName,
    contact.lastName,
    contact.email,
    contact.phone,
    jobAd?.title ?? null,
    application.jobReference,
    isQuestionnairePassed === null ? null : screen,
    info?.jobTitle ?? null,
    info?.companyName ?? null,
    info?.timeInRoleMonths ?? null,
    application.files.map(({ type }) => fileLabels[type]).join('; '),
    virusOf(application),
  ])
}

/** Does not call an unscanned file clean. */
function virusOf({ files }: FoundApplication): string | null {
  if (files.length === 0) return null
  if (files.some(({ scan }) => scan === 'infected')) return texts.csv.yes
  return files.every(({ scan }) => scan === 'clean') ? texts.csv.no : texts.csv.notChecked
}
