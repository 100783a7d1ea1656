import type { Bench } from './bench.ts'
import { addAgainstFloor, measure } from './comparison.ts'
import { around, asksFor, randomPages, type Subject, usualPage } from './subject.ts'

/** The single process is warm; these are new, and each gets half of the requests. */
const warmUpTimes = 12

/** Two processes on one port against one. On two cores, the database and the client share the cores with them. */
export async function measureWorkers({ report, pace, start }: Bench, subject: Subject): Promise<void> {
  const { large } = subject.world
  const two = await start(subject.settings, ['--workers', '2'])
  const { length } = await usualPage({ ...subject, service: two }, large, 'json')
  const pages = randomPages(large, 'json')
  const [one = [], both = []] = await measure(
    report,
    [
      asksFor(subject, 'random pages, one worker', pages, around(length)),
      asksFor(subject, 'random pages, two workers', pages, around(length), two),
    ],
    { ...pace.brief, firstMs: pace.brief.firstMs * warmUpTimes },
  )
  const name = `page of 100, JSON, two workers against one, ${subject.label}`
  addAgainstFloor(report, name, both, one, undefined)
  await two.stop()
}
