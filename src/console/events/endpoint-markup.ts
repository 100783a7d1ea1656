import type {
  AttemptOutcome,
  Backlog,
  Endpoint,
  EndpointState,
  LaneKind,
  ListedLane,
} from '../../events/webhooks/ports.ts'
import type { Webhooks } from '../../events/webhooks/service.ts'
import { type EventType, eventId } from '../../model/events.ts'
import { aheadOrBehind, type EpochMs } from '../../platform/core/clock.ts'
import { numberText } from '../../platform/core/locale.ts'
import { isoIn } from '../../platform/core/time/time-zone.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { barChart } from '../../platform/web/chart.ts'
import { type BadgeKind, badge, linkButton, notice, section, table } from '../../platform/web/components.ts'
import { choice, type Forms, textInput } from '../../platform/web/forms.ts'
import { type Html, type HtmlValue, html } from '../../platform/web/html.ts'
import { zonedTime } from '../../platform/web/time.ts'

export const typeNames: Record<EventType, string> = {
  'application.created': 'New application',
  'application.imported': 'Imported application',
  'application.erased': 'Application erased',
  'application.withdrawn': 'Application withdrawn',
  'attachment.scanned': 'Attachment scanned',
  'prefill.completed': 'Prefilled application completed',
  'agent.authorised': 'Agent authorised',
  'agent.withdrawn': 'Agent’s authorisation withdrawn',
  'webhook.failing': 'Webhook failing',
  'webhook.stopped': 'Webhook stopped',
  'application.status-changed': 'Status changed',
  'application.keep-changed': 'Consent to keep changed',
}
const states: Record<EndpointState, [BadgeKind, string]> = {
  new: ['neutral', 'Not tested'],
  active: ['good', 'Active'],
  failing: ['warning', 'Failing'],
  paused: ['neutral', 'Paused'],
  stopped: ['danger', 'Stopped'],
}
const outcomes: Record<AttemptOutcome, string> = {
  accepted: 'Accepted',
  refused: 'Rejected',
  timeout: 'Timed out',
  dns: 'Name not found',
  connect: 'No connection',
  tls: 'Certificate not trusted',
  address: 'Address not allowed',
  cut: 'Connection cut',
}
const laneKinds: Record<LaneKind, string> = { live: 'Live', replay: 'Replay', parked: 'Set aside' }
const laneStates: Record<ListedLane['state'], string> = {
  waiting: 'Waiting',
  running: 'Under way',
  done: 'Done',
  cancelled: 'Cancelled',
  'given-up': 'Given up',
}

/** The host of the URL: path and query may contain a secret of the receiver. */
export const hostOf = ({ url }: Pick<Endpoint, 'url'>): string => new URL(url).host

export const stateBadge = ({ state }: Endpoint) => badge(...states[state])
export const timeOrNever = (at: EpochMs | null, zone: string) => (at === null ? 'Never' : zonedTime(at, zone))

export function behindText({ events, oldestAt }: Backlog, zone: string): Html | string {
  if (events === 0) return 'Nothing'
  const count = events === 1 ? '1 event' : `${numberText(events)} events`
  return oldestAt === null ? count : html`${count}, the oldest from ${zonedTime(oldestAt, zone)}`
}

export interface CompanyChoice {
  id: string
  description: string
}

type Details = Awaited<ReturnType<Webhooks['details']>>

/** The page of an endpoint: its state, deliveries and attempts, and its actions. */
export function endpointMarkup(
  { endpoint, publicKey, backlog, attempts, lanes, givenUp, hours }: Details,
  {
    path,
    zone,
    now,
    companies,
    form,
    button,
  }: Forms & { path: string; zone: string; now: EpochMs; companies: readonly CompanyChoice[] | undefined },
): Html {
  const act = (name: string, label: string) => button({ action: path, fields: { do: name }, label })
  const isSending = endpoint.state === 'active' || endpoint.state === 'failing'
  const overlapUntil =
    endpoint.overlapUntil !== null && endpoint.overlapUntil > now ? endpoint.overlapUntil : null
  const facts: [string, HtmlValue][] = [
    ['State', stateBadge(endpoint)],
    ['Address', html`<code>${isolateBidi(endpoint.url)}</code>`],
    ['Description', endpoint.description !== '' && isolateBidi(endpoint.description)],
    ['Events', endpoint.types.map(type => typeNames[type]).join(', ')],
    ['Added', zonedTime(endpoint.createdAt, zone)],
    ['Last success', timeOrNever(endpoint.succeededAt, zone)],
    ['Still to send', behindText(backlog, zone)],
    ['Next attempt', backlog.nextTryAt !== null && zonedTime(backlog.nextTryAt, zone)],
    ['Receiver’s clock', endpoint.skewMs !== null && skewText(endpoint.skewMs)],
    ['Public key', publicKey !== null && html`<code>${publicKey}</code>`],
    [
      'Secret',
      endpoint.scheme === 'v1' && 'Shown once, when it was made. If you have lost it, make a new one.',
    ],
  ]
  return html`${warningOf(endpoint, zone)}${givenUp !== null && notice('warning', html`<p>${givenUpText(givenUp, zone)}</p>`)}
<div class="card"><dl class="values beside">${facts.map(([name, value]) => value !== false && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></div>
${overlapUntil !== null && html`<p>The former secret still signs until ${zonedTime(overlapUntil, zone)}.</p>`}
<div class="actions">${act('test', 'Send a test')}${isSending ? act('pause', 'Pause endpoint') : endpoint.state !== 'new' && act('resume', 'Resume endpoint')}${overlapUntil !== null && act('retire', 'Retire the former secret now')}${linkButton(`${path}/rotate`, 'Make a new secret')}${linkButton(`${path}/remove`, 'Remove endpoint')}</div>
<section aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>${hoursChart(hours, now, zone)}</section>
<section aria-labelledby="attempts"><h2 id="attempts">Attempts</h2>${attemptTable(attempts, zone)}</section>
${
  (lanes.length > 0 || givenUp !== null) &&
  section(
    'aside',
    'Replays and events that were set aside',
    laneTable(lanes, zone),
    (givenUp !== null || lanes.some(isAside)) && act('resend', 'Send again what was set aside'),
  )
}
${
  endpoint.state !== 'new' &&
  html`<section aria-labelledby="replay"><h2 id="replay">Send events again</h2><p>Sends everything from this day on once more, beside new events. Your program recognises repeated events by their ID.</p>
${form({
  action: path,
  hidden: { do: 'replay' },
  fields: [
    ...(companies === undefined
      ? []
      : [
          choice({
            name: 'advertiserId',
            label: 'Company',
            none: 'Choose a company',
            choices: companies,
          }),
        ]),
    textInput({ name: 'from', label: 'From', attributes: html`type="date" required` }),
  ],
  label: 'Send again',
  kind: 'second',
})}</section>`
}`
}

const skewText = (ms: number) => (Math.abs(ms) < 2000 ? 'In step with ours' : `${aheadOrBehind(ms)} ours`)

function givenUpText(
  { events, lastAt, lastEventId }: NonNullable<Details['givenUp']>,
  zone: string,
): Html | string {
  const count = events === 1 ? '1 event was' : `${numberText(events)} events were`
  const last = html`<code>${lastEventId}</code>`
  return html`${count} not delivered, the last one (${last}) on ${zonedTime(lastAt, zone)}: your program rejected every attempt, and accepted other events. Once it accepts them, send them again below.`
}

function warningOf({ state, failingSince, stoppedAt, stopReason }: Endpoint, zone: string): Html | false {
  const warning = (text: Html | string) => notice('warning', html`<p>${text}</p>`)
  if (stopReason === 'key-lost')
    return warning(
      'Paused: this service was restored without the key of this endpoint’s secret. Make a new secret, give it to your receiver, then resume. Nothing is lost as long as events are kept.',
    )
  if (state === 'new') return notice('info', 'This endpoint has not answered a test yet, so nothing is sent.')
  if (state === 'failing' && failingSince !== null)
    return warning(
      html`This endpoint has not accepted anything since ${zonedTime(failingSince, zone)}. After five days without success we stop sending.`,
    )
  if (state === 'stopped' && stoppedAt !== null)
    return warning(
      html`We stopped sending on ${zonedTime(stoppedAt, zone)}. Nothing is lost as long as events are kept: resume to go on where it stopped.`,
    )
  return false
}

const hourMs = 3_600_000

/** Every hour of the last two days, including hours without attempts. */
function hoursChart(hours: Details['hours'], now: EpochMs, zone: string): Html {
  const accepted = hours.reduce((sum, hour) => sum + hour.accepted, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0)
  const acceptedIn = new Map(hours.map(hour => [hour.hour, hour.accepted]))
  const last = Math.floor(now / hourMs)
  return barChart({
    title: `Last 48 hours: ${numberText(accepted)} accepted, ${numberText(failed)} failed`,
    summary: `Bar chart of accepted events per hour: ${numberText(accepted)} in total.`,
    whenEmpty:
      failed > 0 ? 'Nothing was accepted in the last 48 hours.' : 'Nothing was sent in the last 48 hours.',
    bars: Array.from({ length: 48 }, (_, index) => last - 47 + index).map(hour => ({
      label: isoIn(hour * hourMs, zone).slice(11, 16),
      value: acceptedIn.get(hour) ?? 0,
    })),
  })
}

const isAside = ({ kind, state }: ListedLane) => kind === 'parked' && state !== 'done'

const attemptTable = (attempts: Details['attempts'], zone: string): Html =>
  table({
    caption: 'Latest attempts, newest first',
    empty: 'No attempts yet.',
    rows: attempts,
    columns: [
      ['Time', ({ at }) => zonedTime(at, zone)],
      [
        'Event',
        ({ advertiserId, number }) =>
          number === null
            ? 'Test'
            : html`<code>${eventId({ advertiserId: advertiserId ?? 0 }, number)}</code>`,
      ],
      [
        'Outcome',
        ({ outcome, status }) =>
          html`${badge(outcome === 'accepted' ? 'good' : 'warning', outcomes[outcome])}${status !== null && ` ${status}`}`,
      ],
      ['Took', ({ ms }) => `${numberText(ms)} ms`],
      ['Answer', ({ answer }) => answer !== null && html`<span class="quiet">${isolateBidi(answer)}</span>`],
    ],
  })

const laneTable = (lanes: readonly ListedLane[], zone: string): Html =>
  table({
    caption: 'Replays and events that were set aside, newest first',
    rows: lanes,
    columns: [
      ['Time', ({ createdAt }) => zonedTime(createdAt, zone)],
      ['Kind', ({ kind }) => laneKinds[kind]],
      ['State', ({ state }) => laneStates[state]],
      [
        'Progress',
        ({ kind, delivered }) =>
          kind === 'replay' && (delivered === 1 ? '1 event sent' : `${numberText(delivered)} events sent`),
      ],
    ],
  })
