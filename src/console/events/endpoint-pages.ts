import type { RouteOptions } from 'fastify'
import type { Backlog, Endpoint, EndpointOwner } from '../../events/webhooks/ports.ts'
import { type ShownEndpoint, type Webhooks, webhookOverlapHours } from '../../events/webhooks/service.ts'
import { type EventType, eventTypes } from '../../model/events.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import { aestDayStart } from '../../platform/core/time/ms-date.ts'
import { startOfDay } from '../../platform/core/time/time-zone.ts'
import type { Callers } from '../../platform/http/auth/callers.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { assetUrl } from '../../platform/web/assets.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { emptyState, linkButton, pageHead, section, table } from '../../platform/web/components.ts'
import { needed } from '../../platform/web/fields.ts'
import { choice, type Field, textInput } from '../../platform/web/forms.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import {
  type ActCall,
  type Outcome,
  type Page,
  secretPage,
  showOnce,
  warning,
} from '../../platform/web/tab.ts'
import type { WorkplaceTab } from '../tab-pages.ts'
import {
  behindText,
  type CompanyChoice,
  endpointMarkup,
  hostOf,
  stateBadge,
  timeOrNever,
  typeNames,
} from './endpoint-markup.ts'

type Workplace = 'console' | 'agent'

/** The owner of the endpoints: a company or an agent. */
export interface EndpointRoom<Auth extends Workplace> {
  tab: WorkplaceTab<Auth>
  /** The URL of the list, with its parameter. */
  url: string
  /** The name of the endpoint's ID in URLs. */
  parameter: 'endpointId' | 'webhookId'
  title: string
  lead: Html
  ownerOf(caller: Callers[Auth]): EndpointOwner
  pathOf(caller: Callers[Auth]): string
  zoneOf(caller: Callers[Auth]): string
  /** Content below the list. */
  below?(caller: Callers[Auth]): Promise<Html>
  /** Companies to choose from, for an endpoint that gets the events of several. */
  companiesOf?(caller: Callers[Auth]): Promise<CompanyChoice[]>
}

export interface EndpointPageDeps {
  webhooks: Webhooks
  sessions: Sessions
  sentForms: SentForms
  clock: Clock
}

/** Adds, tests, pauses, replays, rotates and removes webhook endpoints. For admins. */
export function endpointPages<Auth extends Workplace>(
  { webhooks, sentForms, clock }: EndpointPageDeps,
  { tab, url, parameter, title, lead, ...room }: EndpointRoom<Auth>,
): RouteOptions[] {
  interface OfEndpoint {
    caller: Callers[Auth]
    params: object
  }
  const { ownerOf, pathOf, zoneOf } = room
  const idIn = ({ params }: OfEndpoint) => (params as Record<string, string>)[parameter] ?? ''
  const endpointPath = (call: OfEndpoint) => `${pathOf(call.caller)}/endpoints/${idIn(call)}`
  const crumbsOf = ({ caller }: OfEndpoint) => [{ href: pathOf(caller), label: title }]
  const of = (call: OfEndpoint) => [ownerOf(call.caller), idIn(call)] as const

  /** Shows a newly created key; a form that is sent again shows none. */
  function keyOnce(call: ActCall<Auth>, keyTitle: string, make: () => Promise<ShownEndpoint>) {
    const pathTo = ({ endpoint }: ShownEndpoint) => `${pathOf(call.caller)}/endpoints/${endpoint.id}`
    return showOnce(sentForms, call as Parameters<typeof showOnce>[1], {
      make,
      location: made => `${pathTo(made)}?done=shown-once`,
      show: made => keyPage(made, { title: keyTitle, crumbs: crumbsOf(call), path: pathTo(made) }),
    })
  }

  /** Parts of a confirmation page below that of the endpoint. */
  async function askedAbout(call: OfEndpoint) {
    const host = hostOf(await webhooks.find(...of(call)))
    const back = endpointPath(call)
    return { host, back, crumbs: [...crumbsOf(call), { href: back, label: host }] }
  }

  const acts: Record<string, (call: ActCall<Auth>) => Promise<Outcome>> = {
    async test(call) {
      const { result } = await webhooks.test(...of(call))
      return result.outcome === 'accepted' ? 'test-accepted' : 'test-failed'
    },
    async pause(call) {
      await webhooks.pause(...of(call))
      return 'paused'
    },
    async resume(call) {
      await webhooks.resume(...of(call))
      return 'resumed'
    },
    async retire(call) {
      await webhooks.retire(...of(call))
      return 'retired'
    },
    async resend(call) {
      await webhooks.resendDeferred(...of(call), 'all')
      return 'resent'
    },
    async replay(call) {
      const day = call.value('from').trim()
      if (aestDayStart(day) === undefined)
        throw invalidField('from', 'not-a-day', 'Enter a day, such as 2026-11-14.')
      const from = startOfDay(day, zoneOf(call.caller))
      const advertiserId = parseNumericId(call.value('advertiserId'))
      if (room.companiesOf !== undefined && advertiserId === undefined)
        throw invalidField('advertiserId', 'required', 'Choose the company whose events to send again.')
      const company = advertiserId === undefined ? {} : { advertiserId }
      await webhooks.replay(...of(call), { from, ...company })
      return 'replaying'
    },
  }

  return [
    ...tab(url, {
      async show({ caller }) {
        const endpoints = await webhooks.list(ownerOf(caller))
        const backlogs = await Promise.all(endpoints.map(endpoint => webhooks.backlog(endpoint)))
        const listed = endpoints.map((endpoint, index) => ({
          endpoint,
          backlog: backlogs[index] ?? noBacklog,
        }))
        return {
          title,
          heading: pageHead(title),
          body: html`<p class="lead">${lead}</p>
${endpointSection(listed, pathOf(caller), zoneOf(caller))}
${await room.below?.(caller)}${zoneText(zoneOf(caller))}`,
        }
      },
      done: { removed: 'Endpoint removed.' },
    }),

    ...tab(`${url}/new-endpoint`, {
      show(call) {
        const back = pathOf(call.caller)
        return {
          title: 'Add an endpoint',
          crumbs: crumbsOf(call),
          failed: 'The endpoint was not added.',
          body: call.form({
            action: `${back}/new-endpoint`,
            isOnce: true,
            fields: newEndpointFields,
            label: 'Add endpoint',
            beside: linkButton(back, 'Cancel'),
          }),
        }
      },
      acts: {
        '': {
          async run(call) {
            const [address, description] = [call.value('url').trim(), call.value('description').trim()]
            const scheme = call.value('scheme').trim() === 'v1a' ? 'v1a' : 'v1'
            const wanted = { url: address, description, types: call.fields.all('types'), scheme } as const
            try {
              return await keyOnce(call, 'Endpoint added', () => webhooks.add(ownerOf(call.caller), wanted))
            } catch (error) {
              // A URL that is not allowed is a problem of its own kind.
              if (error instanceof Problem && error.errors.length > 0) return { errors: error.errors }
              throw error
            }
          },
        },
      },
    }),

    ...tab(`${url}/endpoints/:${parameter}`, {
      async show(call) {
        const details = await webhooks.details(...of(call))
        return {
          title: hostOf(details.endpoint),
          crumbs: crumbsOf(call),
          styles: [assetUrl('chart.css')],
          body: html`${endpointMarkup(details, {
            ...call,
            path: endpointPath(call),
            zone: zoneOf(call.caller),
            now: clock(),
            companies: await room.companiesOf?.(call.caller),
          })}${zoneText(zoneOf(call.caller))}`,
        }
      },
      acts: {
        // Field names and URL stay as they are in forms on open pages.
        '': {
          async run(call) {
            const name = call.value('do')
            const run = Object.hasOwn(acts, name) ? acts[name] : undefined
            if (run === undefined) throw new Problem('bad-request')
            return run(call)
          },
        },
        rotate: {
          async ask(call) {
            const { host: _, ...asked } = await askedAbout(call)
            return {
              ...asked,
              title: 'Make a new secret?',
              text: `Both secrets sign for ${webhookOverlapHours} hours, so you can change your program without missing anything. After that the former one no longer works.`,
              label: 'Make a new secret',
              keep: 'Keep the secret',
              isOnce: true,
            }
          },
          run: call => keyOnce(call, 'New secret', () => webhooks.rotate(...of(call))),
        },
        remove: {
          async ask(call) {
            const { host, ...asked } = await askedAbout(call)
            return {
              ...asked,
              title: 'Remove endpoint?',
              text: html`Nothing more is sent to ${isolateBidi(host)}, and its log and its secret are deleted. This cannot be undone.`,
              label: 'Remove endpoint',
              keep: 'Keep endpoint',
            }
          },
          async run(call) {
            await webhooks.remove(...of(call))
            return { location: `${pathOf(call.caller)}?done=removed` }
          },
        },
      },
      done: {
        'test-accepted': 'Your program has answered the test.',
        'test-failed': warning('The test failed. The attempts below say why.'),
        paused: 'Paused. Events are kept until you resume.',
        resumed: 'Sending again.',
        retired: 'The former secret no longer signs.',
        replaying: 'The events are being sent again.',
        resent: 'What was set aside is being sent again.',
        'shown-once': warning(
          'This was done before, and the secret was shown once. If you don’t have it, make a new one.',
        ),
      },
    }),
  ]
}

const noBacklog = { events: 0, oldestAt: null, nextTryAt: null }

export const zoneText = (zone: string) => html`<p class="quiet">Days and times are in ${zone} time.</p>`

function endpointSection(
  endpoints: readonly { endpoint: Endpoint; backlog: Backlog }[],
  path: string,
  zone: string,
): Html {
  const action = { href: `${path}/new-endpoint`, label: 'Add an endpoint' }
  return section(
    'endpoints',
    'Webhook endpoints',
    table({
      caption: 'Webhook endpoints',
      empty: emptyState({
        title: 'No endpoints yet',
        text: 'Add the address of a program that should receive events.',
        action,
      }),
      rows: endpoints,
      columns: [
        [
          'Endpoint',
          ({ endpoint: { id, description, url } }) =>
            html`<a href="${path}/endpoints/${id}">${isolateBidi(hostOf({ url }))}</a>${description !== '' && html`<br><span class="quiet">${isolateBidi(description)}</span>`}`,
        ],
        ['State', ({ endpoint }) => stateBadge(endpoint)],
        ['Last success', ({ endpoint }) => timeOrNever(endpoint.succeededAt, zone)],
        ['Still to send', ({ backlog }) => behindText(backlog, zone)],
      ],
    }),
    endpoints.length > 0 && html`<a class="button" href="${action.href}">${action.label}</a>`,
  )
}

/** The event types that most receivers need; the others are a click away. */
const usualTypes: readonly EventType[] = [
  'application.created',
  'application.withdrawn',
  'application.erased',
  'attachment.scanned',
]

const typesField: Field = ({ values, errors }) => {
  const chosen = errors.length === 0 ? usualTypes : (values['types'] ?? '').split('\n')
  const fault = errors.find(({ field }) => field === 'types')
  return html`<fieldset id="types" tabindex="-1"><legend>${needed('Events to send')}</legend>${fault !== undefined && html`<p class="error">${fault.message}</p>`}
${eventTypes.map(type => html`<div class="field"><label class="tick"><input type="checkbox" name="types" value="${type}" ${flag('checked', chosen.includes(type))}> ${typeNames[type]} <code>${type}</code></label></div>`)}</fieldset>`
}

const newEndpointFields: readonly Field[] = [
  textInput({
    name: 'url',
    label: needed('Address'),
    hint: 'An https address of your program.',
    attributes: html`type="url" required maxlength="2000" autocomplete="off" spellcheck="false"`,
  }),
  textInput({
    name: 'description',
    label: 'Description (optional)',
    attributes: html`maxlength="200" autocomplete="off"`,
  }),
  typesField,
  choice({
    name: 'scheme',
    label: 'Signature',
    hint: 'With a public key, your program can verify events but not sign any.',
    value: 'v1',
    choices: [
      { id: 'v1', description: 'Shared secret (HMAC-SHA256)' },
      { id: 'v1a', description: 'Public key (Ed25519)' },
    ],
  }),
]

/** Shows a secret once; a public key can be seen again. */
function keyPage(
  { endpoint, key }: ShownEndpoint,
  { path, ...page }: Pick<Page, 'title' | 'crumbs'> & { path: string },
): Page {
  const isSecret = endpoint.scheme === 'v1'
  const docs = html`<a href="/docs/webhooks">Receiving webhooks</a>`
  return secretPage({
    ...page,
    label: isSecret ? 'Secret' : 'Public key',
    value: key,
    warning: isSecret && 'The secret is shown only here and only now.',
    content: html`<p>Your program verifies each request with it: see ${docs}.</p>${endpoint.state === 'new' && html`<p>Next, send a test. Events are sent once your program has answered it.</p>`}`,
    next: { href: path, label: 'Go to the endpoint' },
  })
}
