import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig, SettingError, settings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'dossier-secrets-'))
after(() => rmSync(folder, { recursive: true }))

function fileWith(content: string): string {
  const path = join(folder, 'secret')
  writeFileSync(path, content)
  return path
}

const url = 'postgres://dossier:hunter2@db.internal/dossier'
const valid: Record<string, string> = {
  DATABASE_URL: url,
  DATABASE_REPLICA_URL: url,
  DATABASE_LISTEN_URL: url,
  SMTP_URL: 'smtps://dossier:hunter2@mail.example.com',
  WEBHOOK_KEY: Buffer.alloc(32, 'k').toString('base64'),
  SECRETS_KEY: Buffer.alloc(32, 's').toString('base64'),
  BACKUP_PASSPHRASE: 'correct horse battery',
  WEBHOOK_PROXY: 'http://dossier:hunter2@proxy.internal:4750',
  OIDC_CLIENT_SECRET: 'hunter2',
  OPERATOR_OIDC_CLIENT_SECRET: 'hunter2',
}
const secrets = Object.entries(settings).flatMap(([name, setting]) => ('isSecret' in setting ? [name] : []))

test('the settings that may contain a secret', () => {
  assert.deepEqual(secrets.toSorted(), Object.keys(valid).toSorted())
})

for (const name of secrets as (keyof typeof settings)[]) {
  test(`${name} is read from the file in ${name}_FILE, without the line break at its end`, () => {
    const text = valid[name] ?? ''
    const config = readConfig({ [`${name}_FILE`]: fileWith(`${text}\n`) })
    assert.deepEqual(config[name], readConfig({ [name]: text })[name])
    assert.notEqual(config[name], undefined)
  })
}

test('other settings have no file', () => {
  assert.equal(readConfig({ BASE_URL_FILE: fileWith('https://jobs.example.com') }).BASE_URL, undefined)
})

const wrong: [fault: string, environment: () => Record<string, string>, told: RegExp][] = [
  [
    'both a value and a file',
    () => ({ DATABASE_URL: url, DATABASE_URL_FILE: fileWith(url) }),
    /^DATABASE_URL_FILE: must not be set together with DATABASE_URL$/,
  ],
  [
    'a missing file',
    () => ({ DATABASE_URL_FILE: join(folder, 'none') }),
    /^DATABASE_URL_FILE: must be the path of a file that this user can read \(ENOENT[^\n]+\)$/,
  ],
  ['a folder', () => ({ SMTP_URL_FILE: folder }), /^SMTP_URL_FILE: must be the path .*EISDIR/],
  [
    'an empty file',
    () => ({ DATABASE_URL_FILE: fileWith('\n') }),
    /^DATABASE_URL_FILE: must be the path of a file that is not empty$/,
  ],
  [
    'a wrong value',
    () => ({ DATABASE_URL_FILE: fileWith('mysql://dossier:hunter2@db/dossier') }),
    /^DATABASE_URL_FILE: must be a URL such as postgres:/,
  ],
]
for (const [fault, environment, told] of wrong) {
  test(`${fault} is rejected in a line that names the setting but not the secret`, () => {
    assert.throws(
      () => readConfig(environment()),
      (error: unknown) => {
        assert.ok(error instanceof SettingError)
        assert.match(error.message, told)
        assert.doesNotMatch(error.message, /hunter2/)
        return true
      },
    )
  })
}
