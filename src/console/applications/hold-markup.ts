import type { Hold } from '../../collect/retention/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { notice } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { zonedDay, zonedTime } from '../../web/time.ts'
import { holdTexts as texts } from './hold-texts.ts'

/** How long an application is kept. */
export interface KeepingMarkup {
  hold: Hold | undefined
  /** Null: no end. */
  dueAt: EpochMs | null
  timeZone: string
  /** Undefined for recruiters, who can change nothing of it. */
  admin: { holdPath: string; periodPath: string; token: string } | undefined
}

/** Who has put the application on hold, since when and why. */
export function holdMarkup({ hold, timeZone, admin }: KeepingMarkup): Html | false {
  if (hold === undefined) return false
  const { placedBy, placedByName, placedAt, reason } = hold
  const by =
    placedBy === null
      ? texts.operator
      : placedByName === null
        ? texts.formerMember
        : isolateBidi(placedByName)
  return notice(
    'warning',
    html`${texts.held(by, zonedTime(placedAt, timeZone))}
<p class="written">${reason}</p>
${
  admin &&
  html`<form method="post" action="${admin.holdPath}"><input type="hidden" name="form_token" value="${admin.token}">
<p class="hint">${texts.releaseHint}</p>
<button class="second small" name="action" value="release">${texts.release}</button></form>`
}`,
  )
}

export function keepingMarkup({ hold, dueAt, timeZone, admin }: KeepingMarkup): Html | false {
  if (hold !== undefined) return false
  return html`<section class="card"><h2>${texts.title}</h2>
<p>${dueAt === null ? texts.noEnd : texts.until(zonedDay(dueAt - 1, timeZone))}</p>
${admin && html`<p class="actions"><a href="${admin.holdPath}">${texts.hold}</a> <a href="${admin.periodPath}">${texts.period}</a></p>`}</section>`
}
