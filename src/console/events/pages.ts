import type { RouteOptions } from 'fastify'
import { parseNumericId } from '../../core/ids.ts'
import type { EventStore } from '../../events/feed/ports.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { type EventType, eventTypes } from '../../model/events.ts'
import { breadcrumb, emptyState, pageHead, pager } from '../../web/components.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { doneNotice, type EndpointPageDeps, endpointList, endpointPages, zoneNote } from './endpoint-pages.ts'
import { logTable, typeFilter } from './markup.ts'
import { eventsTexts as texts } from './texts.ts'

interface EventPageDeps extends EndpointPageDeps {
  events: Pick<EventStore, 'newest'>
  limits: Pick<Limits, 'eventDays' | 'eventsShown' | 'webhookOverlapHours'>
}

const base = '/console/:advertiserId/events'
type PageCall = Call<'console'>

/** Webhook endpoints and the log of events. For admins. */
export function eventPages(deps: EventPageDeps): RouteOptions[] {
  const { webhooks, events, limits } = deps
  const pathOf = ({ caller }: PageCall) => consolePath(caller.advertiserId, 'events')
  const ownPath = ({ request }: PageCall) => request.url.replace(/\?.*$/s, '')

  return [
    adminPage.get(base, async call => {
      const { advertiserId, timeZone } = call.caller
      const path = pathOf(call)
      const [endpoints, latest] = await Promise.all([
        endpointList(webhooks, { advertiserId }, path, timeZone),
        events.newest(advertiserId, { limit: 10 }),
      ])
      return sendPage(call.reply, {
        title: texts.title,
        heading: html`${pageHead(texts.title)}${doneNotice(call)}`,
        navigation: consoleNavigation(call.caller, 'events'),
        isWide: true,
        body: html`<p class="lead">${texts.lead}</p>
${endpoints}
<section aria-labelledby="log"><div class="section-head"><h2 id="log">${texts.log.title}</h2>${latest.length > 0 && html`<a href="${path}/log">${texts.log.all}</a>`}</div>
${latest.length === 0 ? emptyState(texts.log.empty) : logTable(latest, consolePath(advertiserId, 'applications'), timeZone)}</section>${zoneNote(call.caller.timeZone)}`,
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
      const crumbs = breadcrumb([{ href: pathOf(call), label: texts.title }])
      return sendPage(call.reply, {
        title: texts.log.title,
        heading: pageHead(texts.log.title, false, crumbs),
        navigation: consoleNavigation(call.caller, 'events'),
        isWide: true,
        body: html`<p class="lead">${texts.log.lead(limits.eventDays)}</p>${typeFilter(ownPath(call), chosen ?? '')}
${shown.length === 0 ? emptyState(chosen === undefined ? texts.log.empty : texts.log.noneOfType) : logTable(shown, consolePath(advertiserId, 'applications'), call.caller.timeZone)}
${pager({
  newest: before === undefined ? undefined : link({}),
  older: found.length > shown.length ? link({ before: String(shown.at(-1)?.number ?? 0) }) : undefined,
})}${zoneNote(call.caller.timeZone)}`,
      })
    }),
    ...endpointPages<'console'>(deps, {
      ...{
        base,
        parameter: 'endpointId',
        admin: adminPage,
        title: texts.title,
        zoneOf: ({ timeZone }) => timeZone,
      },
      ownerOf: ({ advertiserId }) => ({ advertiserId }),
      pathOf: ({ advertiserId }) => consolePath(advertiserId, 'events'),
      navigation: caller => consoleNavigation(caller, 'events'),
    }),
  ]
}
