import { aheadOrBehind } from '../../core/clock.ts'
import type { AttemptOutcome, EndpointState, LaneKind, ListedLane } from '../../events/webhooks/ports.ts'
import type { EventType } from '../../model/events.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { numberText } from '../../web/chart.ts'
import { type Html, html } from '../../web/html.ts'

const many = (count: number, one: string, several: string) =>
  `${numberText(count)} ${count === 1 ? one : several}`

const types: Record<EventType, string> = {
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
}
const states: Record<EndpointState, string> = {
  new: 'Not tested',
  active: 'Active',
  failing: 'Failing',
  paused: 'Paused',
  stopped: 'Stopped',
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

export const eventsTexts = {
  title: 'Events',
  lead: html`Your programs learn at once what happens to your applications: they follow the <a href="/docs/follow">feed of events</a>, or have events sent to a webhook endpoint. Events contain IDs and no personal data.`,
  types,
  states,
  outcomes,
  laneKinds,
  laneStates,
  never: 'Never',
  zone: (timeZone: string) => `Days and times are in ${timeZone} time.`,

  endpoints: {
    title: 'Webhook endpoints',
    caption: 'Webhook endpoints',
    add: 'Add an endpoint',
    host: 'Endpoint',
    state: 'State',
    lastSuccess: 'Last success',
    behind: 'Still to send',
    nothing: 'Nothing',
    events: (count: number) => many(count, 'event', 'events'),
    since: (at: Html): Html => html`, the oldest from ${at}`,
    empty: { title: 'No endpoints yet', text: 'Add the address of a program that should receive events.' },
  },

  log: {
    title: 'Log',
    caption: 'Events, newest first',
    lead: (days: number) => `Everything that happened, newest first. Events are kept for ${days} days.`,
    all: 'See the whole log',
    type: 'Event',
    every: 'All events',
    show: 'Show',
    at: 'Time',
    about: 'About',
    detail: 'Details',
    application: (id: number) => `Application ${id}`,
    empty: { title: 'No events yet', text: 'What happens from now on appears here.' },
    noneOfType: { title: 'No such events', text: 'There is no event of this type in the log.' },
  },

  form: {
    title: 'Add an endpoint',
    nothingAdded: 'The endpoint was not added.',
    url: 'Address',
    urlHint: 'An https address of your program.',
    description: 'Description (optional)',
    types: 'Events to send',
    scheme: 'Signature',
    schemes: {
      v1: 'Shared secret (HMAC-SHA256)',
      v1a: 'Public key (Ed25519)',
    },
    schemeHint: 'With a public key, your program can verify events but not sign any.',
    submit: 'Add endpoint',
    cancel: 'Cancel',
  },

  secret: {
    title: 'Endpoint added',
    rotated: 'New secret',
    v1: 'Secret',
    v1a: 'Public key',
    once: 'Copy the secret now: it is not shown again.',
    verify: html`Your program verifies each request with it: see <a href="/docs/webhooks">Receiving webhooks</a>.`,
    next: 'Next, send a test. Events are sent once your program has answered it.',
    toEndpoint: 'Go to the endpoint',
  },

  page: {
    address: 'Address',
    description: 'Description',
    types: 'Events',
    state: 'State',
    created: 'Added',
    lastSuccess: 'Last success',
    behind: 'Still to send',
    nextTry: 'Next attempt',
    skew: 'Receiver’s clock',
    skewText: (ms: number) => (Math.abs(ms) < 2000 ? 'In step with ours' : `${aheadOrBehind(ms)} ours`),
    publicKey: 'Public key',
    key: 'Secret',
    keyText: 'Shown once, when it was made. If you have lost it, make a new one.',
    overlap: (at: Html): Html => html`The former secret still signs until ${at}.`,
    failing: (at: Html): Html =>
      html`This endpoint has not accepted anything since ${at}. After five days without success we stop sending.`,
    stopped: (at: Html): Html =>
      html`We stopped sending on ${at}. Nothing is lost as long as events are kept: resume to go on where it stopped.`,
    isNew: 'This endpoint has not answered a test yet, so nothing is sent.',
    actions: {
      test: 'Send a test',
      pause: 'Pause endpoint',
      resume: 'Resume endpoint',
      rotate: 'Make a new secret',
      retire: 'Retire the former secret now',
      remove: 'Remove endpoint',
      resend: 'Send again what was set aside',
    },
    hours: (accepted: number, failed: number) =>
      `Last 48 hours: ${numberText(accepted)} accepted, ${numberText(failed)} failed`,
    hoursSummary: (accepted: number) =>
      `Bar chart of accepted events per hour: ${numberText(accepted)} in total.`,
    noHours: 'Nothing was sent in the last 48 hours.',
    onlyFailures: 'Nothing was accepted in the last 48 hours.',
    deliveries: 'Deliveries',
    attempts: 'Attempts',
    attemptsCaption: 'Latest attempts, newest first',
    noAttempts: 'No attempts yet.',
    at: 'Time',
    event: 'Event',
    test: 'Test',
    outcome: 'Outcome',
    took: 'Took',
    ms: (ms: number) => `${numberText(ms)} ms`,
    answer: 'Answer',
    aside: 'Replays and events that were set aside',
    asideCaption: 'Replays and events that were set aside, newest first',
    kind: 'Kind',
    progress: 'Progress',
    delivered: (count: number) => many(count, 'event sent', 'events sent'),
    replay: 'Send events again',
    replayText:
      'Sends everything from this day on once more, beside new events. Your program recognises repeated events by their ID.',
    company: 'Company',
    chooseCompany: 'Choose a company',
    noCompany: 'Choose the company whose events to send again.',
    from: 'From',
    replaySubmit: 'Send again',
    noSuchDay: 'Enter a day, such as 2026-11-14.',
  },

  removal: {
    title: 'Remove endpoint?',
    text: (host: string): Html =>
      html`Nothing more is sent to ${isolateBidi(host)}, and its log and its secret are deleted. This cannot be undone.`,
    submit: 'Remove endpoint',
    keep: 'Keep endpoint',
  },
  rotation: {
    title: 'Make a new secret?',
    text: (hours: number): Html =>
      html`Both secrets sign for ${hours} hours, so you can change your program without missing anything. After that the former one no longer works.`,
    submit: 'Make a new secret',
    keep: 'Keep the secret',
  },

  done: {
    'test-accepted': 'Your program has answered the test.',
    'test-failed': 'The test failed. The attempts below say why.',
    paused: 'Paused. Events are kept until you resume.',
    resumed: 'Sending again.',
    retired: 'The former secret no longer signs.',
    replaying: 'The events are being sent again.',
    resent: 'What was set aside is being sent again.',
    removed: 'Endpoint removed.',
    'shown-once':
      'This was done before, and the secret was shown once. If you don’t have it, make a new one.',
  },
} as const
