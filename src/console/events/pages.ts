import type { RouteOptions } from 'fastify'
import type { EventStore } from '../../events/feed/event-store.ts'
import { type EventType, eventTypes, type StoredEvent } from '../../model/events.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { emptyState, pager, section, table } from '../../platform/web/components.ts'
import { selectField } from '../../platform/web/fields.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { zonedTime } from '../../platform/web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'
import { typeNames } from './endpoint-markup.ts'
import { type EndpointPageDeps, endpointPages, zoneText } from './endpoint-pages.ts'

const url = '/console/:advertiserId/events'
const title = 'Events'
/** Limit: Events on one page of an advertiser's log. */
const eventsShown = 50

/** Webhook endpoints and the log of events. For admins. */
export function eventPages(
  deps: EndpointPageDeps & {
    events: Pick<EventStore, 'newest'>
    limits: { eventDays: number }
  },
): RouteOptions[] {
  const { events, limits } = deps
  const tab = consoleTab(deps.sessions, 'events', { view: 'admin', proof: 'fresh' })
  const feed = html`<a href="/docs/follow">feed of events</a>`

  return [
    ...endpointPages<'console'>(deps, {
      tab,
      url,
      parameter: 'endpointId',
      title,
      lead: html`Your programs learn at once what happens to your applications: they follow the ${feed}, or have events sent to a webhook endpoint. Events contain IDs and no personal data.`,
      zoneOf: ({ timeZone }) => timeZone,
      ownerOf: ({ advertiserId }) => ({ advertiserId }),
      pathOf: ({ advertiserId }) => consolePath(advertiserId, 'events'),
      async below({ advertiserId, timeZone }) {
        const latest = await events.newest(advertiserId, { limit: 10 })
        const path = consolePath(advertiserId, 'events')
        return section(
          'log',
          'Log',
          logTable(latest, { advertiserId, zone: timeZone }),
          latest.length > 0 && html`<a href="${path}/log">See the whole log</a>`,
        )
      },
    }),

    ...tab(`${url}/log`, {
      async show({ caller: { advertiserId, timeZone }, query }) {
        const above = consolePath(advertiserId, 'events')
        const path = `${above}/log`
        const chosen = eventTypes.find(type => type === query.get('type'))
        const before = parseNumericId(query.get('before') ?? '')
        const found = await events.newest(advertiserId, {
          limit: eventsShown + 1,
          ...(before !== undefined && { before }),
          ...(chosen !== undefined && { types: [chosen] satisfies EventType[] }),
        })
        const page = found.slice(0, eventsShown)
        const link = (position: Record<string, string>) =>
          `${path}?${new URLSearchParams({ ...(chosen && { type: chosen }), ...position })}`
        return {
          title: 'Log',
          crumbs: [{ href: above, label: title }],
          body: html`<p class="lead">Everything that happened, newest first. Events are kept for ${limits.eventDays} days.</p>
${typeFilter(path, chosen ?? '')}
${logTable(page, { advertiserId, zone: timeZone, isFiltered: chosen !== undefined })}
${pager({
  newest: before === undefined ? undefined : link({}),
  older: found.length > page.length ? link({ before: String(page.at(-1)?.number ?? 0) }) : undefined,
})}${zoneText(timeZone)}`,
        }
      },
    }),
  ]
}

const logTable = (
  events: readonly StoredEvent[],
  { advertiserId, zone, isFiltered = false }: { advertiserId: number; zone: string; isFiltered?: boolean },
): Html =>
  table({
    caption: 'Events, newest first',
    empty: emptyState(
      isFiltered
        ? { title: 'No such events', text: 'There is no event of this type in the log.' }
        : { title: 'No events yet', text: 'What happens from now on appears here.' },
    ),
    rows: events,
    columns: [
      ['Time', ({ number }) => zonedTime(number, zone)],
      ['Event', ({ type }) => html`${typeNames[type as EventType]}<br><code>${type}</code>`],
      [
        'About',
        ({ applicationId: id }) =>
          id !== null &&
          html`<span class="named"><a href="${consolePath(advertiserId, 'applications')}/${id}">Application ${id}</a></span>`,
      ],
      [
        'Details',
        ({ detail }) => detail !== '' && html`<span class="quiet">${isolateBidi(detailText(detail))}</span>`,
      ],
    ],
  })

const detailText = (detail: string) =>
  Object.entries(JSON.parse(`{${detail}}`) as Record<string, unknown>)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')

function typeFilter(action: string, chosen: string): Html {
  const choices = eventTypes.map(type => ({ id: type, description: typeNames[type] }))
  return html`<form class="filter-bar" method="get" action="${action}">
${selectField({ name: 'type', label: 'Event', none: 'All events', choices, value: chosen, errors: [] })}
<button class="second" type="submit">Show</button></form>`
}
