import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { readClamdAddress } from './core/addresses/clamd-address.ts'
import { isLoopbackHost } from './core/addresses/loopback.ts'
import { readS3Address, readS3Encryption } from './core/addresses/s3-address.ts'
import { readTimeZone } from './core/time-zone.ts'
import { defaultLimits, type LimitName, type Limits, limits } from './limits.ts'

/** A wrong setting stops the start; the message is the one line that the operator sees. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
  readonly setting: string
  constructor(setting: string, expected: string) {
    // The value itself is not repeated: some settings hold passwords.
    super(`${setting}: ${expected}`)
    this.setting = setting
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

interface Setting<T> {
  meaning: string
  /** How the default reads in the settings reference. */
  default: string
  /** Gets undefined when the variable is not set or empty; throws a plain Error that says what is expected. */
  read(text: string | undefined): T
}

const port = (fallback: number) => (text: string | undefined) => {
  if (text === undefined) return fallback
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 65_535)) throw new Error('must be a port number from 0 to 65535 (0: any free port)')
  return value
}

const oneOf =
  <T extends string>(values: readonly T[], fallback: T) =>
  (text: string | undefined): T => {
    if (text === undefined) return fallback
    const value = values.find(candidate => candidate === text)
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  }

function origin(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlainOrigin =
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.href === `${url.origin}/` &&
    !/[?#]/.test(text)
  if (!isPlainOrigin) {
    throw new Error('must be an origin without a path, such as https://jobs.example.com')
  }
  return url.origin
}

function addressList(text: string | undefined): string[] {
  if (text === undefined) return []
  return text.split(',').map(part => {
    const [address = '', prefix, ...rest] = part.trim().split('/')
    const bits = isIP(address) === 4 ? 32 : 128
    const prefixFits = prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
    if (isIP(address) === 0 || !prefixFits || rest.length > 0) {
      throw new Error('must be addresses or networks separated by commas, such as 10.0.0.0/8, 127.0.0.1')
    }
    return part.trim()
  })
}

function urlOf(protocols: readonly string[], example: string) {
  return (text: string | undefined): string | undefined => {
    if (text === undefined) return undefined
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
      throw new Error(`must be a URL such as ${example}`)
    }
    return text
  }
}

function clamdUrl(text: string | undefined): string | undefined {
  if (text === undefined || readClamdAddress(text) !== undefined) return text
  throw new Error('must be a URL such as unix:///run/clamav/clamd.ctl or tcp://127.0.0.1:3310')
}

export const settings = {
  PORT: { meaning: 'Port of the public interface.', default: '8080', read: port(8080) },
  HOST: {
    meaning: 'Address to listen on. `localhost` listens on 127.0.0.1 and, where there is one, ::1.',
    default: 'localhost',
    read: text => text ?? 'localhost',
  },
  ADMIN_PORT: { meaning: 'Port of `/metrics`.', default: '8081', read: port(8081) },
  ADMIN_HOST: {
    meaning: 'Address that `/metrics` listens on. It has no authentication: keep it off the internet.',
    default: '127.0.0.1',
    read: text => text ?? '127.0.0.1',
  },
  DATA_DIR: {
    meaning: 'Folder of the SQLite database and of the files; with BLOBS_URL, of large uploads under way.',
    default: '`data` in the current folder',
    read: text => resolve(text ?? 'data'),
  },
  DATABASE_URL: {
    meaning: 'PostgreSQL to use instead of SQLite, such as `postgres://user:password@host/dossier`.',
    default: 'not set: SQLite in DATA_DIR',
    read: urlOf(['postgres:', 'postgresql:'], 'postgres://user:password@host/dossier'),
  },
  DATABASE_REPLICA_URL: {
    meaning:
      'A streaming replica of the PostgreSQL in DATABASE_URL. It answers lists and downloads of version 1 whenever it is as new as the caller may expect.',
    default: 'not set: DATABASE_URL answers everything',
    read: urlOf(['postgres:', 'postgresql:'], 'postgres://user:password@standby/dossier'),
  },
  DATABASE_PREPARED: {
    meaning:
      'Are statements prepared once for each PostgreSQL connection? `off` is for a pooler that gives each transaction another session, such as pgbouncer in transaction mode.',
    default: 'on',
    read: text => oneOf(['on', 'off'], 'on')(text) === 'on',
  },
  BLOBS_URL: {
    meaning:
      'S3-compatible store of the files, such as `s3://bucket/prefix?region=eu-central-1` or `s3://bucket?endpoint=https://s3.example.com`. With an endpoint, the bucket stands in the path unless `path-style=false`. The credentials are those that the AWS SDK finds.',
    default: 'not set: files in DATA_DIR',
    read: text => (text === undefined ? undefined : readS3Address(text)),
  },
  BLOBS_ENCRYPTION: {
    meaning:
      'Encryption that the S3 store is asked for: `AES256`, `aws:kms` or `aws:kms:<key>`; `none` leaves it to the bucket.',
    default: 'none',
    read: text => readS3Encryption(text ?? 'none'),
  },
  DOWNLOADS: {
    meaning:
      'How files go to callers of the API: `through` this process; with BLOBS_URL as a `redirect` to a signed address; from the folder handed over to `nginx`. See [scaling](../operating/scaling.md#downloads).',
    default: 'through',
    read: oneOf(['through', 'redirect', 'nginx'], 'through'),
  },
  BASE_URL: {
    meaning: 'Origin under which clients reach the API; it stands in links.',
    default: '`http://localhost:<PORT>`',
    read: origin,
  },
  AUTH_URL: {
    meaning: 'Origin of the authorization server.',
    default: 'the same as BASE_URL',
    read: origin,
  },
  TRUSTED_PROXIES: {
    meaning: 'Addresses and networks whose X-Forwarded-For is believed, separated by commas.',
    default: "not set: nobody's",
    read: addressList,
  },
  CLAMD_URL: {
    meaning:
      'The clamd that judges files, such as `unix:///run/clamav/clamd.ctl` or `tcp://127.0.0.1:3310`. While it is set, UNSCANNED decides about files that are not judged yet.',
    default: 'not set: no scanner, unjudged files are delivered with HasVirus null',
    read: clamdUrl,
  },
  UNSCANNED: {
    meaning:
      'With a scanner: `hold` answers 503 for files that are not judged yet, `deliver` hands them out with HasVirus null.',
    default: 'hold',
    read: oneOf(['hold', 'deliver'], 'hold'),
  },
  TIME_ZONE: {
    meaning:
      'Time zone of the days and times in the console, such as `Europe/London`. Each advertiser can choose another.',
    default: 'Australia/Brisbane',
    read: text => {
      const timeZone = readTimeZone(text ?? 'Australia/Brisbane')
      if (timeZone === undefined) throw new Error('must be the name of a time zone, such as Europe/London')
      return timeZone
    },
  },
  CONSENT_PRETICKED: {
    meaning:
      'Do the boxes of the consent page start ticked? `false` starts them clear, as European law wants it.',
    default: 'true',
    read: text => oneOf(['true', 'false'], 'true')(text) === 'true',
  },
  SMTP_URL: {
    meaning:
      'Mail server for confirmations and password resets, such as `smtps://user:password@mail.example.com`.',
    default: 'not set: candidates can neither sign up nor reset a password',
    read: urlOf(['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com'),
  },
  MAIL_FROM: {
    meaning: 'Sender of the mails, such as `Jobs <no-reply@example.com>`.',
    default: '`no-reply@` and the host of AUTH_URL',
    read: text => text,
  },
  RETENTION_DAYS: {
    meaning:
      'Days after which applications of a candidate who has deleted the account are erased: name, addresses, answers and files go, ID and date stay. `0` erases at once.',
    default: '30',
    read: text => {
      if (text === undefined) return 30
      const days = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
      if (!(days <= 3650)) throw new Error('must be a whole number of days from 0 (at once) to 3650')
      return days
    },
  },
  SHUTDOWN_DELAY_SECONDS: {
    meaning:
      'After SIGTERM or SIGINT: how long to go on as before, but for `/health/ready`, which answers 503 at once. A balancer that asks it needs two or three of its intervals to notice.',
    default: '0',
    read: text => {
      const seconds = text === undefined ? 0 : /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
      if (!(seconds <= 600)) throw new Error('must be a whole number of seconds from 0 to 600')
      return seconds
    },
  },
  WORK: {
    meaning:
      'Where the background work (scanning again, expiry, clean-up, erasure) runs: `in-process` with `serve`, or `elsewhere`, which is `dossier work`.',
    default: 'in-process',
    read: oneOf(['in-process', 'elsewhere'], 'in-process'),
  },
  LOG_LEVEL: {
    meaning: 'Least level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
    default: 'info',
    read: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  },
  LOG_FORMAT: {
    meaning: '`json` for programs, `text` for people.',
    default: '`json`; with --demo `text`',
    read: text => (text === undefined ? undefined : oneOf(['json', 'text'], 'json')(text)),
  },
} as const satisfies Record<string, Setting<unknown>>

type SettingName = keyof typeof settings
type Values = { readonly [N in SettingName]: ReturnType<(typeof settings)[N]['read']> }

export interface Config extends Values {
  readonly limits: Limits
}

export function readConfig(environment: Environment): Config {
  const textOf = (name: string): string | undefined => environment[name]?.trim() || undefined
  const values = Object.entries(settings).map(([name, setting]) => {
    try {
      return [name, setting.read(textOf(name))]
    } catch (error) {
      throw new SettingError(name, (error as Error).message)
    }
  })
  return { ...(Object.fromEntries(values) as Values), limits: readLimits(textOf) }
}

function readLimits(textOf: (name: string) => string | undefined): Limits {
  const result = { ...defaultLimits }
  for (const [name, limit] of Object.entries(limits)) {
    const setting = 'setting' in limit ? limit.setting : undefined
    const text = setting === undefined ? undefined : textOf(setting)
    if (setting === undefined || text === undefined) continue
    const least = 'least' in limit ? limit.least : 1
    const most = 'most' in limit ? limit.most : 999_999_999
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (value < least || value > most)
      throw new SettingError(setting, `must be a whole number from ${least} to ${most}`)
    result[name as LimitName] = value
  }
  return result
}

export function assertLoopbackOnly(config: Config): void {
  const hosts: [string, string][] = [['HOST', config.HOST]]
  if (config.BASE_URL !== undefined) hosts.push(['BASE_URL', new URL(config.BASE_URL).hostname])
  if (config.AUTH_URL !== undefined) hosts.push(['AUTH_URL', new URL(config.AUTH_URL).hostname])
  for (const [name, host] of hosts) {
    if (!isLoopbackHost(host)) {
      throw new SettingError(
        name,
        'must be a loopback address with --demo, because the demo has published credentials',
      )
    }
  }
}
