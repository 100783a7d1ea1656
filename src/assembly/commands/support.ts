import { readFileSync, writeFileSync } from 'node:fs'
import { release as system } from 'node:os'
import packageFile from '../../../package.json' with { type: 'json' }
import { redact } from '../../logging.ts'
import { option } from '../../platform/cli/arguments.ts'
import { CommandError } from '../../platform/cli/command-error.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { type Config, settings } from '../../settings.ts'
import { limits } from '../../settings-limits.ts'
import type { App } from '../app.ts'
import { lineOf } from '../process/check-results.ts'
import { type Context, configOf } from '../process/context.ts'
import { plainCommand } from './command.ts'
import { findingsIn } from './doctor.ts'

/** The parts of a support file. It leaves the organisation, so it must not contain secrets or personal data. */

type Environment = Readonly<Record<string, string | undefined>>

/** All settings that differ from their default. Settings that may contain a secret are only listed as set. */
function describeSettings(environment: Environment): string[] {
  const named = Object.entries(settings).map(([name, setting]) => ({ name, isSecret: 'isSecret' in setting }))
  const ofLimits = Object.values(limits).map(({ setting }) => ({ name: setting, isSecret: false }))
  return [...named, ...ofLimits].flatMap(({ name, isSecret }) => {
    const value = environment[name]?.trim()
    if (isSecret && environment[`${name}_FILE`]) return [`${name} is set by a file`]
    return value ? [isSecret ? `${name} is set` : `${name}: ${value}`] : []
  })
}

/**
 * Secret values, which must not appear anywhere, whatever a message repeats, such as `SMTP_URL` and the password in it.
 */
function secretsIn(environment: Environment): string[] {
  const names = Object.entries(settings).flatMap(([name, setting]) => ('isSecret' in setting ? [name] : []))
  const own = names.flatMap(name => environment[name]?.trim() ?? [])
  // Variables of the AWS SDK, and of other programs that may share the environment.
  const others = Object.entries(environment).flatMap(([name, value]) =>
    /SECRET|PASSWORD|TOKEN|_KEY$/i.test(name) ? (value ?? []) : [],
  )
  const passwords = own.flatMap(value => {
    const { password = '' } = URL.canParse(value) ? new URL(value) : {}
    return [password, decodeURIComponent(password)]
  })
  // A shorter one would also match parts of harmless words.
  return [...own, ...passwords, ...others].filter(secret => secret.length >= 4)
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return redact(secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text))
}

const maxLines = 200
/** Fields of a log line to include; the others may contain IDs, addresses or foreign text. */
const keptFields = ['time', 'level', 'msg', 'task', 'check', 'method', 'route', 'status', 'ms', 'seconds']

/** The last warnings and errors of a JSON log, without the details of any request. */
function describeLog(text: string): string[] {
  const found = text.split('\n').flatMap(line => {
    try {
      const { err, ...fields } = JSON.parse(line)
      if (!['warn', 'error', 'fatal'].includes(fields.level)) return []
      const kept = keptFields.flatMap(name => (name in fields ? [`${fields[name]}`] : []))
      return [[...kept, ...(err?.code ? [`(${err.code})`] : [])].join(' ')]
    } catch {
      // The line was printed by another program, or written for people (LOG_FORMAT=text).
      return []
    }
  })
  return found.length === 0 ? ['no warnings and errors in JSON'] : found.slice(-maxLines)
}

/** The figures of `/metrics` without help texts and distributions. */
const describeMetrics = (text: string) =>
  text.split('\n').filter(line => line !== '' && !line.startsWith('#') && !/_bucket\{/.test(line))

/** When each background task last succeeded in the process that was queried. */
const describeRuns = (metrics: readonly string[]) =>
  metrics.flatMap(line => {
    const [, task, seconds] = /^dossier_work_last_success_\w+\{task="([^"]+)"\} (\S+)$/.exec(line) ?? []
    return task === undefined ? [] : [`${task} ${new Date(Number(seconds) * 1000).toISOString()}`]
  })

const answerMs = 5_000

export const support = plainCommand({
  about:
    'Write one file to attach to a support request: release, settings without secrets, findings of the doctor, metrics, schema, counts. It contains no personal data.',
  options: {
    to: option('<file>', 'where; - is standard output (default: dossier-support-<time>.txt in this folder)'),
    log: option('<file>', 'a log of the service in JSON: adds its last warnings and errors'),
  },
  async run(context, { to, log }) {
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
  },
})

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

/** The sections that need the database. A database that cannot be opened is a result. */
async function openedSections(context: Context, config: Config) {
  const doctor: string[] = []
  let more: Record<string, string[]> = {}
  await findingsIn(
    context,
    config,
    { isDeep: false },
    {
      onResult: result => void doctor.push(lineOf(result)),
      async onOpened(app) {
        more = await stateOf(app).catch(error => ({ state: [`cannot be read (${reasonOf(error)})`] }))
      },
    },
  )
  return { doctor, ...more }
}

async function stateOf({ platform, mail, webhooks }: App) {
  const marks = (await platform.schema.applied()).map(
    ({ name, kind, oldest }) => `${name} ${kind ?? 'unmarked'} ${oldest ?? ''}`,
  )
  const { nodes } = await platform.schema.plan()
  const counted = async (what: Promise<object>) =>
    Object.entries(await what).map(([name, count]) => `${name} ${count ?? 'none'}`)
  return {
    migrations: marks,
    'running processes': nodes.map(({ id, release }) => `${id} ${release}`),
    rows: await counted(platform.rowCounts()),
    emails: await counted(mail.deliveries.counts()),
    webhooks: await counted(webhooks.webhookFigures().then(({ endpoints }) => endpoints)),
  }
}

/** The metrics of the service on this machine, or the reason why they are missing. */
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
