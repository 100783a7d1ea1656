import { readFileSync, writeFileSync } from 'node:fs'
import { release as system } from 'node:os'
import type { Command } from 'commander'
import packageFile from '../../../package.json' with { type: 'json' }
import type { Services } from '../../app.ts'
import type { Config } from '../../config.ts'
import { reasonOf } from '../../core/reason.ts'
import { findingsIn } from '../commands/doctor.ts'
import { CommandError, type Context, configOf } from '../terminal/context.ts'
import { lineOf } from '../terminal/findings.ts'
import {
  describeLog,
  describeMetrics,
  describeRuns,
  describeSettings,
  secretsIn,
  withoutSecrets,
} from './support-file.ts'

interface Options {
  to?: string
  log?: string
}

const answerMs = 5_000

export function addSupport(program: Command, context: Context): void {
  program
    .command('support')
    .description(
      'Write one file to attach to a support request: release, settings without secrets, findings of the doctor, metrics, schema, counts. It contains no personal data.',
    )
    .option('--to <file>', 'where; - is standard output (default: dossier-support-<time>.txt in this folder)')
    .option('--log <file>', 'a log of the service in JSON: adds its last warnings and errors')
    .action((options: Options) => write(context, options))
}

async function write(context: Context, { to, log }: Options): Promise<void> {
  const now = new Date().toISOString()
  const text = await describe(context, now, log)
  if (to === '-') return context.print(text)
  const path = to ?? `dossier-support-${now.replace(/[:.]/g, '-')}.txt`
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new CommandError(`The file cannot be written (${reasonOf(error)}).`)
  }
  context.print(`Wrote ${path}. Read it before you send it.\n`)
}

async function describe(context: Context, now: string, log: string | undefined): Promise<string> {
  const { environment } = context
  const config = configOf(context)
  const metrics = await metricsOf(config)
  const sections: Record<string, readonly string[]> = {
    release: [
      `Dossier ${packageFile.version}, Node ${process.version}, ${process.platform} ${system()}`,
      now,
    ],
    settings: describeSettings(environment),
    ...(await openedSections(context, config)),
    'last success of tasks in this process of the service': describeRuns(metrics),
    ...(log === undefined ? {} : { log: describeLog(readLog(log)) }),
    metrics,
  }
  const text = Object.entries(sections).map(
    ([title, lines]) => `== ${title}\n${(lines.length > 0 ? lines : ['none']).join('\n')}\n`,
  )
  return withoutSecrets(text.join('\n'), secretsIn(environment))
}

/** What needs the database. A database that cannot be opened is a finding. */
async function openedSections(context: Context, config: Config) {
  const doctor: string[] = []
  let more: Record<string, string[]> = {}
  await findingsIn(
    context,
    config,
    { isDeep: false },
    {
      onFinding: finding => void doctor.push(lineOf(finding)),
      async onOpened(services) {
        more = await stateOf(services).catch(error => ({ state: [`cannot be read (${reasonOf(error)})`] }))
      },
    },
  )
  return { doctor, ...more }
}

async function stateOf({ schema, rowCounts, deliveries, webhookFigures }: Services) {
  const marks = (await schema.applied()).map(
    ({ name, kind, oldest }) => `${name} ${kind ?? 'unmarked'} ${oldest ?? ''}`,
  )
  const { nodes } = await schema.plan()
  const counted = async (what: Promise<object>) =>
    Object.entries(await what).map(([name, count]) => `${name} ${count ?? 'none'}`)
  return {
    migrations: marks,
    'running processes': nodes.map(({ id, release }) => `${id} ${release}`),
    rows: await counted(rowCounts()),
    emails: await counted(deliveries.counts()),
    webhooks: await counted(webhookFigures().then(({ endpoints }) => endpoints)),
  }
}

/** Of the service on this machine; a reason if there is none. */
async function metricsOf({ ADMIN_HOST, ADMIN_PORT }: Config): Promise<string[]> {
  const host = ADMIN_HOST.replace('0.0.0.0', '127.0.0.1').replace(/^::$/, '::1')
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${ADMIN_PORT}/metrics`
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(answerMs) })
    return describeMetrics(await response.text())
  } catch (error) {
    return [`no answer on ADMIN_PORT (${reasonOf(error)})`]
  }
}

function readLog(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandError(`The log cannot be read (${reasonOf(error)}).`)
  }
}
