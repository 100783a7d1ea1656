import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import Fastify from 'fastify'
import { adRuleSets } from './model/ad-rules.ts'
import { accentsOf } from './platform/core/brand/colour.ts'
import { assertLoopbackOnly, readConfig, SettingError, settings } from './settings.ts'
import { defaultLimits, limits } from './settings-limits.ts'
import { readLists } from './settings-lists.ts'

type Name = keyof typeof settings

const icon = 'src/platform/web/assets/icon.svg'
const page = 'https://www.example.com/page'

const wholeDays: { good: [string, number][]; bad: string[] } = {
  good: [
    ['0', 0],
    ['1', 1],
    ['3650', 3650],
  ],
  bad: ['-1', '3651', '1.5', 'never', '00001'],
}

const example: Record<Name, { good: [text: string, value: unknown][]; bad: string[] }> = {
  BOARD_LOCALE: {
    good: [
      ['de-DE', 'de-DE'],
      ['EN-gb', 'en-GB'],
      ['fr', 'fr'],
      ['en-AU-u-hc-h23', 'en-AU-u-hc-h23'],
    ],
    bad: ['de_DE', 'xx', 'zz-ZZ', 'de,en', 'German', 'en-"><script>', 'x'.repeat(5000)],
  },
  TIME_ZONE: {
    good: [
      ['Europe/London', 'Europe/London'],
      ['utc', 'UTC'],
    ],
    bad: ['Mars', '+10:00', 'Europe'],
  },
  BOARD_COUNTRY: {
    good: [['DE', 'DE']],
    bad: ['de', 'UK', 'DEU', 'Germany', 'XX'],
  },
  LISTS_DIR: { good: [['src', readLists('src')]], bad: ['no-such-folder', '.', icon] },
  EMAIL_CODE_SIGN_IN: {
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['true', 'ON'],
  },
  AGENT_SELF_SERVICE: { good: [['true', true]], bad: ['yes'] },
  CONSENT_PRETICKED: {
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['yes', '1', 'TRUE'],
  },
  OIDC_ISSUER: {
    good: [
      ['https://login.example.com', 'https://login.example.com/'],
      ['http://127.0.0.1:9000/realm', 'http://127.0.0.1:9000/realm'],
    ],
    bad: [
      'http://login.example.com',
      'login.example.com',
      'https://u@login.example.com',
      'https://x.example/?a',
    ],
  },
  OIDC_CLIENT_ID: { good: [['dossier', 'dossier']], bad: [] },
  OIDC_CLIENT_SECRET: { good: [['hunter2', 'hunter2']], bad: [] },
  OIDC_NAME: { good: [['Example Login', 'Example Login']], bad: ['x'.repeat(61)] },
  OIDC_FACTORS: { good: [['mfa, urn:two,', ['mfa', 'urn:two']]], bad: [] },
  OIDC_ONLY: { good: [['true', true]], bad: ['yes'] },
  OPERATOR_OIDC_ISSUER: {
    good: [['https://login.example.com/staff', 'https://login.example.com/staff']],
    bad: ['ftp://login.example.com'],
  },
  OPERATOR_OIDC_CLIENT_ID: { good: [['dossier', 'dossier']], bad: [] },
  OPERATOR_OIDC_CLIENT_SECRET: { good: [['hunter2', 'hunter2']], bad: [] },
  OPERATOR_OIDC_NAME: { good: [['Staff', 'Staff']], bad: ['x'.repeat(61)] },
  OPERATOR_OIDC_FACTORS: { good: [['mfa', ['mfa']]], bad: [] },
  SMTP_URL: {
    good: [
      ['smtp://mail.example.com:587', 'smtp://mail.example.com:587'],
      ['smtps://u:p@mail.example.com', 'smtps://u:p@mail.example.com'],
    ],
    bad: ['mail.example.com', 'https://mail.example.com'],
  },
  MAIL_FROM: { good: [['Jobs <no-reply@example.com>', 'Jobs <no-reply@example.com>']], bad: [] },
  BOARD_NAME: { good: [['Harbour Jobs', 'Harbour Jobs']], bad: ['x'.repeat(61), 'two\nlines'] },
  BOARD_LOGO: {
    good: [[icon, { type: 'image/svg+xml', bytes: readFileSync(icon) }]],
    bad: ['no-such-file.svg', '.', 'package.json'],
  },
  BOARD_COLOUR: { good: [['#0b5cad', accentsOf('#0b5cad')]], bad: ['blue', '#fff', '#ffd400'] },
  BOARD_CONTACT: {
    good: [
      ['help@example.com', 'mailto:help@example.com'],
      ['https://example.com/help', 'https://example.com/help'],
    ],
    bad: ['help', 'javascript:alert(1)', 'a b@example.com'],
  },
  BOARD_PRIVACY_URL: { good: [[page, page]], bad: ['/privacy', 'javascript:alert(1)'] },
  BOARD_TERMS_URL: { good: [[page, page]], bad: ['terms', 'ftp://example.com'] },
  BOARD_REPORT_POLICY_URL: { good: [[page, page]], bad: ['policy', 'ftp://example.com'] },
  BOARD_REPORT_POLICY: {
    good: [['LICENSE', readFileSync('LICENSE', 'utf8').trim()]],
    bad: ['no-such-file.md', '.', icon.replace(/[^/]*$/, '')],
  },
  AD_REVIEW: { good: [['new-companies', 'new-companies']], bad: ['on', 'all'] },
  AD_RULES: {
    good: [['ontario, eu', [adRuleSets['ontario'], adRuleSets['eu']]]],
    bad: ['atlantis', 'eu;ontario', 'eu,', 'EU', '__proto__', 'constructor'],
  },
  BOARD_HOME_URL: { good: [[page, page]], bad: ['example.com'] },
  WEBHOOK_KEY: {
    good: [['a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=', [Buffer.alloc(32, 'k')]]],
    bad: ['secret', 'a2s='],
  },
  SECRETS_KEY: {
    good: [['a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=', [Buffer.alloc(32, 'k')]]],
    bad: ['secret', 'a2s='],
  },
  WEBHOOK_ALLOW: {
    good: [['ats.internal', { names: new Set(['ats.internal']), networks: [] }]],
    bad: ['https://ats.internal', '10.0.0.0/99'],
  },
  WEBHOOK_PROXY: {
    good: [['http://proxy.internal:4750', 'http://proxy.internal:4750']],
    bad: ['proxy.internal', 'socks5://proxy.internal'],
  },
  RETENTION_DAYS: wholeDays,
  WITHDRAWN_DAYS: wholeDays,
  RETENTION_MONTHS: {
    good: [
      ['1', 1],
      ['120', 120],
    ],
    bad: ['0', '601', '-1', '1.5', 'never'],
  },
  RETENTION_MONTHS_MIN: { good: [['6', 6]], bad: ['0', 'none'] },
  RETENTION_MONTHS_MAX: { good: [['24', 24]], bad: ['0', '601'] },
  SHUTDOWN_DELAY_SECONDS: {
    good: [
      ['0', 0],
      ['15', 15],
      ['600', 600],
    ],
    bad: ['-1', '601', '1.5', 'soon'],
  },
  DOWNLOADS: {
    good: [
      ['through', 'through'],
      ['redirect', 'redirect'],
      ['nginx', 'nginx'],
    ],
    bad: ['apache', 'true'],
  },
  WORK: {
    good: [
      ['in-process', 'in-process'],
      ['elsewhere', 'elsewhere'],
    ],
    bad: ['nowhere', 'true'],
  },
  PORT: {
    good: [
      ['0', 0],
      ['80', 80],
      ['65535', 65_535],
      [' 8080 ', 8080],
    ],
    bad: ['65536', '-1', '8080x', '0x50', '80.5', '1e3', 'http', '123456'],
  },
  ADMIN_PORT: { good: [['9000', 9000]], bad: ['none', '99999'] },
  HOST: {
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
    ],
    bad: [],
  },
  ADMIN_HOST: { good: [['0.0.0.0', '0.0.0.0']], bad: [] },
  // Their parts are tested in core/s3-address.test.ts.
  BLOBS_URL: {
    good: [
      [
        's3://bucket',
        { bucket: 'bucket', prefix: '', endpoint: undefined, region: undefined, isPathStyle: false },
      ],
    ],
    bad: ['bucket', 'https://bucket'],
  },
  BACKUP_PASSPHRASE: { good: [['correct horse battery', 'correct horse battery']], bad: ['too short'] },
  BACKUP_URL: { good: [['/backup', { folder: '/backup' }]], bad: ['https://bucket'] },
  BLOBS_ENCRYPTION: {
    good: [
      ['none', undefined],
      ['AES256', { kind: 'AES256' }],
    ],
    bad: ['aes256', 'yes'],
  },
  DATABASE_PREPARED: {
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['true', 'ON'],
  },
  DATA_DIR: {
    good: [
      ['/srv/dossier', '/srv/dossier'],
      ['files', resolve('files')],
    ],
    bad: [],
  },
  DATABASE_REPLICA_URL: {
    good: [['postgres://u:p@standby/dossier', 'postgres://u:p@standby/dossier']],
    bad: ['standby/dossier', 'mysql://standby/dossier'],
  },
  DATABASE_LISTEN_URL: {
    good: [['postgres://u:p@standby/dossier', 'postgres://u:p@standby/dossier']],
    bad: ['standby/dossier', 'mysql://standby/dossier'],
  },
  DATABASE_URL: {
    good: [
      ['postgres://u:p@db/dossier', 'postgres://u:p@db/dossier'],
      ['postgresql://db/dossier?host=/run/postgresql', 'postgresql://db/dossier?host=/run/postgresql'],
    ],
    bad: ['mysql://u:p@db/dossier', 'db.example.com', 'sqlite:dossier.db', 'https://db/dossier'],
  },
  BASE_URL: {
    good: [
      ['https://jobs.example.com', 'https://jobs.example.com'],
      ['https://jobs.example.com/', 'https://jobs.example.com'],
      ['http://localhost:8080', 'http://localhost:8080'],
      ['http://[::1]:8080', 'http://[::1]:8080'],
    ],
    bad: [
      'https://jobs.example.com/api',
      'https://jobs.example.com/?a=b',
      'https://jobs.example.com#x',
      'https://user:secret@jobs.example.com',
      'ftp://jobs.example.com',
      'jobs.example.com',
      '//jobs',
      'https://',
    ],
  },
  AUTH_URL: {
    good: [['https://id.example.com', 'https://id.example.com']],
    bad: ['https://id.example.com/oauth'],
  },
  OPERATOR_NETWORKS: {
    good: [['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']]],
    bad: ['10.0.0.0/33', 'office'],
  },
  TRUSTED_PROXIES: {
    good: [
      ['127.0.0.1', ['127.0.0.1']],
      ['10.0.0.0/8, 127.0.0.1 ,::1', ['10.0.0.0/8', '127.0.0.1', '::1']],
      ['2001:db8::/32', ['2001:db8::/32']],
      ['10.0.0.1/32', ['10.0.0.1/32']],
    ],
    bad: [
      'proxy',
      '10.0.0.0/33',
      '::/129',
      '10.0.0/8',
      '10.0.0.0/8/8',
      '10.0.0.0/',
      ',',
      '10.0.0.1,',
      'loopback',
      '*',
    ],
  },
  CLAMD_URL: {
    good: [
      ['unix:///run/clamav/clamd.ctl', 'unix:///run/clamav/clamd.ctl'],
      ['tcp://127.0.0.1:3310', 'tcp://127.0.0.1:3310'],
      ['tcp://[::1]:3310', 'tcp://[::1]:3310'],
    ],
    bad: [
      '/run/clamav/clamd.ctl',
      'http://127.0.0.1:3310',
      '127.0.0.1:3310',
      'tcp://127.0.0.1',
      'unix://run/c',
    ],
  },
  UNSCANNED: {
    good: [
      ['hold', 'hold'],
      ['deliver', 'deliver'],
    ],
    bad: ['Hold', 'no', 'true'],
  },
  LOG_LEVEL: {
    good: [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    bad: ['INFO', 'verbose', '30'],
  },
  LOG_FORMAT: {
    good: [
      ['json', 'json'],
      ['text', 'text'],
    ],
    bad: ['xml', 'JSON'],
  },
}

function refusal(environment: Record<string, string>): SettingError {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof SettingError)
    return error
  }
  return assert.fail(`taken: ${JSON.stringify(environment)}`)
}

for (const [name, { good, bad }] of Object.entries(example) as [Name, (typeof example)[Name]][]) {
  test(`${name}: valid values are read`, () => {
    for (const [text, value] of good) assert.deepEqual(readConfig({ [name]: text })[name], value, text)
  })

  test(`${name}: unset, empty and white space give the default`, () => {
    const byDefault = readConfig({})[name]
    for (const text of ['', '  ']) assert.deepEqual(readConfig({ [name]: text })[name], byDefault)
  })

  if (bad.length > 0) {
    test(`${name}: a wrong value is rejected in one line that names the setting but not the value`, () => {
      for (const text of bad) {
        const { message } = refusal({ [name]: text })
        assert.match(message, new RegExp(`^${name}: must be [^\\n]+$`), text)
        assert.ok(!message.includes('secret'))
      }
    })
  }
}

// A value accepted here must not fail later, without the line that names the setting.
for (const network of [
  '10.0.0.0/8',
  '::ffff:10.0.0.0/104',
  '0.0.0.0/0',
  '::/0',
  'fe80::1%eth0',
  '10.0.0.1/008',
]) {
  test(`TRUSTED_PROXIES=${network} is rejected or works`, () => {
    let proxies: string[] = []
    try {
      proxies = readConfig({ TRUSTED_PROXIES: network }).TRUSTED_PROXIES
    } catch (error) {
      assert.ok(error instanceof SettingError)
    }
    assert.doesNotThrow(() => Fastify({ trustProxy: proxies }))
  })
}

test('the defaults are those of the contract', () => {
  const config = readConfig({})
  assert.equal(config.PORT, 8080)
  assert.equal(config.ADMIN_PORT, 8081)
  assert.equal(config.HOST, 'localhost')
  assert.equal(config.ADMIN_HOST, '127.0.0.1')
  assert.equal(config.BASE_URL, undefined)
  assert.deepEqual(config.TRUSTED_PROXIES, [])
  assert.equal(config.UNSCANNED, 'hold')
  assert.deepEqual(config.limits, defaultLimits)
  assert.equal(config.limits.v1PerMinute, 6000)
  assert.equal(config.limits.authFailuresPerAddressPerMinute, 60)
  assert.equal(config.limits.wholeListsPerCredential, 4)
  assert.equal(config.limits.urlBytes, 16_384)
  assert.equal(config.limits.headerBytes, 16_384)
})

for (const [name, limit] of Object.entries(limits)) {
  if (!('setting' in limit)) continue
  test(`${limit.setting} changes the limit ${name} and no other`, () => {
    assert.deepEqual(readConfig({ [limit.setting]: '7' }).limits, { ...defaultLimits, [name]: 7 })
    for (const text of ['0', '-1', '1.5', '1e3', 'many', '1000000000', '٣']) {
      assert.match(
        refusal({ [limit.setting]: text }).message,
        new RegExp(`^${limit.setting}: must be [^\\n]+$`),
      )
    }
  })
}

test('the longest accepted grace period fits into a timer: a longer one would fire at once', () => {
  let seconds = 0
  try {
    seconds = readConfig({ SHUTDOWN_GRACE_SECONDS: '999999999' }).limits.shutdownGraceSeconds
  } catch (error) {
    assert.ok(error instanceof SettingError)
  }
  assert.ok(seconds * 1000 < 2 ** 31)
})

test('setting names are unique, and other variables are not read', () => {
  const names = Object.values(limits).flatMap(limit => ('setting' in limit ? [limit.setting] : []))
  const all = [...names, ...Object.keys(settings)]
  assert.equal(new Set(all).size, all.length)
  const unknown = { PATH: '/bin', port: '1', PAGE_SIZE: '5' }
  assert.deepEqual(readConfig(unknown), readConfig({}))
})

test('the demo is for loopback addresses only', () => {
  for (const good of [
    {},
    { HOST: '::1', BASE_URL: 'http://localhost:8080', AUTH_URL: 'https://127.0.0.1' },
    { BASE_URL: 'http://[::1]:8080' },
  ]) {
    assertLoopbackOnly(readConfig(good))
  }
  for (const bad of [
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: 'jobs.example.com' },
    { BASE_URL: 'https://jobs.example.com' },
    { AUTH_URL: 'https://localhost.example.com' },
  ]) {
    const [name] = Object.keys(bad)
    assert.throws(() => assertLoopbackOnly(readConfig(bad)), {
      name: 'SettingError',
      message: new RegExp(`^${name}: `),
    })
  }
})

test('the bounds of retention periods contain each other', () => {
  const read = (RETENTION_MONTHS_MIN: string, RETENTION_MONTHS: string, RETENTION_MONTHS_MAX: string) =>
    readConfig({ RETENTION_MONTHS_MIN, RETENTION_MONTHS, RETENTION_MONTHS_MAX }).retention
  assert.deepEqual(read('', '', ''), { standard: null, min: 1, max: 120 })
  assert.deepEqual(read('6', '12', '24'), { standard: 12, min: 6, max: 24 })
  assert.deepEqual(read('12', '12', '12'), { standard: 12, min: 12, max: 12 })
  for (const [min, standard, max] of [
    ['12', '', '6'],
    ['6', '5', '24'],
    ['6', '25', '24'],
  ] as const)
    assert.throws(() => read(min, standard, max), SettingError)
})

test('versions of ads are kept as long as the rules of ads demand', () => {
  const read = (AD_RULES: string, AD_VERSION_MONTHS: string) =>
    readConfig({ AD_RULES, AD_VERSION_MONTHS }).limits.adVersionMonths
  for (const rules of ['ontario', 'eu,ontario'])
    assert.throws(() => read(rules, '35'), {
      name: 'SettingError',
      message: 'AD_VERSION_MONTHS: must be 36 or more, as a rule set in AD_RULES demands',
    })
  assert.equal(read('ontario', '36'), 36)
  assert.equal(read('ontario', ''), 36)
  assert.equal(read('eu', '1'), 1)
  assert.equal(read('', '1'), 1)
})
