import type { FastifyReply, RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { invalidField } from '../../core/fields.ts'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import { aestDayStart } from '../../core/time/ms-date.ts'
import { startOfDay } from '../../core/time/time-zone.ts'
import type { EndpointOwner } from '../../events/webhooks/ports.ts'
import type { ShownEndpoint, Webhooks } from '../../events/webhooks/service.ts'
import type { Callers } from '../../http/auth/callers.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { EventType } from '../../model/events.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import type { Navigation } from '../../web/layout.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import type { PageBuilders } from '../../web/page-routes.ts'
import { confirmation, type Typed } from '../access/markup.ts'
import {
  type CompanyChoice,
  endpointForm,
  endpointMarkup,
  endpointSection,
  hostOf,
  shownKey,
} from './markup.ts'
import { eventsTexts as texts } from './texts.ts'

/** Whose endpoints they are: a company's or an agent's. */
export interface EndpointRoom<Auth extends 'console' | 'agent'> {
  /** The address of the page above, with its parameter. */
  base: string
  /** The name of the endpoint's ID in addresses. */
  parameter: 'endpointId' | 'webhookId'
  admin: PageBuilders<Auth>
  title: string
  ownerOf(caller: Callers[Auth]): EndpointOwner
  /** Of the page above. */
  pathOf(caller: Callers[Auth]): string
  navigation(caller: Callers[Auth]): Navigation
  zoneOf(caller: Callers[Auth]): string
  /** To choose from, where an endpoint gets the events of several. */
  companiesOf?(caller: Callers[Auth]): Promise<CompanyChoice[]>
}

export interface EndpointPageDeps {
  webhooks: Webhooks
  sessions: Sessions
  sentForms: SentForms
  clock: Clock
  limits: Pick<Limits, 'webhookOverlapHours'>
}

/** The part of a page that lists endpoints. */
export async function endpointList(
  webhooks: Webhooks,
  owner: EndpointOwner,
  path: string,
  zone: string,
): Promise<Html> {
  const endpoints = await webhooks.list(owner)
  const backlogs = await Promise.all(endpoints.map(endpoint => webhooks.backlog(endpoint)))
  const shown = endpoints.map((endpoint, index) => ({ endpoint, backlog: backlogs[index] ?? noBacklog }))
  return endpointSection(shown, path, zone)
}

/** Adds, tests, pauses, replays, rotates and removes webhook endpoints. For admins. */
export function endpointPages<Auth extends 'console' | 'agent'>(
  { webhooks, sessions, sentForms, clock, limits }: EndpointPageDeps,
  room: EndpointRoom<Auth>,
): RouteOptions[] {
  type PageCall = Call<Auth>
  type EndpointCall = PageCall
  const { admin, base } = room
  const ofEndpoint = `${base}/endpoints/:${room.parameter}`
  const pathOf = ({ caller }: PageCall) => room.pathOf(caller)
  const ownPath = ({ request }: PageCall) => request.url.replace(/\?.*$/s, '')
  const idIn = ({ params }: { params: object }) => (params as Record<string, string>)[room.parameter] ?? ''
  const endpointPath = (call: EndpointCall) => `${pathOf(call)}/endpoints/${idIn(call)}`
  const ownerOf = ({ caller }: PageCall) => room.ownerOf(caller)
  const zoneOf = ({ caller }: PageCall) => room.zoneOf(caller)

  function sendBelow(
    call: PageCall,
    { title, body, status = 200 }: { title: string; body: Html; status?: number },
    above: { href: string; label: string }[] = [],
  ): FastifyReply {
    const crumbs = breadcrumb([{ href: pathOf(call), label: room.title }, ...above])
    return sendPage(call.reply, {
      status,
      title,
      styles: ['chart.css'],
      heading: html`${pageHead(title, false, crumbs)}${doneNotice(call)}`,
      navigation: room.navigation(call.caller),
      isWide: true,
      body,
    })
  }

  function sendForm(call: PageCall, typed: Typed, chosen: readonly string[]): FastifyReply {
    const action = ownPath(call)
    const hidden = { token: sessions.formToken(call.reply, action), key: newUuid() }
    return sendBelow(call, {
      title: texts.form.title,
      status: typed.errors.length > 0 ? 422 : 200,
      body: endpointForm(action, hidden, typed, chosen, pathOf(call)),
    })
  }

  async function sendEndpoint(call: EndpointCall, errors: Typed['errors'] = []): Promise<FastifyReply> {
    const details = await webhooks.details(ownerOf(call), idIn(call))
    const path = endpointPath(call)
    return sendBelow(call, {
      title: hostOf(details.endpoint),
      status: errors.length > 0 ? 422 : 200,
      body: html`${endpointMarkup(details, {
        ...{ path, zone: zoneOf(call), now: clock(), errors },
        companies: await room.companiesOf?.(call.caller),
        token: sessions.formToken(call.reply, path),
      })}${zoneNote(zoneOf(call))}`,
    })
  }

  /** Shows a key that a form has made; a form sent again shows none. */
  async function sendKeyOnce(
    call: FormCall<Auth>,
    fields: FormFields,
    title: string,
    make: () => Promise<ShownEndpoint>,
  ): Promise<FastifyReply> {
    let shown: ShownEndpoint | undefined
    const pathTo = (id: string) => `${pathOf(call)}/endpoints/${id}`
    const { location } = await sentForms.once(call, fields, async () => {
      shown = await make()
      return pathTo(shown.endpoint.id)
    })
    if (shown === undefined) return redirect(call.reply, `${location}?done=shown-once`)
    return sendBelow(call, { title, body: shownKey(shown, pathTo(shown.endpoint.id)) })
  }

  const actions: Record<
    string,
    (call: EndpointCall, fields: FormFields) => Promise<keyof typeof texts.done>
  > = {
    async test(call) {
      const { result } = await webhooks.test(ownerOf(call), idIn(call))
      return result.outcome === 'accepted' ? 'test-accepted' : 'test-failed'
    },
    async pause(call) {
      await webhooks.pause(ownerOf(call), idIn(call))
      return 'paused'
    },
    async resume(call) {
      await webhooks.resume(ownerOf(call), idIn(call))
      return 'resumed'
    },
    async retire(call) {
      await webhooks.retire(ownerOf(call), idIn(call))
      return 'retired'
    },
    async resend(call) {
      await webhooks.resendParked(ownerOf(call), idIn(call), 'all')
      return 'resent'
    },
    async replay(call, fields) {
      const day = (fields.get('from') ?? '').trim()
      if (aestDayStart(day) === undefined) throw invalidField('from', 'not-a-day', texts.page.noSuchDay)
      const from = startOfDay(day, zoneOf(call))
      const advertiserId = parseNumericId(fields.get('advertiserId') ?? '')
      if (room.companiesOf !== undefined && advertiserId === undefined)
        throw invalidField('advertiserId', 'required', texts.page.noCompany)
      const company = advertiserId === undefined ? {} : { advertiserId }
      await webhooks.replay(ownerOf(call), idIn(call), { from, ...company })
      return 'replaying'
    },
  }

  return [
    admin.get(`${base}/new-endpoint`, call => sendForm(call, { values: {}, errors: [] }, usualTypes)),
    admin.fresh.post(`${base}/new-endpoint`, async call => {
      const fields = sessions.checkForm(call, ownPath(call))
      const typed = Object.fromEntries(
        ['url', 'description', 'scheme'].map(name => [name, (fields.get(name) ?? '').trim()]),
      )
      const { url = '', description = '' } = typed
      const types = fields.all('types')
      const scheme = typed['scheme'] === 'v1a' ? 'v1a' : 'v1'
      try {
        return await sendKeyOnce(call, fields, texts.secret.title, () =>
          webhooks.add(ownerOf(call), { url, description, types, scheme }),
        )
      } catch (error) {
        return sendForm(call, { values: typed, errors: fieldErrorsOf(error) }, types)
      }
    }),
    admin.get(ofEndpoint, call => sendEndpoint(call)),
    admin.fresh.post(ofEndpoint, async call => {
      const path = endpointPath(call)
      const fields = sessions.checkForm(call, path)
      const pressed = fields.get('do') ?? ''
      const act = Object.hasOwn(actions, pressed) ? actions[pressed] : undefined
      if (act === undefined) throw new Problem('bad-request')
      try {
        return redirect(call.reply, `${path}?done=${await act(call, fields)}`)
      } catch (error) {
        return sendEndpoint(call, fieldErrorsOf(error))
      }
    }),
    admin.get(`${ofEndpoint}/rotate`, async call => {
      const endpoint = await webhooks.find(ownerOf(call), idIn(call))
      const action = ownPath(call)
      const token = sessions.formToken(call.reply, action)
      const { rotation: words } = texts
      return sendBelow(
        call,
        {
          title: words.title,
          body: confirmation({
            ...{ action, token, key: newUuid(), backTo: endpointPath(call) },
            ...{ submit: words.submit, keep: words.keep, text: words.text(limits.webhookOverlapHours) },
          }),
        },
        [{ href: endpointPath(call), label: hostOf(endpoint) }],
      )
    }),
    admin.fresh.post(`${ofEndpoint}/rotate`, async call => {
      const fields = sessions.checkForm(call, ownPath(call))
      return sendKeyOnce(call, fields, texts.secret.rotated, () => webhooks.rotate(ownerOf(call), idIn(call)))
    }),
    admin.get(`${ofEndpoint}/remove`, async call => {
      const endpoint = await webhooks.find(ownerOf(call), idIn(call))
      const action = ownPath(call)
      const { removal: words } = texts
      return sendBelow(
        call,
        {
          title: words.title,
          body: confirmation({
            ...{ action, token: sessions.formToken(call.reply, action), backTo: endpointPath(call) },
            ...{ submit: words.submit, keep: words.keep, text: words.text(hostOf(endpoint)) },
          }),
        },
        [{ href: endpointPath(call), label: hostOf(endpoint) }],
      )
    }),
    admin.fresh.post(`${ofEndpoint}/remove`, async call => {
      sessions.checkForm(call, ownPath(call))
      await webhooks.remove(ownerOf(call), idIn(call))
      return redirect(call.reply, `${pathOf(call)}?done=removed`)
    }),
  ]
}

/** What most receivers need; the others are a click away. */
const usualTypes: readonly EventType[] = [
  'application.created',
  'application.withdrawn',
  'application.erased',
  'attachment.scanned',
]
const noBacklog = { events: 0, oldestAt: null, nextTryAt: null }

function fieldErrorsOf(error: unknown): Typed['errors'] {
  if (!(error instanceof Problem && error.errors.length > 0)) throw error
  return error.errors
}

export const zoneNote = (zone: string) => html`<p class="quiet">${texts.zone(zone)}</p>`

export function doneNotice({ request }: Pick<Call<'public'>, 'request'>): Html | false {
  const done = new FormFields(searchOf(request.url)).get('done') ?? ''
  if (!Object.hasOwn(texts.done, done)) return false
  const isWarning = done === 'test-failed' || done === 'shown-once'
  return notice(isWarning ? 'warning' : 'good', texts.done[done as keyof typeof texts.done])
}
