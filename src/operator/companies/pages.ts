import type { RouteOptions } from 'fastify'
import type { Advertisers } from '../../advertisers/service.ts'
import type { Retention } from '../../collect/retention/service.ts'
import { checked } from '../../console/refusals.ts'
import type { Clock } from '../../core/clock.ts'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { type Call, type FormCall, pathId } from '../../http/routes.ts'
import type { Role } from '../../model/principal.ts'
import type { Invitations } from '../../people/members/invitations-service.ts'
import { stripBidi } from '../../web/bidi.ts'
import { breadcrumb, invitationLink, notice, pageHead } from '../../web/components.ts'
import type { Html } from '../../web/html.ts'
import { redirect } from '../../web/page-response.ts'
import { viewerPage } from '../../web/page-routes.ts'
import { actionsOf, doneNotice, sendOperatorPage, tokensOf } from '../acting-pages.ts'
import { operatorPath } from '../navigation-markup.ts'
import type { BoardStore } from '../ports.ts'
import {
  type Company,
  companiesMarkup,
  companyMarkup,
  companyPath,
  nothingTyped,
  type Typed,
} from './markup.ts'
import { companiesTexts as texts } from './texts.ts'

const days = 30

interface Shown {
  status?: number
  above?: Html | undefined
  typed?: Typed
}

/** Companies: their figures and state, their first admin, how long they keep applications. */
export function operatorCompanyPages(deps: {
  advertisers: Advertisers
  board: Pick<BoardStore, 'companies'>
  retention: Pick<Retention, 'bounds' | 'of' | 'choose' | 'takeBack'>
  invitations: Pick<Invitations<Role>, 'invite' | 'isMailOn'>
  sessions: Sessions
  sentForms: SentForms
  clock: Clock
  timeZone: string
}): RouteOptions[] {
  const { advertisers, retention, invitations, sessions } = deps
  const act = actionsOf(sessions, 'companies')

  async function list(): Promise<Company[]> {
    const since = new Date(deps.clock() - days * 86_400_000).toISOString().slice(0, 10)
    const [known, figures] = await Promise.all([advertisers.list(), deps.board.companies(since)])
    const byId = new Map(figures.map(each => [each.id, each]))
    return known.flatMap(advertiser => {
      const found = byId.get(advertiser.id)
      return found === undefined ? [] : [{ ...found, ...advertiser }]
    })
  }

  async function sendAll({ reply, caller }: Call<'operator'>, { status = 200, above, typed }: Shown = {}) {
    const body = companiesMarkup({
      companies: await list(),
      days,
      timeZone: deps.timeZone,
      isOperator: caller.operatorRole === 'operator',
      token: tokensOf(sessions, reply),
      formKey: newUuid(),
      typed: typed ?? nothingTyped,
    })
    return sendOperatorPage(reply, { tab: 'companies', title: texts.title, status, above, body })
  }

  async function sendOne(
    { reply, caller, params }: Call<'operator', 'advertiserId'>,
    { status = 200, above, typed }: Shown = {},
  ) {
    const id = pathId(params.advertiserId)
    const company = (await list()).find(each => each.id === id)
    if (company === undefined) throw new Problem('not-found')
    const body = companyMarkup({
      company,
      plan: await retention.of(id),
      bounds: retention.bounds,
      days,
      isMailOn: invitations.isMailOn,
      isOperator: caller.operatorRole === 'operator',
      token: tokensOf(sessions, reply),
      typed: typed ?? nothingTyped,
    })
    const crumbs = breadcrumb([{ href: operatorPath('companies'), label: texts.all }])
    const heading = pageHead(stripBidi(company.name), false, crumbs)
    return sendOperatorPage(reply, { tab: 'companies', title: company.name, heading, status, above, body })
  }

  const back = ({ reply }: Call<'operator'>, id: number, done: string) =>
    redirect(reply, `${companyPath(id)}?done=${done}`)

  const change = (path: string, command: string, status: 'hold' | 'active', done: string): RouteOptions =>
    act(
      `/operator/companies/:advertiserId/${path}`,
      { command, audit: 'company.status' },
      async (call: FormCall<'operator', 'advertiserId'>) => {
        const { id } = await advertisers.setStatus(pathId(call.params.advertiserId), status)
        return back(call, id, done)
      },
    )

  return [
    viewerPage.get('/operator/companies', call => sendAll(call)),
    act('/operator/companies', { command: 'advertiser add', audit: 'company.add' }, async call => {
      const value = (name: string) => (call.fields.get(name) ?? '').trim()
      const values = { name: value('name'), id: value('id'), timeZone: value('timeZone') }
      const id = values.id === '' ? undefined : parseNumericId(values.id)
      if (values.id !== '' && id === undefined) {
        const errors = [{ field: 'id', code: 'not-a-number', message: texts.notANumber }]
        return sendAll(call, { status: 422, typed: { values, errors } })
      }
      const added = await checked(() =>
        deps.sentForms.once(call, call.fields, async () => {
          const company = await advertisers.add(values.name, id, values.timeZone || undefined)
          return `${companyPath(company.id)}?done=added`
        }),
      )
      return 'errors' in added
        ? sendAll(call, { status: 422, typed: { values, errors: added.errors } })
        : redirect(call.reply, added.result.location)
    }),
    viewerPage.get('/operator/companies/:advertiserId', call =>
      sendOne(call, { above: doneNotice(call.request, texts.done) }),
    ),
    change('hold', 'advertiser hold', 'hold', 'held'),
    change('release', 'advertiser activate', 'active', 'released'),
    act(
      '/operator/companies/:advertiserId/invite',
      { command: 'advertiser invite', audit: 'invitation.send' },
      async call => {
        const id = pathId(call.params.advertiserId)
        const email = call.fields.get('email') ?? ''
        const result = await invitations.invite(id, email, 'admin')
        if (result.outcome === 'sent') return back(call, id, 'invited')
        if (result.outcome === 'link') return sendOne(call, { above: invitationLink(result) })
        return result.outcome === 'not-sent'
          ? sendOne(call, { status: 503, above: notice('problem', texts.notSent) })
          : sendOne(call, { status: 422, typed: { values: { email }, errors: result.errors } })
      },
    ),
    act(
      '/operator/companies/:advertiserId/retention',
      { command: 'retention set', audit: 'company.retention' },
      async call => {
        const id = pathId(call.params.advertiserId)
        const months = (call.fields.get('months') ?? '').trim()
        // What is no number is out of bounds, too.
        const chosen = months === '' ? null : /^\d{1,3}$/.test(months) ? Number(months) : 0
        const done = await checked(() => retention.choose(id, chosen))
        return 'errors' in done
          ? sendOne(call, { status: 422, typed: { values: { months }, errors: done.errors } })
          : back(call, id, 'retention')
      },
    ),
    act(
      '/operator/companies/:advertiserId/take-back',
      { command: 'retention take-back', audit: 'company.retention' },
      async call => {
        const id = pathId(call.params.advertiserId)
        const done = await checked(() => retention.takeBack(id))
        return 'errors' in done
          ? sendOne(call, { status: 409, typed: { values: {}, errors: done.errors } })
          : back(call, id, 'taken-back')
      },
    ),
  ]
}
