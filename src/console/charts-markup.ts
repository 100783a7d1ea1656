import type { DayOfUsage } from '../companies/usage-service.ts'
import { dateText, dayText, numberText } from '../platform/core/locale.ts'
import { barChart, figuresOf } from '../platform/web/chart.ts'
import type { Html } from '../platform/web/html.ts'

export const fullDateText = (day: string) => dayText(day, 'full')

const countOf = (count: number, one: string, several: string) => (count === 1 ? one : several)
const applicationsText = (count: number) =>
  countOf(count, '1 application', `${numberText(count)} applications`)
const callsText = (count: number) => countOf(count, '1 API call', `${numberText(count)} API calls`)

const barsOf = <Day extends { day: string }>(days: readonly Day[], countIn: (day: Day) => number) =>
  days.map(day => ({
    label: dateText(Date.parse(day.day), { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    value: countIn(day),
  }))

/** Applications per day. `titleOf` gets their number. */
export function applicationsChart(
  days: readonly DayOfUsage[],
  titleOf: (applications: string) => string = applications => applications,
): Html {
  const bars = barsOf(days, ({ applications }) => applications)
  const { total, highest } = figuresOf(bars)
  return barChart({
    title: titleOf(applicationsText(total)),
    summary: `Bar chart of applications per day: ${applicationsText(total)} in total, peaking at ${numberText(highest.value)} on ${highest.label}.`,
    whenEmpty: 'No applications in this period.',
    bars,
  })
}

/** API calls per day. */
export function callsChart(
  days: readonly { day: string; calls: number }[],
  whenEmpty = 'No API calls in this period.',
): Html {
  const bars = barsOf(days, ({ calls }) => calls)
  const { total, highest } = figuresOf(bars)
  const inTotal = countOf(total, '1 call', `${numberText(total)} calls`)
  return barChart({
    title: callsText(total),
    summary: `Bar chart of API calls per day: ${inTotal} in total, peaking at ${numberText(highest.value)} on ${highest.label}.`,
    whenEmpty,
    bars,
  })
}
