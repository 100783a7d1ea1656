import type { EpochMs } from '../../core/clock.ts'
import { isoIn } from '../../core/time/time-zone.ts'
import type { Backlog, Endpoint, EndpointState, ListedLane } from '../../events/webhooks/ports.ts'
import type { Webhooks } from '../../events/webhooks/service.ts'
import { eventId, eventTypes, type StoredEvent } from '../../model/events.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { barChart } from '../../web/chart.ts'
import {
  actionForm,
  type BadgeKind,
  badge,
  copyField,
  dataTable,
  emptyState,
  notice,
} from '../../web/components.ts'
import { errorSummary, needed, selectField, textField } from '../../web/fields.ts'
import { flag, type Html, html } from '../../web/html.ts'
import { zonedTime } from '../../web/time.ts'
import type { Typed } from '../access/markup.ts'
import { eventsTexts as texts } from './texts.ts'

const badges: Record<EndpointState, BadgeKind> = {
  new: 'neutral',
  active: 'good',
  failing: 'warning',
  paused: 'neutral',
  stopped: 'danger',
}

/** Without path and query, which may contain a secret of the receiver. */
export const hostOf = ({ url }: Pick<Endpoint, 'url'>): string => new URL(url).host

const stateBadge = ({ state }: Endpoint) => badge(badges[state], texts.states[state])
const timeOrNever = (at: EpochMs | null, zone: string) => (at === null ? texts.never : zonedTime(at, zone))

function behindText({ events, oldestAt }: Backlog, zone: string): Html | string {
  const { endpoints: words } = texts
  if (events === 0) return words.nothing
  return html`${words.events(events)}${oldestAt !== null && words.since(zonedTime(oldestAt, zone))}`
}

export function endpointSection(
  endpoints: readonly { endpoint: Endpoint; backlog: Backlog }[],
  path: string,
  zone: string,
): Html {
  const { endpoints: words } = texts
  const action = { href: `${path}/new-endpoint`, label: words.add }
  const rows = endpoints.map(({ endpoint, backlog }) => [
    html`<a href="${path}/endpoints/${endpoint.id}">${isolateBidi(hostOf(endpoint))}</a>${endpoint.description !== '' && html`<br><span class="quiet">${isolateBidi(endpoint.description)}</span>`}`,
    stateBadge(endpoint),
    timeOrNever(endpoint.succeededAt, zone),
    behindText(backlog, zone),
  ])
  const columns = [words.host, words.state, words.lastSuccess, words.behind].map(label => ({ label }))
  return html`<section aria-labelledby="endpoints"><div class="section-head"><h2 id="endpoints">${words.title}</h2>${rows.length > 0 && html`<a class="button" href="${action.href}">${action.label}</a>`}</div>
${rows.length === 0 ? emptyState({ ...words.empty, action }) : dataTable(words.caption, columns, rows)}</section>`
}

export function logTable(events: readonly StoredEvent[], applicationsPath: string, zone: string): Html {
  const { log: words } = texts
  const rows = events.map(({ number, type, applicationId, detail }) => [
    zonedTime(number, zone),
    html`${texts.types[type as keyof typeof texts.types]}<br><code>${type}</code>`,
    applicationId === null
      ? ''
      : html`<span class="named"><a href="${applicationsPath}/${applicationId}">${words.application(applicationId)}</a></span>`,
    detail === '' ? '' : html`<span class="quiet">${isolateBidi(detailText(detail))}</span>`,
  ])
  const columns = [words.at, words.type, words.about, words.detail].map(label => ({ label }))
  return dataTable(words.caption, columns, rows)
}

const detailText = (detail: string) =>
  Object.entries(JSON.parse(`{${detail}}`) as Record<string, unknown>)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')

export function typeFilter(action: string, chosen: string): Html {
  const { log: words } = texts
  const choices = eventTypes.map(type => ({ id: type, description: texts.types[type] }))
  return html`<form class="filter-bar" method="get" action="${action}">
${selectField({ name: 'type', label: words.type, none: words.every, choices, value: chosen, errors: [] })}
<button class="second" type="submit">${words.show}</button></form>`
}

export function endpointForm(
  action: string,
  hidden: { token: string; key: string },
  { values, errors }: Typed,
  chosen: readonly string[],
  backTo: string,
): Html {
  const { form: words } = texts
  const fault = errors.find(({ field }) => field === 'types')
  return html`${errorSummary(errors, undefined, words.nothingAdded)}<form class="card" method="post" action="${action}" novalidate>
<input type="hidden" name="form_token" value="${hidden.token}"><input type="hidden" name="form_key" value="${hidden.key}">
${textField({ name: 'url', label: needed(words.url), hint: words.urlHint, value: values['url'] ?? '', errors, attributes: html`type="url" required maxlength="2000" autocomplete="off" spellcheck="false"` })}
${textField({ name: 'description', label: words.description, value: values['description'] ?? '', errors, attributes: html`maxlength="200" autocomplete="off"` })}
<fieldset id="types" tabindex="-1"><legend>${needed(words.types)}</legend>${fault !== undefined && html`<p class="error">${fault.message}</p>`}
${eventTypes.map(type => html`<div class="field"><label class="tick"><input type="checkbox" name="types" value="${type}" ${flag('checked', chosen.includes(type))}> ${texts.types[type]} <code>${type}</code></label></div>`)}</fieldset>
${selectField({ name: 'scheme', label: words.scheme, hint: words.schemeHint, choices: Object.entries(words.schemes).map(([id, description]) => ({ id, description })), value: values['scheme'] ?? 'v1', errors })}
<div class="actions"><button type="submit">${words.submit}</button><a class="button second" href="${backTo}">${words.cancel}</a></div></form>`
}

/** A secret, once; a public key can be seen again. */
export function shownKey({ endpoint, key }: { endpoint: Endpoint; key: string }, path: string): Html {
  const { secret: words } = texts
  return html`<div class="card">${endpoint.scheme === 'v1' && notice('warning', words.once)}
${copyField({ id: 'secret', label: words[endpoint.scheme], value: key })}
<p>${words.verify}</p>${endpoint.state === 'new' && html`<p>${words.next}</p>`}
<div class="actions"><a class="button" href="${path}">${words.toEndpoint}</a></div></div>`
}

export interface CompanyChoice {
  id: string
  description: string
}

type Details = Awaited<ReturnType<Webhooks['details']>>

export function endpointMarkup(
  details: Details,
  own: {
    path: string
    token: string
    zone: string
    now: EpochMs
    errors: Typed['errors']
    companies: readonly CompanyChoice[] | undefined
  },
): Html {
  const { endpoint, publicKey, backlog, attempts, lanes, hours } = details
  const { page: words } = texts
  const { path, token, zone, now, errors, companies } = own
  const act = (name: 'test' | 'pause' | 'resume' | 'retire' | 'resend', kind?: 'second') =>
    actionForm({
      action: path,
      token,
      fields: { do: name },
      label: words.actions[name],
      ...(kind && { kind }),
    })
  const isSending = endpoint.state === 'active' || endpoint.state === 'failing'
  const isOverlapping = endpoint.overlapUntil !== null && endpoint.overlapUntil > now
  const accepted = hours.reduce((sum, hour) => sum + hour.accepted, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0)
  const facts: [string, Html | string | false][] = [
    [words.state, stateBadge(endpoint)],
    [words.address, html`<code>${isolateBidi(endpoint.url)}</code>`],
    [words.description, endpoint.description !== '' && isolateBidi(endpoint.description)],
    [words.types, endpoint.types.map(type => texts.types[type]).join(', ')],
    [words.created, zonedTime(endpoint.createdAt, zone)],
    [words.lastSuccess, timeOrNever(endpoint.succeededAt, zone)],
    [words.behind, behindText(backlog, zone)],
    [words.nextTry, backlog.nextTryAt !== null && zonedTime(backlog.nextTryAt, zone)],
    [words.skew, endpoint.skewMs !== null && words.skewText(endpoint.skewMs)],
    [words.publicKey, publicKey !== null && html`<code>${publicKey}</code>`],
    [words.key, endpoint.scheme === 'v1' && words.keyText],
  ]
  return html`${warningOf(endpoint, zone)}
<div class="card"><dl class="values beside">${facts.map(([name, value]) => value !== false && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></div>
${isOverlapping && endpoint.overlapUntil !== null && html`<p>${words.overlap(zonedTime(endpoint.overlapUntil, zone))}</p>`}
<div class="actions">${act('test')}${isSending ? act('pause') : endpoint.state !== 'new' && act('resume')}${isOverlapping && act('retire')}<a class="button second" href="${path}/rotate">${words.actions.rotate}</a><a class="button second" href="${path}/remove">${words.actions.remove}</a></div>
<section aria-labelledby="deliveries"><h2 id="deliveries">${words.deliveries}</h2>${barChart({
    title: words.hours(accepted, failed),
    summary: words.hoursSummary(accepted),
    whenEmpty: failed > 0 ? words.onlyFailures : words.noHours,
    bars: hoursShown(hours, now, zone),
  })}</section>
<section aria-labelledby="attempts"><h2 id="attempts">${words.attempts}</h2>${attemptTable(attempts, zone)}</section>
${lanes.length > 0 && html`<section aria-labelledby="aside"><div class="section-head"><h2 id="aside">${words.aside}</h2>${lanes.some(isAside) && act('resend')}</div>${laneTable(lanes, zone)}</section>`}
${
  endpoint.state !== 'new' &&
  html`<section aria-labelledby="replay"><h2 id="replay">${words.replay}</h2><p>${words.replayText}</p>
${errorSummary(errors)}<form class="card" method="post" action="${path}" novalidate><input type="hidden" name="form_token" value="${token}"><input type="hidden" name="do" value="replay">
${companies && selectField({ name: 'advertiserId', label: words.company, none: words.chooseCompany, choices: companies, value: '', errors })}
${textField({ name: 'from', label: words.from, value: '', errors, attributes: html`type="date" required` })}
<div class="actions"><button class="second" type="submit">${words.replaySubmit}</button></div></form></section>`
}`
}

const hourMs = 3_600_000

/** Every hour of the last two days, those without attempts too. */
function hoursShown(hours: Details['hours'], now: EpochMs, zone: string) {
  const accepted = new Map(hours.map(hour => [hour.hour, hour.accepted]))
  const last = Math.floor(now / hourMs)
  return Array.from({ length: 48 }, (_, index) => last - 47 + index).map(hour => ({
    label: isoIn(hour * hourMs, zone).slice(11, 16),
    value: accepted.get(hour) ?? 0,
  }))
}

const isAside = ({ kind, state }: ListedLane) => kind === 'parked' && state !== 'done'

function warningOf({ state, failingSince, stoppedAt }: Endpoint, zone: string): Html | false {
  const { page: words } = texts
  if (state === 'new') return notice('info', words.isNew)
  if (state === 'failing' && failingSince !== null)
    return notice('warning', html`<p>${words.failing(zonedTime(failingSince, zone))}</p>`)
  if (state === 'stopped' && stoppedAt !== null)
    return notice('warning', html`<p>${words.stopped(zonedTime(stoppedAt, zone))}</p>`)
  return false
}

function attemptTable(attempts: Details['attempts'], zone: string): Html {
  const { page: words } = texts
  if (attempts.length === 0) return html`<p class="quiet">${words.noAttempts}</p>`
  const rows = attempts.map(({ at, advertiserId, number, outcome, status, ms, answer }) => [
    zonedTime(at, zone),
    number === null ? words.test : html`<code>${eventId({ advertiserId: advertiserId ?? 0 }, number)}</code>`,
    html`${badge(outcome === 'accepted' ? 'good' : 'warning', texts.outcomes[outcome])}${status !== null && ` ${status}`}`,
    words.ms(ms),
    answer === null ? '' : html`<span class="quiet">${isolateBidi(answer)}</span>`,
  ])
  const columns = [words.at, words.event, words.outcome, words.took, words.answer].map(label => ({ label }))
  return dataTable(words.attemptsCaption, columns, rows)
}

function laneTable(lanes: readonly ListedLane[], zone: string): Html {
  const { page: words } = texts
  const rows = lanes.map(({ kind, createdAt, state, delivered }) => [
    zonedTime(createdAt, zone),
    texts.laneKinds[kind],
    texts.laneStates[state],
    kind === 'replay' ? words.delivered(delivered) : '',
  ])
  const columns = [words.at, words.kind, words.state, words.progress].map(label => ({ label }))
  return dataTable(words.asideCaption, columns, rows)
}
