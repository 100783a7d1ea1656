import type { RouteOptions } from 'fastify'
import type { CompanyPlan, Plan, Retention } from '../../collect/retention/service.ts'
import { chosenMonths, maxKeepMonths, type RetentionBounds } from '../../model/retention.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { linkButton, notice } from '../../platform/web/components.ts'
import { choice, type Forms } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { zonedDay, zonedTime } from '../../platform/web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

/**
 * The page where an admin chooses how long the company keeps applications. It shows which would be erased before
 * anything changes.
 */
export function retentionPages(deps: {
  retention: Pick<Retention, 'bounds' | 'of' | 'untold' | 'preview' | 'choose' | 'takeBack'>
  advertisers: { setKeepMonths(advertiserId: number, months: number | null): Promise<unknown> }
  sessions: Sessions
}): RouteOptions[] {
  const { retention } = deps
  const { bounds } = retention
  const tab = consoleTab(deps.sessions, 'retention', { view: 'admin', proof: 'fresh' })

  return tab('/console/:advertiserId/retention', {
    async show({ caller: { advertiserId }, query, state, form, button }) {
      const path = consolePath(advertiserId, 'retention')
      const current = await retention.of(advertiserId)
      const isUntold = current.change !== null && (await retention.untold(advertiserId)).length > 0
      const chosen = state.errors.length > 0 ? undefined : query.get('months')
      const preview =
        chosen === undefined ? undefined : await retention.preview(advertiserId, monthsIn(chosen))
      return {
        title: 'Retention period',
        body: html`<p>Choose how long your company keeps applications, counted from the day they were sent. After that, names, contact details, answers, notes and files are erased. Candidates see the period before they apply.</p>
${currentMarkup(current, isUntold, path, button)}
${preview && previewForm(current, preview, { path, chosen: chosen ?? '', bounds }, form)}
<form class="card" method="get" action="${path}"><h2>Another period</h2>
${choice({
  name: 'months',
  label: 'Keep applications for',
  hint: `From ${inMonths(bounds.min)} to ${inMonths(bounds.max)}.`,
  value: chosen ?? String(current.choice ?? ''),
  none: bounds.standard === null ? 'Default: no end date' : `Default: ${inMonths(bounds.standard)}`,
  choices: choicesIn(bounds, current.choice).map(months => ({
    id: String(months),
    description: inMonths(months),
  })),
})(state)}
<p class="actions"><button class="second" type="submit">Show what would change</button></p></form>
${form({
  action: `${path}/keep`,
  title: 'Keeping for other jobs',
  text: 'The application form can ask candidates whether your company may keep their application for other jobs, until the end of a month. It is kept until then, even if your period is shorter, unless they change their mind. What they have allowed stays if you change this.',
  fields: [
    choice({
      name: 'keepMonths',
      label: 'Ask to keep applications for',
      value: String(current.keepMonths ?? ''),
      none: 'Don’t ask',
      choices: [...Array(maxKeepMonths).keys()].map(index => ({
        id: String(index + 1),
        description: inMonths(index + 1),
      })),
    }),
  ],
  label: 'Save',
})}`,
      }
    },
    acts: {
      '': {
        async run({ caller: { advertiserId }, value }) {
          if (value('action') === 'take-back') {
            await retention.takeBack(advertiserId)
            return 'taken-back'
          }
          const { change } = await retention.choose(advertiserId, monthsIn(value('months')))
          return change === null ? 'saved' : 'announced'
        },
      },
      keep: {
        async run({ caller: { advertiserId }, value }) {
          await deps.advertisers.setKeepMonths(advertiserId, monthsIn(value('keepMonths')))
          return 'keep-saved'
        },
      },
    },
    done: {
      'keep-saved': 'Saved. The application form follows at once.',
      saved: 'The new period is in force.',
      announced: 'The new period has been announced to all admins.',
      'taken-back': 'The change has been taken back.',
    },
  })
}

/** Empty: the default. Input that is not a number is out of bounds. */
const monthsIn = (text: string) => (text === '' ? null : /^\d{1,3}$/.test(text) ? Number(text) : 0)

const inMonths = (count: number) => (count === 1 ? '1 month' : `${count} months`)
const applications = (count: number) => (count === 1 ? '1 application' : `${count} applications`)

function currentMarkup(
  { months, choice: chosen, change, plan, timeZone, canTakeBack }: CompanyPlan,
  isUntold: boolean,
  path: string,
  button: Forms['button'],
): Html {
  const isDefault = chosen === null && change === null
  return html`<section class="card"><h2>Current period</h2>
<p><strong>${months === null ? 'No end date' : inMonths(months)}</strong>${isDefault && html` <span class="quiet">Default of this job board</span>`}</p>
${change === null && plan && html`<p>${soonText(plan, timeZone)} ${onHoldText(plan)}</p>`}</section>
${
  change !== null &&
  notice(
    'warning',
    html`<p>From ${zonedTime(change.at, timeZone)}, your company keeps applications for ${inMonths(change.months)}. ${plan && planText(plan, timeZone)}</p>
${isUntold && html`<p><strong>We couldn’t tell any admin of your company by email, because their addresses reject our emails. Correct an address under Account, and tell the others.</strong></p>`}
${
  canTakeBack
    ? button({ action: path, fields: { action: 'take-back' }, label: 'Take the change back' })
    : html`<p>The operator of this job board has set this period, so it can’t be taken back here.</p>`
}`,
  )
}`
}

function soonText({ count, before, at }: Plan, timeZone: string): Html {
  const end = zonedDay(at, timeZone)
  return count === 0
    ? html`No applications will be erased before ${end}.`
    : html`${applications(count)} sent before ${zonedDay(before, timeZone)} will be erased before ${end}.`
}

function onHoldText({ onHold }: Plan): string {
  if (onHold === 0) return ''
  return onHold === 1
    ? '1 application on hold stays until you release it.'
    : `${onHold} applications on hold stay until you release them.`
}

function planText(plan: Plan, timeZone: string): Html {
  const { count, before, oldestAt } = plan
  const erased =
    count === 0
      ? 'No applications are that old.'
      : oldestAt === null
        ? html`${applications(count)} sent before ${zonedDay(before, timeZone)} will be erased then.`
        : html`${applications(count)} sent before ${zonedDay(before, timeZone)} will be erased then, the oldest from ${zonedDay(oldestAt, timeZone)}.`
  return html`${erased} ${onHoldText(plan)}`
}

function previewForm(
  current: CompanyPlan,
  { months, change, plan, timeZone }: CompanyPlan,
  { path, chosen, bounds }: { path: string; chosen: string; bounds: RetentionBounds },
  form: Forms['form'],
): Html {
  const wanted = chosenMonths(monthsIn(chosen), bounds)
  const kept = change?.months ?? months
  const title =
    wanted === null
      ? 'If you keep applications without an end date'
      : `If you keep applications for ${inMonths(wanted)}`
  if (wanted === (current.change?.months ?? current.months))
    return html`<section class="card"><h2>${title}</h2>
<p>This is the period you have now.</p>
<div class="actions">${linkButton(path, 'Cancel')}</div></section>`
  return form({
    action: path,
    lead: html`<h2>${title}</h2>`,
    hidden: { months: chosen },
    text:
      change === null
        ? 'This takes effect at once. It erases nothing earlier than before.'
        : html`This takes effect on ${zonedTime(change.at, timeZone)}. All admins get an email, and you can take it back until then.`,
    fields: change !== null && plan ? [() => html`<p>${planText(plan, timeZone)}</p>`] : [],
    label:
      kept === null ? 'Keep applications without an end date' : `Keep applications for ${inMonths(kept)}`,
    beside: linkButton(path, 'Cancel'),
  })
}

/** Every month of the first year, then longer steps, and the bounds. */
function choicesIn({ min, max }: RetentionBounds, chosen: number | null): number[] {
  const usual = [...Array(12).keys()].map(month => month + 1).concat(18, 24, 30, 36, 48, 60, 84, 120)
  const offered = new Set([...usual, min, max, chosen ?? min])
  return [...offered].filter(months => months >= min && months <= max).toSorted((a, b) => a - b)
}
