import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import pg from 'pg'
import type { settings } from '../../src/settings.ts'
import { limits } from '../../src/settings-limits.ts'
import { findLogLine } from '../harness/process.ts'
import { databaseFor, folderFor, refusal, refusalHere, runHere, takePort } from './support.ts'

/** An address that no machine has: it is reserved for documentation. */
const elsewhere = '203.0.113.1'

/** Every setting must be here; faults of DATA_DIR, HOST and ADMIN_HOST show only in use: see below. */
const wrong: Record<keyof typeof settings, string[]> = {
  PORT: ['eighty', '-1', '65536'],
  HOST: [],
  ADMIN_PORT: ['80a'],
  ADMIN_HOST: [],
  DATA_DIR: [],
  DATABASE_URL: ['mysql://dossier:hunter2@localhost/dossier', 'nothing'],
  // The second is valid by itself, but SQLite has no replicas.
  DATABASE_REPLICA_URL: ['mysql://dossier:hunter2@localhost/dossier', 'postgres://hunter2@standby/dossier'],
  DATABASE_LISTEN_URL: ['mysql://dossier:hunter2@localhost/dossier', 'postgres://hunter2@standby/dossier'],
  DATABASE_PREPARED: ['yes', 'true'],
  BLOBS_URL: [
    'https://s3.example.com/bucket',
    's3://key:hunter2@bucket',
    's3://b',
    's3://bucket/a//b',
    's3://bucket?endpoint=s3.example.com',
    's3://bucket?secret=hunter2',
  ],
  BACKUP_PASSPHRASE: ['too short'],
  BACKUP_URL: ['https://backup.example.com', 's3://b'],
  BLOBS_ENCRYPTION: ['AES128', 'aws:kms:', 'AES256'],
  // The second is valid by itself, but only S3 has addresses to redirect callers to.
  DOWNLOADS: ['elsewhere', 'redirect'],
  BASE_URL: ['https://jobs.example.com/path', 'ftp://jobs.example.com'],
  AUTH_URL: ['jobs.example.com'],
  OPERATOR_NETWORKS: ['10.0.0.0/33', 'office'],
  TRUSTED_PROXIES: ['10.0.0.0/33', 'proxy.example.com'],
  CLAMD_URL: ['/run/clamav/clamd.ctl'],
  UNSCANNED: ['maybe'],
  BOARD_LOCALE: ['de_DE', 'Klingon'],
  TIME_ZONE: ['Mars'],
  BOARD_COUNTRY: ['UK'],
  LISTS_DIR: ['no-such-folder', '.'],
  AGENT_SELF_SERVICE: ['yes'],
  CONSENT_PRETICKED: ['yes'],
  OIDC_ISSUER: ['http://login.example.com', 'login.example.com'],
  OIDC_CLIENT_ID: [],
  OIDC_CLIENT_SECRET: [],
  OIDC_NAME: ['x'.repeat(61)],
  OIDC_FACTORS: [],
  OIDC_ONLY: ['yes'],
  OPERATOR_OIDC_ISSUER: ['http://login.example.com'],
  OPERATOR_OIDC_CLIENT_ID: [],
  OPERATOR_OIDC_CLIENT_SECRET: [],
  OPERATOR_OIDC_NAME: ['x'.repeat(61)],
  OPERATOR_OIDC_FACTORS: [],
  SMTP_URL: ['mail.example.com'],
  EMAIL_CODE_SIGN_IN: ['yes'],
  MAIL_FROM: ['jobs', 'Jobs <jobs>', 'jobs@example.com, help@example.com', 'Jobs\nBcc: <all@example.com>'],
  BOARD_NAME: ['x'.repeat(61)],
  BOARD_LOGO: ['no-such-file.svg', 'package.json'],
  BOARD_COLOUR: ['blue', '#ffd400'],
  BOARD_CONTACT: ['help'],
  BOARD_PRIVACY_URL: ['/privacy'],
  BOARD_TERMS_URL: ['javascript:alert(1)'],
  BOARD_REPORT_POLICY_URL: ['policy'],
  BOARD_REPORT_POLICY: ['no-such-file.md', '.'],
  AD_REVIEW: ['on'],
  AD_RULES: ['atlantis', 'eu,', '__proto__'],
  BOARD_HOME_URL: ['example.com'],
  RETENTION_MONTHS: ['0', '601', 'ever'],
  RETENTION_MONTHS_MIN: ['0', '601'],
  RETENTION_MONTHS_MAX: ['0', '601'],
  WEBHOOK_KEY: ['secret', 'a2s='],
  SECRETS_KEY: ['secret', 'a2s='],
  WEBHOOK_ALLOW: ['https://ats.internal', '10.0.0.0/99'],
  WEBHOOK_PROXY: ['proxy.internal'],
  RETENTION_DAYS: ['-1', '3651', '1.5', 'ever'],
  WITHDRAWN_DAYS: ['-1', '3651', '1.5', 'ever'],
  SHUTDOWN_DELAY_SECONDS: ['-1', '601', '1.5', 'soon'],
  WORK: ['nowhere'],
  LOG_LEVEL: ['loud'],
  LOG_FORMAT: ['xml'],
}
const wrongNumbers = ['0', '-1', '1.5', '1e3', 'many', '9999999999', '0x10']

describe('a wrong setting stops the start with one line that names it', () => {
  const numbers = Object.values(limits).map(({ setting }) => setting)
  const table = [...Object.entries(wrong), ...numbers.map((name): [string, string[]] => [name, wrongNumbers])]
  for (const [name, values] of table) {
    test(`${name}: ${values.join(' ')}`, async t => {
      const DATA_DIR = await folderFor(t)
      for (const value of values) {
        const line = await refusalHere({ DATA_DIR, [name]: value })
        assert.match(line, new RegExp(`^dossier: wrong setting ${name}: `))
        assert.doesNotMatch(line, /hunter2/)
      }
    })
  }
})

describe('faults found in use are reported in the same way', () => {
  test('PORT that is no number', async t => {
    assert.match(await refusal({ DATA_DIR: await folderFor(t), PORT: 'eighty' }), /\bPORT\b/)
  })

  const hostileLogos: [name: string, content: string, told: RegExp][] = [
    ['a script', '<svg><script>alert(1)</script></svg>', /must be an SVG without <script>$/m],
    [
      'ten megabytes',
      `<svg>${' '.repeat(10_000_000)}</svg>`,
      /must be at most 64 KiB, and this file has 9766 KiB$/m,
    ],
  ]
  for (const [name, content, told] of hostileLogos) {
    test(`BOARD_LOGO with ${name}`, async t => {
      const DATA_DIR = await folderFor(t)
      const BOARD_LOGO = join(DATA_DIR, 'logo.svg')
      await writeFile(BOARD_LOGO, content)
      const line = await refusalHere({ DATA_DIR, BOARD_LOGO })
      assert.match(line, /^dossier: wrong setting BOARD_LOGO: /)
      assert.match(line, told)
    })
  }

  for (const name of ['HOST', 'ADMIN_HOST']) {
    test(`${name} of another machine`, async t => {
      const line = await refusalHere({ DATA_DIR: await folderFor(t), [name]: elsewhere })
      assert.match(line, new RegExp(`\\b${name}\\b`))
    })
  }

  test('DATA_DIR where there is a file', async t => {
    const file = join(await folderFor(t), 'file')
    await writeFile(file, '')
    assert.match(await refusalHere({ DATA_DIR: file }), /\bDATA_DIR\b/)
  })

  // In its own process, which can be killed: it once searched for a folder forever.
  test('DATA_DIR where the system does not allow a folder', async () => {
    assert.match(await refusal({ DATA_DIR: '/proc/no-such-folder' }), /\bDATA_DIR\b/)
  })

  test('DATABASE_URL of an unreachable server', async t => {
    const url = 'postgres://dossier:hunter2@127.0.0.1:1/dossier'
    const line = await refusalHere({ DATA_DIR: await folderFor(t), DATABASE_URL: url })
    assert.match(line, /\bDATABASE_URL\b/)
    assert.doesNotMatch(line, /hunter2/)
  })

  test('DATABASE_URL of a missing database', async t => {
    const database = await databaseFor(t, 'postgres')
    const url = new URL(String(database.settings['DATABASE_URL']))
    url.pathname = '/no_such_database'
    const line = await refusalHere({ ...database.settings, DATABASE_URL: url.href })
    assert.match(line, /\bDATABASE_URL\b/)
  })

  for (const name of ['PORT', 'ADMIN_PORT']) {
    test(`${name} that is in use`, async t => {
      const { port, release } = await takePort()
      t.after(release)
      const line = await refusalHere({ DATA_DIR: await folderFor(t), [name]: String(port) })
      assert.match(line, new RegExp(`\\b${name}\\b.*${port}.*in use`))
    })
  }
})

test('a slow server at the start is reported as slow, not as a wrong address', async t => {
  const { settings } = await databaseFor(t, 'postgres')
  const holder = new pg.Client(settings['DATABASE_URL'])
  await holder.connect()
  await holder.query('begin; lock table schema_migrations')
  const told = await refusalHere({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: '300' })
  await holder.end()
  assert.match(told, /wrong setting DATABASE_STATEMENT_TIMEOUT_MS: .*statement timeout/)
})

test('a read-only folder for files is reported at the start, beside PostgreSQL too', async t => {
  const { settings } = await databaseFor(t, 'postgres')
  const free = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0' }
  const { code, stdout } = await runHere(['serve'], { ...settings, ...free, DATA_DIR: '/proc/nowhere' })
  assert.equal(code, 0)
  const line = findLogLine(stdout, 'files cannot be written: let this user write to /proc/nowhere/blobs')
  assert.match(String(line?.['reason']), /ENOENT/)
})
