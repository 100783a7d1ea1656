import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, RouteOptions } from 'fastify'
import type { Progress } from '../../collect/progress/service.ts'
import type { Reads } from '../../collect/reads/service.ts'
import {
  filterSearch,
  picksSome,
  type ReadFilter,
  readFilter,
  readPosition,
  usedSearch,
} from '../../collect/search/filter.ts'
import type { ApplicationFinding, FoundApplication } from '../../collect/search/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import { dayIn, isoIn } from '../../core/time/time-zone.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import type { Slots } from '../../http/rates/slots.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { sendChunks } from '../../http/responses/chunked-response.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { memberReader } from '../../model/application-read.ts'
import {
  type ApplicationStatus,
  chosenStatuses,
  statuses,
  statusLabels,
} from '../../model/application-status.ts'
import { notice, pageHead } from '../../web/components.ts'
import { byteOrderMark, csvLine } from '../../web/csv.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { memberPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath, timeZonePath } from '../navigation-markup.ts'
import { listTexts } from './list-texts.ts'
import { applicationsMarkup, positionOf } from './markup.ts'
import { fileLabels, applicationsTexts as texts } from './texts.ts'

interface PageDeps {
  finding: ApplicationFinding
  reads: Pick<Reads, 'exportAll' | 'exportSome'>
  progress: Pick<Progress, 'updateMany' | 'visit'>
  sessions: Sessions
  sentForms: SentForms
  exports: Slots
  /** Puts it on record before the first byte. */
  onExport(advertiserId: number, what: { form: string }): Promise<void>
  clock: Clock
  /** Whether candidates can be told by email. */
  isMailOn: boolean
  limits: Pick<Limits, 'searchTextLength' | 'retryAfterSeconds' | 'applicationsChosen'>
}

/** The table after a form, or with invalid filters. */
interface Shown {
  status?: number
  faultLead?: string
  above?: Html | undefined
  chosen?: ReadonlySet<number>
  typed?: { status: string; tells: boolean }
}

/** Some no longer had the status that the page showed. Thrown so that the same form can be sent again. */
class StaleSelection extends Error {
  readonly ids: number[]
  readonly changed: number
  constructor(ids: number[], changed: number) {
    super()
    this.ids = ids
    this.changed = changed
  }
}

/** An advertiser's applications as a table and as a CSV export. */
export function applicationsPages(deps: PageDeps): RouteOptions[] {
  const { finding, reads, exports, clock, limits, sessions } = deps
  const fieldsOf = ({ request }: Call<'console'>) => new FormFields(searchOf(request.raw.url))
  const filterOf = (call: Call<'console'>): ReadFilter => {
    const fields = fieldsOf(call)
    return readFilter(name => fields.get(name), { ...limits, timeZone: call.caller.timeZone })
  }

  async function sendTable(
    call: Call<'console'>,
    { status = 200, faultLead = texts.faultLead, above, ...again }: Shown = {},
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
    const here = filterSearch(read.typed, positionOf(position))
    const exportLink = html`<a class="button second" href="${path}.csv${usedSearch(read)}" download>${texts.export}</a>`
    return sendPage(call.reply, {
      status,
      title: texts.title,
      heading: pageHead(texts.title, page.applications.length > 0 && exportLink),
      isWide: true,
      navigation: consoleNavigation(call.caller, 'applications'),
      body: html`${above}${applicationsMarkup({
        path,
        selection: {
          action: `${path}/selection${here}`,
          archiveAction: `${path}/selection/files.zip${here}`,
          token: sessions.formToken(call.reply, path),
          formKey: newUuid(),
          chosen: again.chosen ?? new Set(),
          typed: again.typed ?? { status: '', tells: false },
          canTell: deps.isMailOn,
        },
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
      })}`,
    })
  }

  /** The applications that are selected in a form of the list, with the status that it showed. */
  function chosenIn(call: FormCall<'console'>): { id: number; shown: ApplicationStatus }[] {
    sessions.checkForm(call, consolePath(call.caller.advertiserId, 'applications'))
    return call.fields.all('chosen').flatMap(value => {
      const [number = '', status] = value.split(':')
      const id = parseNumericId(number)
      const shown = statuses.find(each => each === status)
      return id === undefined || shown === undefined ? [] : [{ id, shown }]
    })
  }

  async function changeMany(call: FormCall<'console'>): Promise<FastifyReply> {
    const { advertiserId, candidateId } = call.caller
    const chosen = chosenIn(call)
    const to = chosenStatuses.find(each => each === call.fields.get('status'))
    const typed = { status: to ?? '', tells: call.fields.get('tell') === 'yes' }
    const refuse = (text: string, status: number, ids = chosen.map(({ id }) => id)) =>
      sendTable(call, { status, above: notice('problem', text), chosen: new Set(ids), typed })
    if (chosen.length === 0) return refuse(listTexts.noneChosen, 422)
    if (to === undefined) return refuse(listTexts.noStatus, 422)
    if (chosen.length > limits.applicationsChosen)
      return refuse(listTexts.tooMany(limits.applicationsChosen), 422)
    const done = await deps.sentForms
      .once(call, call.fields, async () => {
        const change = { to, by: candidateId, tells: typed.tells }
        const changed = await deps.progress.updateMany(advertiserId, chosen, change)
        const stale = chosen.filter(({ id }) => !changed.includes(id)).map(({ id }) => id)
        if (stale.length > 0) throw new StaleSelection(stale, changed.length)
        const search = new URLSearchParams(searchOf(call.request.raw.url))
        // Sealed: no link from elsewhere can claim what was not changed.
        search.set('changed', sessions.seal(call.reply, `${changed.length}-${to}`))
        return `${consolePath(advertiserId, 'applications')}?${search}`
      })
      .catch(error => {
        if (error instanceof StaleSelection) return error
        throw error
      })
    if (done instanceof StaleSelection)
      return refuse(listTexts.stale(done.ids.length, done.changed, to), 409, done.ids)
    return redirect(call.reply, done.location)
  }

  /** Whether this is the first page of all applications, in either order. */
  function showsAllNew(call: Call<'console'>): boolean {
    const { order, ...narrowing } = filterOf(call).typed
    const fields = fieldsOf(call)
    const isFirst = readPosition(name => fields.get(name)) === undefined
    return isFirst && Object.values(narrowing).every(value => value === '')
  }

  /** What the last form changed. */
  function changedNotice(call: Call<'console'>): Html | undefined {
    const [, number = '', status] =
      /^(\d+)-(.+)$/.exec(sessions.unseal(call.request, fieldsOf(call).get('changed')) ?? '') ?? []
    const count = parseNumericId(number)
    const to = chosenStatuses.find(each => each === status)
    return count === undefined || to === undefined ? undefined : notice('good', listTexts.changed(count, to))
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
    await deps.onExport(advertiserId, { form: 'csv' })
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
    memberPage.get('/console/:advertiserId/applications', async call => {
      const { advertiserId, candidateId } = call.caller
      const isVisit = call.request.method === 'GET' && showsAllNew(call)
      if (isVisit) await deps.progress.visit(advertiserId, candidateId, true)
      return sendTable(call, { above: changedNotice(call) })
    }),
    memberPage.post('/console/:advertiserId/applications/selection', changeMany),
    memberPage.fresh.get('/console/:advertiserId/applications.csv', sendExport, { isAct: true }),
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
    statusLabels[application.status],
  ])
}

/** Does not call an unscanned file clean. */
function virusOf({ files }: FoundApplication): string | null {
  if (files.length === 0) return null
  if (files.some(({ scan }) => scan === 'infected')) return texts.csv.yes
  return files.every(({ scan }) => scan === 'clean') ? texts.csv.no : texts.csv.notChecked
}
