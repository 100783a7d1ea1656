import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readWebhookKeys } from './events/webhooks/signing-rules.ts'
import { readAdRules } from './model/ad-rules.ts'
import { isCountryCode } from './model/reference-lists.ts'
import type { RetentionBounds } from './model/retention.ts'
import type { ProviderKey, ProviderSettings } from './people/identities/records.ts'
import { isLoopbackHost } from './platform/core/addresses/loopback.ts'
import { readAllowedHosts } from './platform/core/addresses/public-addresses.ts'
import { readS3Address, readS3Encryption, type S3Address } from './platform/core/addresses/s3-address.ts'
import { accentsOf } from './platform/core/brand/colour.ts'
import { checkLogo } from './platform/core/brand/logo.ts'
import {
  addressList,
  boardName,
  clamdUrl,
  contact,
  days,
  issuerOf,
  listOf,
  months,
  oneOf,
  origin,
  pageUrl,
  passphraseOf,
  port,
  sender,
  urlOf,
} from './platform/core/input/setting-values.ts'
import { readLocale, usualLocale } from './platform/core/locale.ts'
import { textFault } from './platform/core/text.ts'
import { readTimeZone, usualTimeZone } from './platform/core/time/time-zone.ts'
import { defaultLimits, type LimitName, type Limits, limits } from './settings-limits.ts'
import { readLists } from './settings-lists.ts'
import { secretIn } from './settings-secrets.ts'

/** An invalid setting. The process does not start; the operator sees the message as one line. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
  readonly setting: string
  constructor(setting: string, expected: string) {
    // Excludes the value, because some settings contain passwords.
    super(`${setting}: ${expected}`)
    this.setting = setting
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

interface Setting<T> {
  meaning: string
  /** The default, as shown in the settings reference. */
  default: string
  /** May contain a secret: `<name>_FILE` can name a file with the value. */
  isSecret?: true
  /** Gets undefined if the variable is unset or empty; throws a plain Error that states the expected form. */
  read(text: string | undefined): T
}

function logoFile(path: string | undefined) {
  if (path === undefined) return undefined
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file?.isFile()) throw new Error('must be the path of an SVG or PNG file')
  return checkLogo(readFileSync(path))
}

/** Limit: Characters of the operator's policy about job ads. */
const policyLength = 50_000

function textFile(path: string | undefined) {
  if (path === undefined) return undefined
  const file = statSync(path, { throwIfNoEntry: false })
  const text = file?.isFile() ? readFileSync(path, 'utf8').replaceAll(/\r\n?/g, '\n').trim() : undefined
  const rules = { maxLength: policyLength, isRequired: true }
  if (text === undefined || textFault(text, rules) !== undefined)
    throw new Error(`must be the path of a text file of 1 to ${policyLength} characters`)
  return text
}

export type BackupAddress = { folder: string } | { s3: S3Address }

/** Throws an Error that states the expected form. */
export function readBackupPlace(text: string): BackupAddress {
  // Not the current folder: an empty value is most likely an unset variable in a script.
  if (text.trim() === '') throw new Error('must not be empty')
  if (/^s3:/i.test(text)) return { s3: { ...readS3Address(text), setting: 'BACKUP_URL' } }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw new Error('must be a folder, or a URL such as s3://bucket/backups')
  return { folder: resolve(text) }
}

export const settings = {
  PORT: { meaning: 'Port of the public interface.', default: '8080', read: port(8080) },
  HOST: {
    meaning: 'Address to listen on. `localhost` listens on 127.0.0.1 and, if the machine has it, on ::1.',
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
    meaning: 'Folder of the SQLite database and the files; with BLOBS_URL, of large uploads in progress.',
    default: '`data` in the current folder',
    read: text => resolve(text ?? 'data'),
  },
  DATABASE_URL: {
    isSecret: true,
    meaning: 'PostgreSQL to use instead of SQLite, such as `postgres://user:password@host/dossier`.',
    default: 'not set: SQLite in DATA_DIR',
    read: urlOf(['postgres:', 'postgresql:'], 'postgres://user:password@host/dossier'),
  },
  DATABASE_REPLICA_URL: {
    isSecret: true,
    meaning:
      'A streaming replica of the PostgreSQL in DATABASE_URL. It serves lists and downloads of version 1 whenever it is as current as the caller may expect.',
    default: 'not set: DATABASE_URL serves everything',
    read: urlOf(['postgres:', 'postgresql:'], 'postgres://user:password@standby/dossier'),
  },
  DATABASE_LISTEN_URL: {
    isSecret: true,
    meaning:
      'The same PostgreSQL by an address where a session stays the same (direct, or a pooler in session mode), to hear of events on other nodes at once.',
    default:
      'DATABASE_URL; with DATABASE_PREPARED=off none, and events of other nodes are found within a second',
    read: urlOf(['postgres:', 'postgresql:'], 'postgres://user:password@host/dossier'),
  },
  DATABASE_PREPARED: {
    meaning:
      'Prepare statements once per PostgreSQL connection? Use `off` with a pooler that changes the session for each transaction, such as PgBouncer in transaction mode.',
    default: 'on',
    read: text => oneOf(['on', 'off'], 'on')(text) === 'on',
  },
  BLOBS_URL: {
    meaning:
      'S3-compatible store of the files, such as `s3://bucket/prefix?region=eu-central-1` or `s3://bucket?endpoint=https://s3.example.com`. With an endpoint, the bucket is part of the path unless `path-style=false`. The AWS SDK finds the credentials.',
    default: 'not set: files in DATA_DIR',
    read: text => (text === undefined ? undefined : readS3Address(text)),
  },
  BLOBS_ENCRYPTION: {
    meaning:
      'Encryption to request from the S3 store: `AES256`, `aws:kms` or `aws:kms:<key>`; `none` leaves it to the bucket.',
    default: 'none',
    read: text => readS3Encryption(text ?? 'none'),
  },
  BACKUP_URL: {
    meaning:
      'Where backups are made by themselves: a folder, or an S3-compatible store such as `s3://bucket/backups?region=eu-central-1`. See [backup](../operating/backup.md).',
    default: 'not set: only `dossier backup --to` makes backups',
    read: text => (text === undefined ? undefined : readBackupPlace(text)),
  },
  BACKUP_PASSPHRASE: {
    isSecret: true,
    meaning:
      'Puts the keys of the service (WEBHOOK_KEY, SECRETS_KEY) into backups, encrypted with this passphrase of 12 characters or more, and restores them. Keep it apart from the backups. See [keys](../operating/backup.md#keys).',
    default: 'not set: the keys are not in backups',
    read: passphraseOf,
  },
  DOWNLOADS: {
    meaning:
      'How API callers get files: `through` this process; with BLOBS_URL, by a `redirect` to a signed address; from the folder, through `nginx`. See [scaling](../operating/scaling.md#downloads).',
    default: 'through',
    read: oneOf(['through', 'redirect', 'nginx'], 'through'),
  },
  BASE_URL: {
    meaning: 'Origin under which clients reach the API, used in links.',
    default: '`http://localhost:<PORT>`',
    read: origin('https://jobs.example.com'),
  },
  AUTH_URL: {
    meaning: 'Origin of the authorization server.',
    default: 'the same as BASE_URL',
    read: origin('https://jobs.example.com'),
  },
  TRUSTED_PROXIES: {
    meaning: 'Addresses and networks whose X-Forwarded-For is trusted, separated by commas.',
    default: 'not set: none',
    read: addressList,
  },
  OPERATOR_NETWORKS: {
    meaning:
      "Addresses and networks that may open the operator's pages, separated by commas, such as `10.0.0.0/8, 192.0.2.7`. From elsewhere they do not exist. Behind a proxy, set TRUSTED_PROXIES too.",
    default: 'not set: all',
    read: addressList,
  },
  CLAMD_URL: {
    meaning:
      'The clamd that scans files, such as `unix:///run/clamav/clamd.ctl` or `tcp://127.0.0.1:3310`. If set, UNSCANNED decides about files without a verdict.',
    default: 'not set: files are not scanned and are delivered with HasVirus null',
    read: clamdUrl,
  },
  UNSCANNED: {
    meaning:
      'With a scanner: `hold` answers 503 for files without a verdict, `deliver` delivers them with HasVirus null.',
    default: 'hold',
    read: oneOf(['hold', 'deliver'], 'hold'),
  },
  TIME_ZONE: {
    meaning:
      'Time zone of dates and times in the console, and of the closing dates of job ads, such as `Europe/London`. Each advertiser can choose its own.',
    default: usualTimeZone,
    read: text => {
      // Not looked up: the first use of Intl adds 10 MiB to a start.
      if (text === undefined) return usualTimeZone
      const timeZone = readTimeZone(text)
      if (timeZone === undefined) throw new Error('must be the name of a time zone, such as Europe/London')
      return timeZone
    },
  },
  BOARD_LOCALE: {
    meaning:
      'Language tag that decides how pages and emails write dates and numbers, such as `en-GB` or `de-DE`; `en-AU-u-hc-h23` has a 24-hour clock. Pages declare it as their language. Their texts are English.',
    default: usualLocale,
    read: text => {
      // Not looked up, for the same reason.
      if (text === undefined) return usualLocale
      const locale = readLocale(text)
      if (locale === undefined) throw new Error('must be a language tag such as en-GB or de-DE')
      return locale
    },
  },
  BOARD_COUNTRY: {
    meaning:
      'Country of the board, as a code of ISO 3166-1 such as `DE`: the first in lists of countries, and chosen in an empty form.',
    default: 'AU',
    read: (text = 'AU') => {
      if (!isCountryCode(text))
        throw new Error('must be a code of ISO 3166-1 in capitals, such as DE, or GB for the United Kingdom')
      return text
    },
  },
  LISTS_DIR: {
    meaning:
      'Folder with your lists for profiles: `locations.json`, `qualifications.json`, `industries.json`. See [lists](../operating/lists.md).',
    default: 'not set: the built-in lists, which are Australian',
    read: readLists,
  },
  CONSENT_PRETICKED: {
    meaning:
      'Are the boxes on the consent page ticked at first? Use `false` where the law requires an active choice, as in the European Union.',
    default: 'true',
    read: text => oneOf(['true', 'false'], 'true')(text) === 'true',
  },
  AGENT_SELF_SERVICE: {
    meaning:
      'May agents change redirect URIs, logo and privacy notice of their clients on their own pages? Otherwise the operator confirms each change.',
    default: 'false',
    read: text => oneOf(['true', 'false'], 'false')(text) === 'true',
  },
  SMTP_URL: {
    isSecret: true,
    meaning: 'SMTP server for all emails, such as `smtps://user:password@mail.example.com`.',
    default: 'not set: candidates can neither sign up nor reset a password',
    read: urlOf(['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com'),
  },
  EMAIL_CODE_SIGN_IN: {
    meaning:
      'Offer candidates to sign in with a code from an email? With `off`, the sign-in page doesn’t offer it. It needs SMTP_URL, and SECRETS_KEY with PostgreSQL. People of companies, agents and the board never get a code. See [sign-in by emailed code](../operating/mail.md#sign-in-by-emailed-code).',
    default: 'on',
    read: text => oneOf(['on', 'off'], 'on')(text) === 'on',
  },
  MAIL_FROM: {
    meaning:
      'Sender of emails, such as `no-reply@example.com`, with BOARD_NAME as its name, or `Jobs <no-reply@example.com>`.',
    default: '`no-reply@` followed by the host of AUTH_URL',
    read: sender('Jobs <no-reply@example.com>'),
  },
  BOARD_NAME: {
    meaning: 'Name of the job board, on every page and in every email.',
    default: 'Dossier',
    read: boardName,
  },
  BOARD_LOGO: {
    meaning:
      'Path of the logo, an SVG or PNG of at most 64 KiB. It is shown 28 pixels high, beside the name; an SVG may contain no scripts and refer to nothing outside the file.',
    default: 'not set: a plain mark',
    read: logoFile,
  },
  BOARD_COLOUR: {
    meaning:
      'Colour of buttons and links, such as `#0b5cad`. It must be readable on light pages; for dark pages it is lightened.',
    default: '#0b5cad',
    read: text => (text === undefined ? undefined : accentsOf(text)),
  },
  BOARD_CONTACT: {
    meaning: 'Email address or page where people reach the operator, in the footer.',
    default: 'not set: no link',
    read: contact,
  },
  BOARD_PRIVACY_URL: {
    meaning: 'The privacy notice of the operator, in the footer and on the consent page.',
    default: 'not set: no link',
    read: pageUrl,
  },
  BOARD_TERMS_URL: {
    meaning: 'The terms of the operator, in the footer and on the sign-up page.',
    default: 'not set: no link',
    read: pageUrl,
  },
  BOARD_REPORT_POLICY_URL: {
    meaning: 'Page with your policy about job ads, linked where people report a job.',
    default: 'not set: no link',
    read: pageUrl,
  },
  BOARD_REPORT_POLICY: {
    meaning:
      'Path of a text with your policy about job ads, in the subset of Markdown that ads have, of at most 50,000 characters. `/about/reports` shows it.',
    default: 'not set: `/about/reports` says what happens with a report',
    read: textFile,
  },
  AD_REVIEW: {
    meaning:
      'Which new ads wait for an operator before they are public: with `new-companies` those of a company until one of its ads was approved, and while one is held. See [operators](../operating/operators.md#reported-jobs).',
    default: 'off',
    read: oneOf(['off', 'new-companies'], 'off'),
  },
  AD_RULES: {
    meaning:
      'Laws that say what an ad must state, separated by commas: `eu`, `ontario`. Fields that they require must then be filled in, others are recommended, each with its reason. See [what the law demands](../operating/operators.md#what-the-law-demands-of-ads).',
    default: 'not set: none',
    read: readAdRules,
  },
  BOARD_HOME_URL: {
    meaning: 'Website of the job board, which the name in the header links to.',
    default: 'not set: the front page of this service',
    read: pageUrl,
  },
  WEBHOOK_KEY: {
    isSecret: true,
    meaning:
      'The key that the secrets of webhook endpoints are derived from: 32 bytes in base64, as `openssl rand -base64 32` prints, the same on every node. Two, separated by a comma, change it: the new one, then the old one, which signs too until it is removed.',
    default: '`webhook.key` in DATA_DIR, created with the first endpoint',
    read: text => (text === undefined ? undefined : readWebhookKeys(text)),
  },
  SECRETS_KEY: {
    isSecret: true,
    meaning: 'Encrypts the secrets of two-step sign-in; in the form of WEBHOOK_KEY. Keep a copy of it.',
    default: 'with SQLite `secrets.key` in DATA_DIR, made when needed; with PostgreSQL no two-step sign-in',
    read: text => (text === undefined ? undefined : readWebhookKeys(text)),
  },
  WEBHOOK_ALLOW: {
    meaning:
      'Names and networks, separated by commas, that webhooks may go to although they are not public, also without TLS: for systems in the same house, such as `ats.internal, 10.1.0.0/16`. Link-local addresses are never allowed.',
    default: 'not set: public addresses only',
    read: text => (text === undefined ? undefined : readAllowedHosts(text)),
  },
  WEBHOOK_PROXY: {
    isSecret: true,
    meaning:
      'HTTP proxy for webhooks, such as `http://smokescreen.internal:4750`. It then decides which addresses are allowed.',
    default: 'not set: webhooks are sent directly',
    read: urlOf(['http:', 'https:'], 'http://proxy.internal:4750'),
  },
  OIDC_ISSUER: {
    meaning:
      'OpenID provider that candidates sign in with, by its issuer, such as `https://login.example.com/realms/board`. See [single sign-on](../operating/single-sign-on.md).',
    default: 'not set: people sign in with an account of this service',
    read: issuerOf,
  },
  OIDC_CLIENT_ID: {
    meaning: 'The ID that the provider in OIDC_ISSUER has given this service.',
    default: 'dossier',
    read: (text = 'dossier') => text,
  },
  OIDC_CLIENT_SECRET: {
    isSecret: true,
    meaning: 'The secret of OIDC_CLIENT_ID.',
    default: 'not set: a public client, which proves itself by PKCE alone',
    read: text => text,
  },
  OIDC_NAME: {
    meaning: 'Name of the provider on buttons: "Continue with …".',
    default: 'the host of OIDC_ISSUER',
    read: text => (text === undefined ? undefined : boardName(text)),
  },
  OIDC_FACTORS: {
    meaning:
      'Values of `amr` or `acr`, separated by commas, by which the provider says that it asked for a second factor, such as `mfa`. It then counts as ours.',
    default: 'not set: none counts, and accounts with a second factor are asked for it',
    read: listOf,
  },
  OIDC_ONLY: {
    meaning:
      'Is the provider the only way in for candidates? Then sign-up here is closed, and an account that is linked to the provider takes no other way, unless its owner works for a company, an agent or the board.',
    default: 'false',
    read: text => oneOf(['true', 'false'], 'false')(text) === 'true',
  },
  OPERATOR_OIDC_ISSUER: {
    meaning:
      "OpenID provider that operators sign in with, by its issuer. It opens accounts of operators alone, and makes none. It may be candidates' too.",
    default: 'not set: operators sign in with an account of this service',
    read: issuerOf,
  },
  OPERATOR_OIDC_CLIENT_ID: {
    meaning: 'As OIDC_CLIENT_ID, for operators.',
    default: 'dossier',
    read: (text = 'dossier') => text,
  },
  OPERATOR_OIDC_CLIENT_SECRET: {
    isSecret: true,
    meaning: 'As OIDC_CLIENT_SECRET, for operators.',
    default: 'not set: a public client',
    read: text => text,
  },
  OPERATOR_OIDC_NAME: {
    meaning: 'As OIDC_NAME, for operators.',
    default: 'the host of OPERATOR_OIDC_ISSUER',
    read: text => (text === undefined ? undefined : boardName(text)),
  },
  OPERATOR_OIDC_FACTORS: {
    meaning: 'As OIDC_FACTORS, for operators, who must have a second factor.',
    default: 'not set: operators are asked for the second factor of their account',
    read: listOf,
  },
  RETENTION_DAYS: {
    meaning:
      'Days after which the applications of a candidate who deleted the account are erased: name, addresses, answers and files are removed, ID and date stay. `0` erases at once.',
    default: '30',
    read: days(30),
  },
  WITHDRAWN_DAYS: {
    meaning:
      'Days after which an application that its candidate has withdrawn is erased in the same way. `0` erases at once.',
    default: '30',
    read: days(30),
  },
  RETENTION_MONTHS: {
    meaning:
      'Months after which applications are erased, counted from the day they were sent, for companies that have not chosen a period. Candidates see it before they apply. A shorter period takes effect 14 days after the admins of the companies were told.',
    default: 'not set: kept until a company chooses a period, or the candidate withdraws',
    read: months(null),
  },
  RETENTION_MONTHS_MIN: {
    meaning: 'The shortest period in months that a company may choose.',
    default: '1',
    read: months(1),
  },
  RETENTION_MONTHS_MAX: {
    meaning: 'The longest period in months that a company may choose.',
    default: '120',
    read: months(120),
  },
  SHUTDOWN_DELAY_SECONDS: {
    meaning:
      'How long to keep serving after SIGTERM or SIGINT, while `/health/ready` already answers 503. A load balancer needs two or three of its check intervals to notice.',
    default: '0',
    read: text => {
      const seconds = text === undefined ? 0 : /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
      if (!(seconds <= 600)) throw new Error('must be a whole number of seconds from 0 to 600')
      return seconds
    },
  },
  WORK: {
    meaning:
      'Where background work (rescanning, expiry, clean-up, erasure) runs: `in-process` with `serve`, or `elsewhere`, in `dossier work`.',
    default: 'in-process',
    read: oneOf(['in-process', 'elsewhere'], 'in-process'),
  },
  LOG_LEVEL: {
    meaning: 'Lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
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

/** Fixed limits that a test changes for a whole service. Otherwise the constants beside the code apply. */
type TestedBounds = Record<
  | 'busyWaitMs'
  | 'eventPollHeardSeconds'
  | 'eventPollSeconds'
  | 'waitingPerProcess'
  | 'webhookAttemptSeconds'
  | 'webhookLeaseSeconds'
  | 'webhookPollMs'
  | 'connectMs'
  | 'connectionSeconds'
  | 'lockWaitMs'
  | 'transactionIdleMs'
  | 'listenAnswerMs'
  | 'listenCheckSeconds'
  | 'listenPauseMs'
  | 'replicaPauseMs'
  | 'replicaWaitMs',
  number
>

export interface Config extends Values {
  readonly limits: Limits & Partial<TestedBounds>
  readonly retention: RetentionBounds
  readonly providers: Partial<Record<ProviderKey, ProviderSettings>>
}

export function readConfig(environment: Environment): Config {
  const textOf = (name: string): string | undefined => environment[name]?.trim() || undefined
  const values = Object.entries(settings).map(([name, setting]: [string, Setting<unknown>]) => {
    const file = setting.isSecret ? textOf(`${name}_FILE`) : undefined
    try {
      return [name, setting.read(file === undefined ? textOf(name) : secretIn(file, name, textOf(name)))]
    } catch (error) {
      throw new SettingError(file === undefined ? name : `${name}_FILE`, (error as Error).message)
    }
  })
  const config = Object.fromEntries(values) as Values
  const limits = readLimits(textOf)
  assertVersionsKept(config, limits)
  return { ...config, limits, retention: retentionOf(config), providers: providersOf(config) }
}

function assertVersionsKept({ AD_RULES: rules }: Values, { adVersionMonths }: Limits): void {
  const min = Math.max(0, ...rules.map(({ versionMonths = 0 }) => versionMonths))
  if (adVersionMonths < min)
    throw new SettingError('AD_VERSION_MONTHS', `must be ${min} or more, as a rule set in AD_RULES demands`)
}

function providersOf(values: Values): Config['providers'] {
  const read = (prefix: 'OIDC' | 'OPERATOR_OIDC'): ProviderSettings | undefined => {
    const issuer = values[`${prefix}_ISSUER`]
    if (issuer === undefined) return undefined
    return {
      issuer,
      clientId: values[`${prefix}_CLIENT_ID`],
      clientSecret: values[`${prefix}_CLIENT_SECRET`],
      name: values[`${prefix}_NAME`] ?? new URL(issuer).host,
      factors: values[`${prefix}_FACTORS`],
    }
  }
  const [board, operators] = [read('OIDC'), read('OPERATOR_OIDC')]
  return { ...(board && { board }), ...(operators && { operators }) }
}

function retentionOf(values: Values): RetentionBounds {
  const { RETENTION_MONTHS: standard, RETENTION_MONTHS_MIN: min, RETENTION_MONTHS_MAX: max } = values
  if (min > max)
    throw new SettingError('RETENTION_MONTHS_MIN', 'must not be greater than RETENTION_MONTHS_MAX')
  if (standard !== null && (standard < min || standard > max))
    throw new SettingError(
      'RETENTION_MONTHS',
      'must be between RETENTION_MONTHS_MIN and RETENTION_MONTHS_MAX',
    )
  return { standard, min, max }
}

function readLimits(textOf: (name: string) => string | undefined): Limits {
  const result = { ...defaultLimits }
  for (const [name, limit] of Object.entries(limits)) {
    const { setting } = limit
    const text = textOf(setting)
    if (text === undefined) continue
    const min = 'min' in limit ? limit.min : 1
    const max = 'max' in limit ? limit.max : 999_999_999
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (value < min || value > max)
      throw new SettingError(setting, `must be a whole number from ${min} to ${max}`)
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
        'must be a loopback address with --demo, because the credentials of the demo are published',
      )
    }
  }
}
