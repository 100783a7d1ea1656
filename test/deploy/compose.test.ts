import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import packageFile from '../../package.json' with { type: 'json' }
import { readConfig, settings } from '../../src/settings.ts'
import { limits } from '../../src/settings-limits.ts'
// The long run installs docker-compose.
import '../harness/effort.ts'
import { readText, root } from '../harness/repository.ts'

const folder = mkdtempSync(join(tmpdir(), 'dossier-compose-'))
after(() => rmSync(folder, { recursive: true }))
cpSync(join(root, 'deploy'), folder, { recursive: true })
execFileSync('sh', [join(folder, 'make-secrets.sh')])

interface ComposeService {
  image: string
  environment?: Record<string, string>
  read_only?: boolean
  cap_drop?: string[]
  volumes?: string[]
}

/** The file as Compose reads it, with its own schema and substitutions. */
function read(file: string): {
  services: Record<string, ComposeService>
  secrets?: Record<string, { file: string }>
} {
  const env = { PATH: process.env['PATH'] ?? '', DOMAIN: 'jobs.example.com' }
  return parse(
    execFileSync('docker-compose', ['--file', join(folder, file), 'config'], { env, encoding: 'utf8' }),
  )
}

for (const file of ['compose.yaml', 'compose.scale.yaml']) {
  test(`${file}: Compose takes it, its settings are ours, and its containers are confined`, () => {
    const { services, secrets = {} } = read(file)
    const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('dossier:'))
    assert.ok(ours.length > 0)
    for (const [name, { image, environment = {}, read_only, cap_drop }] of ours) {
      assert.deepEqual([image, read_only, cap_drop], [`dossier:${packageFile.version}`, true, ['ALL']], name)
      const known = new Set([
        ...Object.entries(settings).flatMap(([each, setting]) =>
          'isSecret' in setting ? [each, `${each}_FILE`] : each,
        ),
        ...Object.values(limits).map(({ setting }) => setting),
        'AWS_SHARED_CREDENTIALS_FILE',
      ])
      assert.deepEqual(
        Object.keys(environment).filter(each => !known.has(each)),
        [],
      )
      // With the secrets where the container would see them.
      const values = Object.entries(environment).map(([each, value]): [string, string] => [
        each,
        value.replace(/^\/run\/secrets\/(.+)$/, (_, secret: string) => secrets[secret]?.file ?? ''),
      ])
      const config = readConfig(Object.fromEntries(values))
      assert.equal(config.BASE_URL, 'https://jobs.example.com')
    }
  })
}

test('the files that Compose mounts exist', () => {
  for (const file of ['compose.yaml', 'compose.scale.yaml'])
    for (const [, path = ''] of readText(`deploy/${file}`).matchAll(/\.\/((?!secrets)[\w.-]+)/g))
      assert.ok(statSync(join(root, 'deploy', path)).isFile(), path)
})

test('secrets are random, closed to others, fit together, and are never replaced', () => {
  const secretOf = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8')
  assert.equal(statSync(join(folder, 'secrets')).mode & 0o777, 0o700)
  assert.ok(secretOf('database-url').includes(`:${secretOf('postgres-password')}@`))
  const [{ credentials }] = JSON.parse(secretOf('s3-config')).identities
  for (const value of Object.values<string>(credentials[0]))
    assert.ok(secretOf('s3-credentials').includes(value))
  assert.throws(
    () => execFileSync('sh', [join(folder, 'make-secrets.sh')], { stdio: 'pipe' }),
    /are there already/,
  )
  const other = join(folder, 'other')
  cpSync(join(root, 'deploy/make-secrets.sh'), join(other, 'make-secrets.sh'))
  execFileSync('sh', [join(other, 'make-secrets.sh')])
  assert.notEqual(
    readFileSync(join(other, 'secrets/postgres-password'), 'utf8'),
    secretOf('postgres-password'),
  )
})

test('clamd gets the lines that the guide explains', () => {
  const [, lines = ''] = /```\n(AlertExceedsMax[^`]*)```/.exec(readText('docs/operating/running.md')) ?? []
  assert.ok(readText('deploy/clamd.conf').endsWith(`\n\n${lines}`) && lines !== '')
})
