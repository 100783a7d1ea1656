import { settings } from '../../config.ts'
import { limits } from '../../limits.ts'
import { redact } from '../../logging.ts'

/** What a support file is made of. It goes to strangers: no secret, and nothing of a person. */

type Environment = Readonly<Record<string, string | undefined>>

/** Every setting that is not its default. Those that may contain a secret only say that they are set. */
export function describeSettings(environment: Environment): string[] {
  const named = Object.entries(settings).map(([name, setting]) => ({ name, isSecret: 'isSecret' in setting }))
  const ofLimits = Object.values(limits).flatMap(limit =>
    'setting' in limit ? [{ name: limit.setting, isSecret: false }] : [],
  )
  return [...named, ...ofLimits].flatMap(({ name, isSecret }) => {
    const value = environment[name]?.trim()
    if (isSecret && environment[`${name}_FILE`]) return [`${name} is set by a file`]
    return value ? [isSecret ? `${name} is set` : `${name}: ${value}`] : []
  })
}

/** Values that must not appear anywhere, whatever a message repeats, such as `SMTP_URL` and the password in it. */
export function secretsIn(environment: Environment): string[] {
  const names = Object.entries(settings).flatMap(([name, setting]) => ('isSecret' in setting ? [name] : []))
  const own = names.flatMap(name => environment[name]?.trim() ?? [])
  // Of the AWS SDK and of others that may share the environment.
  const others = Object.entries(environment).flatMap(([name, value]) =>
    /SECRET|PASSWORD|TOKEN|_KEY$/i.test(name) ? (value ?? []) : [],
  )
  const passwords = own.flatMap(value => {
    const { password = '' } = URL.canParse(value) ? new URL(value) : {}
    return [password, decodeURIComponent(password)]
  })
  // A short one would also be a part of harmless words.
  return [...own, ...passwords, ...others].filter(secret => secret.length >= 4)
}

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return redact(secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text))
}

const mostLines = 200
/** Of a line of the log; the others may have IDs, addresses or texts from elsewhere. */
const keptFields = ['time', 'level', 'msg', 'task', 'check', 'method', 'route', 'status', 'ms', 'seconds']

/** The last warnings and errors of a log in JSON, without what is particular to a request. */
export function describeLog(text: string): string[] {
  const found = text.split('\n').flatMap(line => {
    try {
      const { err, ...fields } = JSON.parse(line)
      if (!['warn', 'error', 'fatal'].includes(fields.level)) return []
      const kept = keptFields.flatMap(name => (name in fields ? [`${fields[name]}`] : []))
      return [[...kept, ...(err?.code ? [`(${err.code})`] : [])].join(' ')]
    } catch {
      // Printed by another program, or written for people (LOG_FORMAT=text).
      return []
    }
  })
  return found.length === 0 ? ['no warnings and errors in JSON'] : found.slice(-mostLines)
}

/** The figures of `/metrics` without explanations and distributions. */
export const describeMetrics = (text: string) =>
  text.split('\n').filter(line => line !== '' && !line.startsWith('#') && !/_bucket\{/.test(line))

/** When each background task last ended well in the process that was asked. */
export const describeRuns = (metrics: readonly string[]) =>
  metrics.flatMap(line => {
    const [, task, seconds] = /^dossier_work_last_success_\w+\{task="([^"]+)"\} (\S+)$/.exec(line) ?? []
    return task === undefined ? [] : [`${task} ${new Date(Number(seconds) * 1000).toISOString()}`]
  })
