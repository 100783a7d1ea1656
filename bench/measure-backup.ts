import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bench } from './bench.ts'
import { openForBench } from './bench-services.ts'
import { drawnFrom } from './load.ts'
import { askAtRate, latenciesOf, type Window } from './open-loop.ts'
import { cpuSeconds, residentMib } from './process-figures.ts'
import { around, randomPages, type Subject, sizeText, usualPage } from './subject.ts'

const perSecond = 100
const mostSeconds = 300
const mostSlowdown = 1.5
const mostGrowthMib = 100
const lookMs = 50
/** The copying process loads its code in a third of a second. */
const loadedMs = 1_000

const program = fileURLToPath(new URL('../bin/dossier', import.meta.url))

/** A backup of everything while pages are read at a fixed rate: how long it takes, what readers notice, its memory. */
export async function measureBackup(
  { report, folder, pace }: Bench,
  subjects: readonly Subject[],
): Promise<void> {
  for (const subject of subjects) {
    const { label, world, service, settings } = subject
    const { length } = await usualPage(subject, world.large, 'json')
    const target = drawnFrom(service.port, randomPages(world.large, 'json'), around(length))
    // First, because it writes more than a board does in a day: reads afterwards find other pages in memory.
    await forgetMadeFiles(settings)
    report.say(`reads without a backup on ${label}`)
    await askAtRate(target, perSecond, pace.tailMs)
    const alone = latenciesOf([await askAtRate(target, perSecond, 15 * pace.tailMs)])
    report.say(`backup on ${label}`)
    const to = join(folder, `backup-${label}`)
    const backup = runBackup(to, settings)
    const windows: Window[] = []
    const reading = (async () => {
      while (!backup.isOver()) windows.push(await askAtRate(target, perSecond, 5 * pace.tailMs))
    })()
    const { endedAt, seconds, cpu, growthMib } = await backup.ended
    await reading
    const meanwhile = windows.map(window => ({
      ...window,
      answers: window.answers.filter(({ plannedAt, ms }) => plannedAt + ms < endedAt),
    }))
    const name = `backup of ${sizeText(world.huge)} applications and others, ${label}`
    report.add({ name, value: seconds, unit: 's', target: mostSeconds, direction: 'max' })
    report.add({ name: `${name}: CPU time`, value: cpu, unit: 's', direction: 'max' })
    // Of all reads from its begin to its end: the worst of many periods would be compared with a single one without it.
    const { p99 } = latenciesOf(meanwhile)
    report.add({
      name: `${name}: p99 of pages meanwhile`,
      value: p99,
      unit: 'ms',
      floor: alone.p99,
      ratio: p99 / alone.p99,
      target: mostSlowdown,
      direction: 'max',
    })
    report.add({
      name: `${name}: p99 in its worst ten seconds`,
      value: Math.max(...windows.map(window => latenciesOf([window]).p99)),
      unit: 'ms',
      direction: 'max',
    })
    report.add({
      name: `${name}: memory`,
      value: growthMib,
      unit: 'MiB',
      target: mostGrowthMib,
      direction: 'max',
    })
    await rm(to, { recursive: true, force: true })
  }
}

/** Rows of the fill name files that were never stored, except for one. */
async function forgetMadeFiles(settings: Record<string, string>): Promise<void> {
  await using services = await openForBench(settings)
  for (const type of ['resume', 'coverLetter', 'selectionCriteria'])
    await services.database.writer
      .updateTable('application_files')
      .set({ blob: null })
      .where('blob', 'like', `%-${type}`)
      .execute()
}

/** The memory is that of the command and of the process that copies, above what both have once their code is loaded. */
function runBackup(to: string, settings: Record<string, string>) {
  const begun = performance.now()
  const child = spawn(process.execPath, [program, 'backup', '--to', to], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let copyingSince: number | undefined
  let before = 0
  let [most, cpu] = [0, 0]
  let isOver = false
  const timer = setInterval(() => {
    cpu = Math.max(cpu, cpuSeconds(child.pid as number) ?? 0)
    const found = memoryOf(child.pid as number)
    if (found === undefined) return
    copyingSince ??= performance.now()
    if (performance.now() - copyingSince < loadedMs) before = Math.max(before, found)
    most = Math.max(most, found)
  }, lookMs)
  const ended = once(child, 'exit').then(([code]) => {
    isOver = true
    clearInterval(timer)
    if (code !== 0) throw new Error(`the backup ended with ${code}`)
    const endedAt = performance.now()
    return { endedAt, seconds: (endedAt - begun) / 1000, cpu, growthMib: most - before }
  })
  return { ended, isOver: () => isOver }
}

/** Undefined before the copy begins. */
function memoryOf(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return children.length === 0
      ? undefined
      : [pid, ...children.map(Number)].reduce((sum, each) => sum + residentMib(each), 0)
  } catch {
    // A process has just ended.
    return undefined
  }
}
