import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock, EpochMs } from '../../core/clock.ts'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { JobAd, PostingLists, PublicJobAd } from '../../jobs/ports.ts'
import type { Jobs, Questionnaires } from '../../jobs/service.ts'
import { dayOf, type JobAdFields } from '../../model/job-ad.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { timeElement } from '../../web/time.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { checked, ifFound } from '../refusals.ts'
import { bodyOfJobAd, emptyJobAd, formOfJobAd, type JobAdForm, readJobAdForm } from './job-ad-form.ts'
import {
  changedMarkup,
  type JobAdLimits,
  jobAdFormMarkup,
  jobAdListMarkup,
  mostOf,
  type QuestionnaireChoice,
  stateBadge,
  stateOf,
} from './job-ads-markup.ts'
import { jobAdTexts as texts } from './job-ads-texts.ts'
import { filterIn, isContinued, keyIn, positionIn } from './list.ts'

interface PageDeps {
  jobs: Jobs
  questionnaires: Questionnaires
  lists: PostingLists
  sessions: Sessions
  sentForms: SentForms
  clock: Clock
  /** Renders an ad as the job board shows it. */
  jobMarkup(ad: PublicJobAd, now: EpochMs): Html
  limits: JobAdLimits & { postingsShown: number; screensOffered: number; jobAdFormBytes: number }
}

interface Shown {
  form: JobAdForm
  errors?: readonly FieldError[]
  status?: number
  notices?: Html | undefined
  hidden: Record<string, string>
  preview?: Html | undefined
}

const url = '/console/:advertiserId/jobs'

/** An advertiser's job ads: list, create, edit, close and reopen. */
export function jobAdPages(deps: PageDeps): RouteOptions[] {
  const { jobs, questionnaires, lists, sessions, sentForms, clock, limits } = deps
  const config = { auth: 'console', role: 'admin', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const form = { config: { ...config, body: 'form' }, schema, bodyLimit: limits.jobAdFormBytes } as const

  const listOf = (request: FastifyRequest) => consolePath(request.member.advertiserId, 'jobs')
  const navigation = ({ member }: FastifyRequest) => consoleNavigation(member, 'jobs')
  const crumbs = (request: FastifyRequest) => breadcrumb([{ href: listOf(request), label: texts.title }])

  function findAd(request: FastifyRequest): Promise<JobAd> {
    const id = parseNumericId((request.params as { jobAdId: string }).jobAdId)
    if (id === undefined) throw new Problem('not-found')
    return jobs.find(request.member.advertiserId, id)
  }

  /** The questionnaires to choose from: the newest open ones and the ad's own. */
  async function choicesFor(advertiserId: number, chosen: string): Promise<QuestionnaireChoice[]> {
    const offered: QuestionnaireChoice[] = await lists.openScreens(advertiserId, limits.screensOffered)
    const id = parseNumericId(chosen)
    if (id === undefined || offered.some(screen => screen.id === id)) return offered
    const kept = await ifFound(() => questionnaires.find(advertiserId, id))
    if (kept === undefined) return offered
    return [...offered, { id, name: kept.name, isClosed: kept.status === 'closed' }]
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    ad: JobAd | undefined,
    shown: Shown,
  ): Promise<FastifyReply> {
    const { advertiserId } = request.member
    const list = listOf(request)
    const path = ad === undefined ? `${list}/new` : `${list}/${ad.id}`
    const title = ad === undefined ? texts.newAd : ad.title
    return sendPage(reply, {
      status: shown.status ?? (shown.errors === undefined ? 200 : 422),
      title: ad === undefined ? title : texts.editTitle(title),
      heading: pageHead(
        ad === undefined ? title : html`${isolateBidi(title)} ${stateBadge(ad, clock())}`,
        ad !== undefined && actionsFor(request, reply, ad, path),
        crumbs(request),
      ),
      navigation: navigation(request),
      scripts: ['posting-forms.js'],
      body: jobAdFormMarkup({
        path,
        back: list,
        questionnairesPath: consolePath(advertiserId, 'screens'),
        form: shown.form,
        hidden: { form_token: sessions.formToken(request, reply, path), ...shown.hidden },
        screens: await choicesFor(advertiserId, shown.form.screenId),
        limits,
        errors: inWords(shown.errors ?? []),
        isNew: ad === undefined,
        notices: shown.notices ?? html``,
        preview: shown.preview,
      }),
    })
  }

  function actionsFor(request: FastifyRequest, reply: FastifyReply, ad: JobAd, path: string): Html {
    const isOpen = ad.status === 'open'
    return html`<a class="button second" href="/jobs/${ad.id}">${texts.see}</a>
<a class="button second" href="${consolePath(ad.advertiserId, 'applications')}?ad=${ad.id}">${texts.applications}</a>
<a class="button second" href="${listOf(request)}/new?copy=${ad.id}">${texts.copy}</a>
${actionForm({
  action: path,
  token: sessions.formToken(request, reply, path),
  fields: { do: isOpen ? 'closed' : 'open' },
  label: isOpen ? texts.close : texts.open,
  kind: isOpen ? 'danger' : 'first',
})}`
  }

  const inWords = (errors: readonly FieldError[]) =>
    errors.map(({ field, code }) => ({ field, code, message: texts.fault(field, code, mostOf(limits)) }))

  /** The ad as candidates would see it if it were saved now. */
  function previewOf(request: FastifyRequest, content: JobAdFields, ad: JobAd | undefined): Html {
    const now = clock()
    const { advertiserId, advertiserName } = request.member
    const made = { id: 0, advertiserId, status: 'open' as const, createdAt: now, updatedAt: now }
    return deps.jobMarkup({ ...made, ...ad, ...content, advertiserName, screen: null }, now)
  }

  const tooLarge: RouteOptions['errorHandler'] = (error, request, reply) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
    sendPage(reply, {
      status: 413,
      title: texts.tooLongTitle,
      navigation: navigation(request),
      body: html`${notice('problem', texts.tooLong)}<p>${texts.tooLongHelp}</p>
<p class="actions"><a class="button second" href="${listOf(request)}">${texts.back}</a></p>`,
    })
  }

  /** The validated content, or the form with its errors. */
  const readContent = (request: FastifyRequest, typed: JobAdForm) =>
    checked(() => jobs.read(bodyOfJobAd(typed, request.member.advertiserId)).content)

  return [
    {
      method: 'GET',
      url,
      config,
      schema,
      handler: async (request, reply) => {
        const query = new FormFields(searchOf(request.raw.url))
        const filter = filterIn(query)
        const path = listOf(request)
        const position = positionIn(query)
        const now = clock()
        const { advertiserId } = request.member
        const page = await lists.jobAds(
          advertiserId,
          { ...position, limit: limits.postingsShown, status: filter },
          dayOf(now),
        )
        return sendPage(reply, {
          title: texts.title,
          heading: pageHead(texts.title, html`<a class="button" href="${path}/new">${texts.newAd}</a>`),
          navigation: navigation(request),
          isWide: true,
          body: jobAdListMarkup(page, {
            path,
            filter,
            now,
            isContinued: isContinued(position),
            applicationsPath: consolePath(advertiserId, 'applications'),
          }),
        })
      },
    },
    {
      method: 'GET',
      url: `${url}/new`,
      config,
      schema,
      handler: async (request, reply) => {
        const query = new FormFields(searchOf(request.raw.url))
        const copied = parseNumericId(query.get('copy') ?? '')
        const hidden = { form_key: newUuid() }
        if (copied === undefined) {
          const screenId = query.get('screen') ?? ''
          return show(request, reply, undefined, { form: { ...emptyJobAd, screenId }, hidden })
        }
        const ad = await jobs.find(request.member.advertiserId, copied)
        // The closing date may have passed.
        const again = { ...formOfJobAd(ad), closingDate: '' }
        return show(request, reply, undefined, { form: again, hidden, notices: notice('info', texts.isCopy) })
      },
    },
    {
      method: 'POST',
      url: `${url}/new`,
      ...form,
      errorHandler: tooLarge,
      handler: async (request, reply) => {
        const list = listOf(request)
        const fields = sessions.checkForm(request, `${list}/new`)
        const typed = readJobAdForm(fields)
        const hidden = { form_key: keyIn(fields) }
        const read = await readContent(request, typed)
        if ('errors' in read) return show(request, reply, undefined, { form: typed, hidden, ...read })
        if (fields.get('do') === 'preview') {
          const preview = previewOf(request, read.result, undefined)
          return show(request, reply, undefined, { form: typed, hidden, preview })
        }
        const sent = await checked(() =>
          sentForms.once(request, fields, async () => {
            const ad = await jobs.add(request.member.advertiserId, read.result)
            return `${list}/${ad.id}?done=made`
          }),
        )
        if ('errors' in sent) return show(request, reply, undefined, { form: typed, hidden, ...sent })
        return redirect(reply, sent.result.location)
      },
    },
    {
      method: 'GET',
      url: `${url}/:jobAdId`,
      config,
      schema,
      handler: async (request, reply) => {
        const ad = await findAd(request)
        const done = new FormFields(searchOf(request.raw.url)).get('done')
        return show(request, reply, ad, {
          form: formOfJobAd(ad),
          hidden: { updatedAt: String(ad.updatedAt) },
          notices: doneNotice(done, ad, clock()),
        })
      },
    },
    {
      method: 'POST',
      url: `${url}/:jobAdId`,
      ...form,
      errorHandler: tooLarge,
      handler: async (request, reply) => {
        const ad = await findAd(request)
        const path = `${listOf(request)}/${ad.id}`
        const fields = sessions.checkForm(request, path)
        const pressed = fields.get('do')
        if (pressed === 'closed' || pressed === 'open') {
          await jobs.setStatus(ad.advertiserId, ad.id, pressed)
          return redirect(reply, `${path}?done=${pressed}`)
        }
        const typed = readJobAdForm(fields)
        const from = fields.get('updatedAt') ?? ''
        const again = { form: typed, hidden: { updatedAt: from } }
        const read = await readContent(request, typed)
        if ('errors' in read) return show(request, reply, ad, { ...again, ...read })
        if (pressed === 'preview') {
          return show(request, reply, ad, { ...again, preview: previewOf(request, read.result, ad) })
        }
        const saved = await checked(() => jobs.revise(ad.advertiserId, ad.id, read.result, Number(from)))
        if ('errors' in saved) return show(request, reply, ad, { ...again, ...saved })
        if (saved.result !== undefined) return redirect(reply, `${path}?done=saved`)
        const current = await findAd(request)
        const state = texts.states[stateOf(current, clock())]
        const saves = formOfJobAd(current)
        const names = await choicesFor(ad.advertiserId, saves.screenId)
        return show(request, reply, current, {
          form: typed,
          hidden: { updatedAt: String(current.updatedAt) },
          status: 409,
          notices: changedMarkup(timeElement(current.updatedAt), state, saves, { typed, screens: names }),
        })
      },
    },
  ]
}

function doneNotice(done: string | undefined, ad: JobAd, now: EpochMs): Html | undefined {
  const state = stateOf(ad, now)
  if (done === 'made')
    return state === 'past' ? notice('warning', texts.madePast) : notice('good', texts.made)
  if (done === 'saved') return notice('good', texts.saved)
  if (done === 'closed' && state === 'closed') return notice('good', texts.wasClosed)
  if (done === 'open' && state === 'open') return notice('good', texts.wasOpened)
  return done === 'open' && state === 'past' ? notice('warning', texts.wasOpenedPast) : undefined
}
