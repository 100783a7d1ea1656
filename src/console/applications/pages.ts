import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, RouteOptions } from 'fastify'
import type { HeldDecisions } from '../../collect/progress/held-decision-store.ts'
import { applicationsChosen, type Progress } from '../../collect/progress/service.ts'
import type { Reads } from '../../collect/reads/service.ts'
import {
  picksSome,
  type ReadFilter,
  readFilter,
  readPosition,
  usedSearch,
} from '../../collect/search/filter.ts'
import type { FoundApplication } from '../../collect/search/results.ts'
import type { ApplicationSearch } from '../../collect/search/service.ts'
import type { Advertisers } from '../../companies/service.ts'
import { memberReader } from '../../model/application-read.ts'
import {
  type ApplicationStatus,
  type ChosenStatus,
  chosenStatuses,
  type EmailChoice,
  isEmailed,
  statuses,
  statusLabels,
} from '../../model/application-status.ts'
import { BoardProblem } from '../../model/problems.ts'
import { answerDueBefore } from '../../model/unanswered.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { Problem, retryAfterSeconds } from '../../platform/core/problems.ts'
import { dayIn, isoIn } from '../../platform/core/time/time-zone.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import type { Slot, Slots } from '../../platform/http/rates/slots.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { sendChunks } from '../../platform/http/responses/chunked-response.ts'
import type { Call } from '../../platform/http/routes.ts'
import { notice, pageHead } from '../../platform/web/components.ts'
import { byteOrderMark, csvLine } from '../../platform/web/csv.ts'
import { formsOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { memberPage } from '../../platform/web/page-routes.ts'
import { type ActCall, type Outcome, type PageCall, refusal } from '../../platform/web/tab.ts'
import { zonedTime } from '../../platform/web/time.ts'
import { answerDaysPath, consoleNavigation, consolePath, timeZonePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'
import { listMarkup } from './list-markup.ts'
import { fileLabel, numberInWords } from './markup.ts'
import { untoldTexts } from './progress-markup.ts'

interface PageDeps {
  applicationSearch: ApplicationSearch
  reads: Pick<Reads, 'exportAll' | 'exportSome'>
  progress: Pick<Progress, 'updateMany' | 'visit' | 'whyUntold' | 'held' | 'takeBack'>
  telling: Advertisers['telling']
  sessions: Sessions
  sentForms: SentForms
  exports: Slots
  /** Recorded in the audit log before the first byte is sent. */
  onExport(advertiserId: number, what: { form: string }): Promise<void>
  clock: Clock
  /** Whether candidates can be notified by email. */
  isMailOn: boolean
}

type ListCall = Call<'console'>

const tooManyExports = () =>
  new BoardProblem(
    'too-many-streams',
    'You have other exports running. Wait for one to finish, then try again.',
    {
      retryAfterSeconds,
    },
  )

/** Reserves a slot until the response ends; throws if the session has other exports running. */
export function takeExport(exports: Slots, { reply, caller }: ListCall): Slot {
  const slot = exports.take(caller.sessionId)
  if (slot === undefined) throw tooManyExports()
  reply.raw.once('close', slot.release)
  // If the client disconnected during authentication, `close` has already fired and will not fire again.
  if (reply.raw.destroyed) slot.release()
  return slot
}

export const tooManyChosen = `Nothing was done. Select ${applicationsChosen} applications or fewer.`

/** An advertiser's applications as a table, in which several can be changed together, and as a CSV export. */
export function applicationsPages(deps: PageDeps): RouteOptions[] {
  const { applicationSearch, reads, progress, exports, clock, sessions } = deps
  const fieldsOf = ({ request }: ListCall) => new FormFields(searchOf(request.raw.url))
  const filterOf = (call: ListCall): ReadFilter => {
    const fields = fieldsOf(call)
    const { timeZone, answerDays } = call.caller
    return readFilter(name => fields.get(name), {
      timeZone,
      answerDueBefore: answerDueBefore(clock(), answerDays),
    })
  }
  const positionIn = (call: ListCall) => {
    const fields = fieldsOf(call)
    return readPosition(name => fields.get(name))
  }

  async function showList(
    call: Pick<PageCall<'console'>, keyof ListCall | 'state' | 'ownForm' | 'button'>,
    faultLead = 'Some filters were ignored.',
  ) {
    const { advertiserId, role, timeZone, answerDays } = call.caller
    const read = filterOf(call)
    const position = positionIn(call)
    const path = consolePath(advertiserId, 'applications')
    const [page, ads, { emails }, held] = await Promise.all([
      applicationSearch.page(advertiserId, read.filter, position),
      applicationSearch.adChoices(advertiserId),
      deps.telling(advertiserId),
      deps.isMailOn ? progress.held(advertiserId) : [],
    ])
    const exportLink = html`<a class="button second" href="${path}.csv${usedSearch(read)}" download>Export as CSV</a>`
    return {
      title: 'Applications',
      heading: pageHead('Applications', page.applications.length > 0 && exportLink),
      isWide: true,
      body: html`${changedNotice(call, emails)}${held.map(each => heldNotice(each, { ...call, path, timeZone }))}${listMarkup(
        {
          ...call,
          path,
          read,
          ads,
          page,
          position,
          faultLead,
          canTell: deps.isMailOn && emails !== 'nothing',
          timeZone,
          answerDays,
          now: clock(),
          adminPaths:
            role === 'admin'
              ? {
                  jobs: consolePath(advertiserId, 'jobs'),
                  timeZone: timeZonePath(advertiserId),
                  answerDays: answerDaysPath(advertiserId),
                }
              : undefined,
        },
      )}`,
    }
  }

  async function changeMany(call: ActCall<'console'>): Promise<Outcome> {
    const { advertiserId, candidateId } = call.caller
    const chosen = chosenIn(call.fields)
    const to = chosenStatuses.find(each => each === call.value('status'))
    const tells = call.value('tell') === 'yes'
    const refuse = (text: string, status = 422, ids = chosen.map(({ id }) => id)): Outcome => ({
      ...refusal(text, status),
      values: { ...call.values, chosen: ids.join(' ') },
    })
    if (chosen.length === 0) return refuse('Nothing was changed. Select at least one application.')
    if (to === undefined) return refuse('Nothing was changed. Choose the new status first.')
    if (chosen.length > applicationsChosen) return refuse(tooManyChosen)
    return deps.sentForms
      .once(call, call.fields, async () => {
        const current = await progress.updateMany(advertiserId, chosen, { to, by: candidateId, tells })
        const stale = chosen.filter(({ id }) => !current.includes(id)).map(({ id }) => id)
        const shown = new Map(chosen.map(each => [each.id, each.shown]))
        const changed = current.filter(id => shown.get(id) !== to)
        if (stale.length > 0) throw new StaleSelection(stale, changed.length)
        const search = new URLSearchParams(searchOf(call.request.raw.url))
        const told = tells ? `-${await countNotified(advertiserId, changed)}` : ''
        // Sealed, so that no link from elsewhere can make a false claim about changes.
        const done = `${changed.length}-${to}-${current.length - changed.length}${told}`
        search.set('changed', sessions.seal(call.reply, done))
        return `${consolePath(advertiserId, 'applications')}?${search}`
      })
      .catch(error => {
        if (error instanceof StaleSelection) return refuse(staleText(error, to), 409, error.ids)
        throw error
      })
  }

  async function countNotified(advertiserId: number, ids: readonly number[]): Promise<number> {
    const reasons = await Promise.all(ids.map(id => progress.whyUntold(advertiserId, id)))
    return reasons.filter(reason => reason === undefined).length
  }

  /** Notice of the changes that the last form made. */
  function changedNotice(call: ListCall, emails: EmailChoice): Html | undefined {
    const done = sessions.unseal(call.request, fieldsOf(call).get('changed')) ?? ''
    const [, number, status, same, told] = /^(\d+)-(.+?)-(\d+)(?:-(\d+))?$/.exec(done) ?? []
    const to = chosenStatuses.find(each => each === status)
    if (to === undefined) return undefined
    const count = Number(number)
    const unchanged = sameText(Number(same), to)
    if (count === 0) return notice('warning', html`<p>${unchanged}</p>`)
    const about =
      told !== undefined &&
      (emails === 'nothing'
        ? untoldTexts.company
        : !isEmailed(emails, to)
          ? untoldTexts['no-decision']
          : deps.isMailOn
            ? notifiedText(Number(told), count)
            : 'We’re not emailing the candidates. This service doesn’t send emails.')
    const texts = [changedText(count, to), about, unchanged].filter(Boolean)
    return notice('good', html`<p>${texts.join(' ')}</p>`)
  }

  /** Whether this is the first page of all applications, in either order. */
  function showsAllNew(call: ListCall): boolean {
    const { order, ...narrowing } = filterOf(call).typed
    return positionIn(call) === undefined && Object.values(narrowing).every(value => value === '')
  }

  async function sendExport(call: ListCall): Promise<FastifyReply> {
    const { request, reply, caller } = call
    const { advertiserId, timeZone } = caller
    const { filter, faults } = filterOf(call)
    // The table shows which filters were ignored; a file cannot.
    if (Object.keys(faults).length > 0) {
      const page = await showList(
        { ...call, ...formsOf(sessions, reply), state: { values: {}, errors: [] } },
        'Nothing was exported.',
      )
      return sendPage(reply, { ...page, status: 422, navigation: consoleNavigation(caller, 'applications') })
    }
    const fileName = `applications-${advertiserId}-${dayIn(clock(), timeZone)}.csv`
    reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': contentDisposition(fileName),
      'cache-control': 'private, no-store',
    })
    if (request.method === 'HEAD') return reply.send()
    const slot = takeExport(exports, call)
    // An export that a single read can answer finishes quickly; only longer ones need a slot shared by all nodes.
    const chunks = await applicationSearch.all(advertiserId, filter, async () => {
      if (!(await slot.share())) throw tooManyExports()
    })
    await deps.onExport(advertiserId, { form: 'csv' })
    return sendChunks(reply, linesOf(recorded(caller, filter, chunks), timeZone))
  }

  /** Records the content of an export: ranges of a period, newest first, or the applications that a filter has picked. */
  async function* recorded(
    caller: ListCall['caller'],
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
    ...consoleTab(sessions, 'applications', { view: 'member' })('/console/:advertiserId/applications', {
      async show(call) {
        const { advertiserId, candidateId } = call.caller
        if (call.request.method === 'GET' && showsAllNew(call))
          await progress.visit(advertiserId, candidateId, true)
        return showList(call)
      },
      acts: {
        selection: { run: changeMany },
        'take-back': {
          async run({ caller: { advertiserId, candidateId }, value }) {
            const status = chosenStatuses.find(each => each === value('status'))
            const until = parseNumericId(value('until'))
            if (status === undefined || until === undefined) throw new Problem('bad-request')
            const changed = await progress.takeBack(advertiserId, { status, until }, candidateId)
            return changed > 0
              ? 'taken-back'
              : refusal(
                  'Nothing was changed. The emails have been sent, or the applications have changed since.',
                )
          },
        },
      },
      done: {
        'taken-back':
          'The decisions were taken back, and their emails aren’t sent. Applications that have changed since stay as they are.',
      },
    }),
    memberPage.fresh.get('/console/:advertiserId/applications.csv', sendExport, { isAct: true }),
  ]
}

/** Decisions whose emails are on hold, with a button that takes the decisions back. */
function heldNotice(
  { status, count, from, until }: HeldDecisions,
  { path, timeZone, button }: { path: string; timeZone: string } & Pick<PageCall<'console'>, 'button'>,
): Html {
  return notice(
    'warning',
    html`<p>${changedText(count, status)} These are many at once, so the emails about them wait for ten minutes, the first until ${zonedTime(from, timeZone)}. Until then you can take them back: each application gets the status it had before.</p>
${button({
  action: `${path}/take-back`,
  fields: { status, until: String(until) },
  label: `Take back “${statusLabels[status]}”`,
})}`,
  )
}

/** The applications selected in a form of the list, each with the status that the list showed. */
function chosenIn(fields: FormFields): { id: number; shown: ApplicationStatus }[] {
  return fields.all('chosen').flatMap(value => {
    const [number = '', status] = value.split(':')
    const id = parseNumericId(number)
    const shown = statuses.find(each => each === status)
    return id === undefined || shown === undefined ? [] : [{ id, shown }]
  })
}

/** Some applications no longer had the status that the page showed. Thrown so that the same form can be sent again. */
class StaleSelection extends Error {
  readonly ids: number[]
  readonly changed: number
  constructor(ids: number[], changed: number) {
    super()
    this.ids = ids
    this.changed = changed
  }
}

const applications = (count: number) =>
  count === 1 ? '1 application' : `${numberInWords(count)} applications`

const changedText = (count: number, to: ChosenStatus) =>
  `${applications(count)} changed to ${statusLabels[to]}.`

function sameText(count: number, to: ChosenStatus): string {
  if (count === 0) return ''
  return count === 1
    ? `1 application already had the status ${statusLabels[to]}, so it was not changed and its candidate gets no email.`
    : `${applications(count)} already had the status ${statusLabels[to]}, so they were not changed and their candidates get no email.`
}

function staleText({ ids, changed }: StaleSelection, to: ChosenStatus): string {
  const stale =
    ids.length === 1
      ? '1 application was not changed, because the status has changed since you opened this page. Check the selected one, then try again.'
      : `${applications(ids.length)} were not changed, because the status has changed since you opened this page. Check the selected ones, then try again.`
  return changed === 0 ? stale : `${changedText(changed, to)} ${stale}`
}

export function notifiedText(told: number, count: number): string {
  if (told === 0)
    return 'We’re not emailing the candidates. None has an account here with a confirmed email address and these emails switched on.'
  if (told < count)
    return `We’re emailing the candidates of ${told} of them. The others have no account here with a confirmed email address and these emails switched on.`
  return count === 1 ? 'We’re emailing the candidate.' : 'We’re emailing the candidates.'
}

const csvColumns = [
  'ID',
  'Submitted',
  'First name',
  'Last name',
  'Email',
  'Phone',
  'Job ad',
  'Reference',
  'Questionnaire',
  'Job title',
  'Company',
  'Months in role',
  'Files',
  'Virus',
  'Status',
]

async function* linesOf(chunks: AsyncIterable<FoundApplication[]>, timeZone: string): AsyncGenerator<Buffer> {
  yield Buffer.from(byteOrderMark + csvLine(csvColumns))
  for await (const chunk of chunks) {
    if (chunk.length > 0) yield Buffer.from(chunk.map(application => lineOf(application, timeZone)).join(''))
  }
}

const [passed, failed] = ['Passed', 'Failed']

function lineOf(application: FoundApplication, timeZone: string): string {
  const { contact, jobAd, isQuestionnairePassed, primaryJobSeekingInfo: info } = application
  return csvLine([
    application.id,
    isoIn(application.submittedAt, timeZone),
    contact.firstName,
    contact.lastName,
    contact.email,
    contact.phone,
    jobAd?.title ?? null,
    application.jobReference,
    isQuestionnairePassed === null ? null : isQuestionnairePassed ? passed : failed,
    info?.jobTitle ?? null,
    info?.companyName ?? null,
    info?.timeInRoleMonths ?? null,
    application.files.map(({ type }) => fileLabel(type)).join('; '),
    virusOf(application),
    statusLabels[application.status],
  ])
}

/** Never describes an unscanned file as clean. */
function virusOf({ files }: FoundApplication): string | null {
  if (files.length === 0) return null
  if (files.some(({ scan }) => scan === 'infected')) return 'yes'
  return files.every(({ scan }) => scan === 'clean') ? 'no' : 'not checked'
}
