import type { FastifyReply, RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { invalidField } from '../../core/fields.ts'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import { aestDayStart } from '../../core/ms-date.ts'
import { Problem } from '../../core/problems.ts'
import { startOfDay } from '../../core/time-zone.ts'
import type { EventStore } from '../../events/feed/ports.ts'
import type { ShownEndpoint, Webhooks } from '../../events/webhooks/service.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { type EventType, eventTypes } from '../../model/events.ts'
import { breadcrumb, emptyState, notice, pageHead, pager } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { confirmation, type Typed } from '../access/markup.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import {
  endpointForm,
  endpointMarkup,
  endpointSection,
  hostOf,
  logTable,
  shownKey,
  typeFilter,
} from './markup.ts'
import { eventsTexts as texts } from './texts.ts'

interface EventPageDeps {
  webhooks: Webhooks
  events: Pick<EventStore, 'newest'>
  sessions: Sessions
  sentForms: SentForms
  clock: Clock
  limits: Pick<Limits, 'eventDays' | 'eventsShown' | 'webhookOverlapHours'>
}

const base = '/console/:advertiserId/events'
const ofEndpoint = `${base}/endpoints/:endpointId` as const
type PageCall = Call<'console'>
type EndpointCall = Call<'console', 'endpointId'>

/** Webhook endpoints and the log of events. For admins. */
export function eventPages({
  webhooks,
  events,
  sessions,
  sentForms,
  clock,
  limits,
}: EventPageDeps): RouteOptions[] {
  const pathOf = ({ caller }: PageCall) => consolePath(caller.advertiserId, 'events')
  const ownPath = ({ request }: PageCall) => request.url.replace(/\?.*$/s, '')
  const endpointPath = (call: EndpointCall) => `${pathOf(call)}/endpoints/${call.params.endpointId}`
  const ownerOf = ({ caller: { advertiserId } }: PageCall) => ({ advertiserId })

  function sendBelow(
    call: PageCall,
    { title, body, status = 200 }: { title: string; body: Html; status?: number },
    above: { href: string; label: string }[] = [],
  ): FastifyReply {
    const crumbs = breadcrumb([{ href: pathOf(call), label: texts.title }, ...above])
    return sendPage(call.reply, {
      status,
      title,
      styles: ['chart.css'],
      heading: html`${pageHead(title, false, crumbs)}${doneNotice(call)}`,
      navigation: consoleNavigation(call.caller, 'events'),
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
    const details = await webhooks.details(ownerOf(call), call.params.endpointId)
    const path = endpointPath(call)
    return sendBelow(call, {
      title: hostOf(details.endpoint),
      status: errors.length > 0 ? 422 : 200,
      body: html`${endpointMarkup(details, {
        ...{ path, zone: call.caller.timeZone, now: clock(), errors },
        token: sessions.formToken(call.reply, path),
      })}${zoneNote(call)}`,
    })
  }

  /** Shows a key that a form has made; a form sent again shows none. */
  async function sendKeyOnce(
    call: FormCall<'console'>,
    fields: FormFields,
    title: string,
    make: () => Promise<ShownEndpoint>,
  ): Promise<FastifyReply> {
    let shown: ShownEndpoint | undefined
    const pathTo = (id: string) => `${pathOf(call)}/endpoints/${id}`
    const path = await sentForms.once(call, fields, async () => {
      shown = await make()
      return pathTo(shown.endpoint.id)
    })
    if (shown === undefined) return redirect(call.reply, `${path}?done=shown-once`)
    return sendBelow(call, { title, body: shownKey(shown, pathTo(shown.endpoint.id)) })
  }

  const actions: Record<
    string,
    (call: EndpointCall, fields: FormFields) => Promise<keyof typeof texts.done>
  > = {
    async test(call) {
      const { result } = await webhooks.test(ownerOf(call), call.params.endpointId)
      return result.outcome === 'accepted' ? 'test-accepted' : 'test-failed'
    },
    async pause(call) {
      await webhooks.pause(ownerOf(call), call.params.endpointId)
      return 'paused'
    },
    async resume(call) {
      await webhooks.resume(ownerOf(call), call.params.endpointId)
      return 'resumed'
    },
    async retire(call) {
      await webhooks.retire(ownerOf(call), call.params.endpointId)
      return 'retired'
    },
    async resend(call) {
      await webhooks.resendParked(ownerOf(call), call.params.endpointId, 'all')
      return 'resent'
    },
    async replay(call, fields) {
      const day = (fields.get('from') ?? '').trim()
      if (aestDayStart(day) === undefined) throw invalidField('from', 'not-a-day', texts.page.noSuchDay)
      const from = startOfDay(day, call.caller.timeZone)
      await webhooks.replay(ownerOf(call), call.params.endpointId, { from })
      return 'replaying'
    },
  }

  return [
    adminPage.get(base, async call => {
      const owner = ownerOf(call)
      const [endpoints, latest] = await Promise.all([
        webhooks.list(owner),
        events.newest(owner.advertiserId, { limit: 10 }),
      ])
      const backlogs = await Promise.all(endpoints.map(endpoint => webhooks.backlog(endpoint)))
      const shown = endpoints.map((endpoint, index) => ({ endpoint, backlog: backlogs[index] ?? noBacklog }))
      const path = pathOf(call)
      return sendPage(call.reply, {
        title: texts.title,
        heading: html`${pageHead(texts.title)}${doneNotice(call)}`,
        navigation: consoleNavigation(call.caller, 'events'),
        isWide: true,
        body: html`<p class="lead">${texts.lead}</p>
${endpointSection(shown, path, call.caller.timeZone)}
<section aria-labelledby="log"><div class="section-head"><h2 id="log">${texts.log.title}</h2>${latest.length > 0 && html`<a href="${path}/log">${texts.log.all}</a>`}</div>
${latest.length === 0 ? emptyState(texts.log.empty) : logTable(latest, consolePath(owner.advertiserId, 'applications'), call.caller.timeZone)}</section>${zoneNote(call)}`,
      })
    }),
    adminPage.get(`${base}/log`, async call => {
      const { advertiserId } = call.caller
      const query = new FormFields(searchOf(call.request.url))
      const chosen = eventTypes.find(type => type === query.get('type'))
      const before = parseNumericId(query.get('before') ?? '')
      const found = await events.newest(advertiserId, {
        limit: limits.eventsShown + 1,
        ...(before !== undefined && { before }),
        ...(chosen !== undefined && { types: [chosen] satisfies EventType[] }),
      })
      const shown = found.slice(0, limits.eventsShown)
      const link = (position: Record<string, string>) =>
        `${ownPath(call)}?${new URLSearchParams({ ...(chosen && { type: chosen }), ...position })}`
      return sendBelow(call, {
        title: texts.log.title,
        body: html`<p class="lead">${texts.log.lead(limits.eventDays)}</p>${typeFilter(ownPath(call), chosen ?? '')}
${shown.length === 0 ? emptyState(chosen === undefined ? texts.log.empty : texts.log.noneOfType) : logTable(shown, consolePath(advertiserId, 'applications'), call.caller.timeZone)}
${pager({
  newest: before === undefined ? undefined : link({}),
  older: found.length > shown.length ? link({ before: String(shown.at(-1)?.number ?? 0) }) : undefined,
})}${zoneNote(call)}`,
      })
    }),
    adminPage.get(`${base}/new-endpoint`, call => sendForm(call, { values: {}, errors: [] }, usualTypes)),
    adminPage.fresh.post(`${base}/new-endpoint`, async call => {
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
    adminPage.get(ofEndpoint, call => sendEndpoint(call)),
    adminPage.fresh.post(ofEndpoint, async call => {
      const path = endpointPath(call)
      const fields = sessions.checkForm(call, path)
      const act = actions[fields.get('do') ?? '']
      if (act === undefined) throw new Problem('bad-request')
      try {
        return redirect(call.reply, `${path}?done=${await act(call, fields)}`)
      } catch (error) {
        return sendEndpoint(call, fieldErrorsOf(error))
      }
    }),
    adminPage.get(`${ofEndpoint}/rotate`, async call => {
      const endpoint = await webhooks.find(ownerOf(call), call.params.endpointId)
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
    adminPage.fresh.post(`${ofEndpoint}/rotate`, async call => {
      const fields = sessions.checkForm(call, ownPath(call))
      return sendKeyOnce(call, fields, texts.secret.rotated, () =>
        webhooks.rotate(ownerOf(call), call.params.endpointId),
      )
    }),
    adminPage.get(`${ofEndpoint}/remove`, async call => {
      const endpoint = await webhooks.find(ownerOf(call), call.params.endpointId)
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
    adminPage.fresh.post(`${ofEndpoint}/remove`, async call => {
      sessions.checkForm(call, ownPath(call))
      await webhooks.remove(ownerOf(call), call.params.endpointId)
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
  if (!(error instanceof Problem && error.code === 'invalid-fields')) throw error
  return error.errors
}

const zoneNote = ({ caller }: PageCall) => html`<p class="quiet">${texts.zone(caller.timeZone)}</p>`

function doneNotice({ request }: PageCall): Html | false {
  const done = new FormFields(searchOf(request.url)).get('done') ?? ''
  if (!Object.hasOwn(texts.done, done)) return false
  const isWarning = done === 'test-failed' || done === 'shown-once'
  return notice(isWarning ? 'warning' : 'good', texts.done[done as keyof typeof texts.done])
}
