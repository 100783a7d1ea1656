import type { FastifyReply, RouteOptions } from 'fastify'
import type { CompanyPlan, Plan, Retention } from '../../collect/retention/service.ts'
import type { FieldError } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call } from '../../http/routes.ts'
import { chosenMonths, type RetentionBounds } from '../../model/retention.ts'
import { notice } from '../../web/components.ts'
import { errorSummary, selectField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { zonedDay, zonedTime } from '../../web/time.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { checked } from '../refusals.ts'
import { inMonths, retentionTexts as texts } from './retention-texts.ts'

interface PageDeps {
  retention: Pick<Retention, 'bounds' | 'of' | 'untold' | 'preview' | 'choose' | 'takeBack'>
  sessions: Sessions
}

/** Where an admin chooses how long the company keeps applications. What would go is shown before anything changes. */
export function retentionPages({ retention, sessions }: PageDeps): RouteOptions[] {
  const url = '/console/:advertiserId/retention'
  const { bounds } = retention
  const pathOf = ({ caller }: Call<'console'>) => consolePath(caller.advertiserId, 'retention')

  async function show(call: Call<'console'>, errors: readonly FieldError[] = []): Promise<FastifyReply> {
    const { reply, caller } = call
    const path = pathOf(call)
    const fields = new FormFields(searchOf(call.request.raw.url))
    const current = await retention.of(caller.advertiserId)
    const isUntold = current.change !== null && (await retention.untold(caller.advertiserId)).length > 0
    const chosen = errors.length > 0 ? undefined : fields.get('months')
    const previewed =
      chosen === undefined
        ? undefined
        : await checked(() => retention.preview(caller.advertiserId, monthsIn(chosen)))
    const faults = previewed !== undefined && 'errors' in previewed ? previewed.errors : errors
    const done = Object.entries(texts.done).find(([name]) => name === fields.get('done'))
    const token = html`<input type="hidden" name="form_token" value="${sessions.formToken(reply, path)}">`
    return sendPage(reply, {
      status: faults.length > 0 ? 422 : 200,
      title: texts.title,
      navigation: consoleNavigation(caller, 'retention'),
      body: html`${errorSummary(faults)}${done && notice('good', done[1])}
<p>${texts.lead}</p>
${currentMarkup(current, isUntold, { path, token })}
${previewed !== undefined && 'result' in previewed && previewMarkup(current, previewed.result, { path, token, chosen: chosen ?? '', bounds })}
<form class="card" method="get" action="${path}"><h2>${texts.choose}</h2>
${selectField({
  name: 'months',
  label: texts.label,
  hint: texts.hint(bounds.min, bounds.max),
  value: chosen ?? String(current.choice ?? ''),
  none: texts.standard(bounds.standard),
  choices: choicesIn(bounds, current.choice).map(months => ({
    id: String(months),
    description: inMonths(months),
  })),
  errors: faults,
})}
<p class="actions"><button class="second" type="submit">${texts.preview}</button></p></form>`,
    })
  }

  return [
    adminPage.get(url, call => show(call)),
    adminPage.fresh.post(url, async call => {
      const path = pathOf(call)
      const { advertiserId } = call.caller
      const fields = sessions.checkForm(call, path)
      if (fields.get('action') === 'take-back') {
        const taken = await checked(() => retention.takeBack(advertiserId))
        return 'errors' in taken ? show(call, taken.errors) : redirect(call.reply, `${path}?done=taken-back`)
      }
      const done = await checked(() => retention.choose(advertiserId, monthsIn(fields.get('months') ?? '')))
      if ('errors' in done) return show(call, done.errors)
      return redirect(call.reply, `${path}?done=${done.result.change === null ? 'saved' : 'announced'}`)
    }),
  ]
}

/** Empty: the default. What is no number is out of bounds, too. */
const monthsIn = (text: string) => (text === '' ? null : /^\d{1,3}$/.test(text) ? Number(text) : 0)

interface Form {
  path: string
  token: Html
}

function currentMarkup(current: CompanyPlan, isUntold: boolean, { path, token }: Form): Html {
  const { months, choice, change, plan, timeZone } = current
  return html`<section class="card"><h2>${texts.now}</h2>
<p><strong>${texts.period(months)}</strong>${choice === null && change === null && html` <span class="quiet">${texts.isDefault}</span>`}</p>
${change === null && plan && html`<p>${texts.soon(plan.count, zonedDay(plan.before, timeZone), zonedDay(plan.at, timeZone))} ${texts.onHold(plan.onHold)}</p>`}</section>
${
  change !== null &&
  notice(
    'warning',
    html`<p>${texts.announced(change.months, zonedTime(change.at, timeZone))} ${plan && planMarkup(plan, timeZone)}</p>
${isUntold && html`<p><strong>${texts.untold}</strong></p>`}
${
  current.canTakeBack
    ? html`<form method="post" action="${path}">${token}<button class="second" name="action" value="take-back">${texts.takeBack}</button></form>`
    : html`<p>${texts.byOperator}</p>`
}`,
  )
}`
}

function planMarkup({ count, before, oldestAt, onHold }: Plan, timeZone: string): Html {
  const oldest = oldestAt === null ? undefined : zonedDay(oldestAt, timeZone)
  return html`${texts.announcedPlan(count, zonedDay(before, timeZone), oldest)} ${texts.onHold(onHold)}`
}

function previewMarkup(
  current: CompanyPlan,
  { months, change, plan, timeZone }: CompanyPlan,
  { path, token, chosen, bounds }: Form & { chosen: string; bounds: RetentionBounds },
): Html {
  const wanted = chosenMonths(monthsIn(chosen), bounds)
  const isSame = wanted === (current.change?.months ?? current.months)
  return html`<form class="card" method="post" action="${path}">${token}<input type="hidden" name="months" value="${chosen}">
<h2>${texts.previewTitle(wanted)}</h2>
<p>${isSame ? texts.same : change === null ? texts.atOnce : texts.later(zonedTime(change.at, timeZone))}</p>
${change !== null && plan && !isSame && html`<p>${planMarkup(plan, timeZone)}</p>`}
<p class="actions">${!isSame && html`<button type="submit">${texts.save(change?.months ?? months)}</button>`}<a class="button second" href="${path}">${texts.cancel}</a></p></form>`
}

/** Every month of the first year, then longer steps, and the bounds. */
function choicesIn({ min, max }: RetentionBounds, choice: number | null): number[] {
  const usual = [...Array(12).keys()].map(month => month + 1).concat(18, 24, 30, 36, 48, 60, 84, 120)
  const offered = new Set([...usual, min, max, choice ?? min])
  return [...offered].filter(months => months >= min && months <= max).toSorted((a, b) => a - b)
}
