import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Marked, type Tokens } from 'marked'
import { attemptOutcomes } from '../../src/events/webhooks/ports.ts'
import { WebhookSchema } from '../../src/events/webhooks/schemas.ts'
import { createSigner, receiverKey, signedHeaders } from '../../src/events/webhooks/signing-rules.ts'
import { hasPhp } from '../harness/php.ts'
import { readText } from '../harness/repository.ts'
import { hasRuby } from '../harness/ruby.ts'

const blocks = new Marked()
  .lexer(readText('docs/integrating/webhooks.md'))
  .filter((token): token is Tokens.Code => token.type === 'code')
const codeIn = (language: string, word: string) =>
  blocks.find(({ lang, text }) => lang === language && text.includes(word))?.text ?? assert.fail(language)

test('the guide and the document explain every outcome of an attempt, and no other', () => {
  const guide = readText('docs/integrating/webhooks.md')
  const [, rows = ''] = guide.split('| outcome | meaning |\n|---|---|\n')
  const [table = ''] = rows.split('\n\n')
  assert.deepEqual(
    [...table.matchAll(/^\| `(.*?)` \| \S/gm)].map(([, word]) => word),
    [...attemptOutcomes],
  )
  const { description } = WebhookSchema.properties.test.properties.outcome as { description?: string }
  assert.deepEqual(
    [...String(description).matchAll(/`(.*?)`: \w/g)].map(([, word]) => word),
    [...attemptOutcomes],
  )
})

const keys = [randomBytes(32)] as const
const endpoint = {
  id: 'an endpoint',
  scheme: 'v1' as const,
  generation: 2,
  overlapUntil: Date.now() + 3_600_000,
}
const secret = receiverKey(keys, endpoint)
const former = receiverKey(keys, { ...endpoint, generation: 1 })
const body = '{"type":"application.created","data":{"jobReference":"Zürich “7”"}}'
const headersAt = (at: number) => signedHeaders(createSigner(keys, endpoint, Date.now()), 'evt_1_2', body, at)

const withHeader = (name: string, value: string | string[]) => ({
  ...headersAt(Date.now()),
  [`webhook-${name}`]: value,
})
const inCapitals = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/\b[a-z]/g, letter => letter.toUpperCase()),
      value,
    ]),
  )

/** What each receiver is given, and whether it must accept it. */
const cases: [
  name: string,
  secret: string,
  headers: Record<string, string | string[]>,
  body: string,
  isTaken: boolean,
][] = [
  ['the new secret', secret, headersAt(Date.now()), body, true],
  ['the old secret during the overlap', former, headersAt(Date.now()), body, true],
  ['another byte', secret, headersAt(Date.now()), body.replace('7', '8'), false],
  ['another ID', secret, { ...headersAt(Date.now()), 'webhook-id': 'evt_1_3' }, body, false],
  ['an old copy', secret, headersAt(Date.now() - 400_000), body, false],
  ['headers in capital letters, as PHP has them', secret, inCapitals(headersAt(Date.now())), body, true],
  ['no headers', secret, {}, body, false],
  ...['x', '', '1e3', '9'.repeat(400), '１７９４６１４４００', '-1', ' 1', 'NaN'].map(
    (at): (typeof cases)[number] => ['a time that is none', secret, withHeader('timestamp', at), body, false],
  ),
  ...['', 'v1', 'v1,', ',', 'v1,é', `v1,${'é'.repeat(44)}`, '日本'].map((odd): (typeof cases)[number] => [
    'an odd signature',
    secret,
    withHeader('signature', odd),
    body,
    false,
  ]),
  ['a header twice', secret, withHeader('id', ['evt_1_2', 'evt_1_3']), body, false],
  ['another secret', `whsec_${randomBytes(32).toString('base64')}`, headersAt(Date.now()), body, false],
]

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
})
after(() => rm(folder, { recursive: true }))

/** Runs a program with the cases as JSON; it prints one word for each. */
async function run(command: string, file: string, program: string): Promise<void> {
  const path = join(folder, file)
  await writeFile(path, program)
  const given = JSON.stringify(cases.map(([, key, headers, text]) => ({ secret: key, headers, body: text })))
  const printed = execFileSync(command, [path], { input: given, encoding: 'utf8' }).trim().split(/\s+/)
  assert.deepEqual(
    cases.map(([name], index) => [name, printed[index]]),
    cases.map(([name, , , , isTaken]) => [name, isTaken ? 'yes' : 'no']),
  )
}

test('the code in TypeScript verifies', () =>
  run(
    process.execPath,
    'verify.ts',
    `${codeIn('typescript', 'verify')}
import { readFileSync } from 'node:fs'
for (const { secret, headers, body } of JSON.parse(readFileSync(0, 'utf8'))) console.log(verify(secret, headers, body) ? 'yes' : 'no')`,
  ))

test('the code in Python verifies', () =>
  run(
    'python3',
    'verify.py',
    `${codeIn('python', 'verify')}
import json, sys
for case in json.load(sys.stdin):
    print("yes" if verify(case["secret"], case["headers"], case["body"].encode()) else "no")`,
  ))

const inPhp = hasPhp ? test : () => {}
inPhp('the code in PHP verifies', () =>
  run(
    'php',
    'verify.php',
    `${codeIn('php', 'verify')}
foreach (json_decode(stream_get_contents(STDIN), true) as $case) echo verify($case['secret'], $case['headers'], $case['body']) ? 'yes ' : 'no ';`,
  ),
)

/** Not in the guide: an implementation that shares nothing with the others. */
const ruby = `require 'base64'
require 'json'
require 'openssl'

def verify(secret, headers, body)
  given = headers.transform_keys(&:downcase)
  id, timestamp, signatures = given.values_at('webhook-id', 'webhook-timestamp', 'webhook-signature')
  return false unless [id, timestamp, signatures].all?(String) && (Time.now.to_i - timestamp.to_i).abs <= 300
  key = Base64.strict_decode64(secret.delete_prefix('whsec_'))
  mac = OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.#{body}")
  expected = "v1,#{Base64.strict_encode64(mac)}"
  signatures.split.any? { |given| OpenSSL.secure_compare(given, expected) }
end

JSON.parse($stdin.read).each { |each| puts verify(each['secret'], each['headers'], each['body']) ? 'yes' : 'no' }`

const inRuby = hasRuby ? test : () => {}
inRuby('Ruby verifies', () => run('ruby', 'verify.rb', ruby))

test('openssl computes the same signature', () => {
  const headers = headersAt(Date.now())
  const printed = execFileSync('sh', ['-c', codeIn('sh', 'openssl')], {
    encoding: 'utf8',
    env: {
      ...process.env,
      SECRET: secret,
      ID: headers['webhook-id'],
      TIMESTAMP: headers['webhook-timestamp'],
      BODY: body,
    },
  })
  assert.equal(printed, headers['webhook-signature']?.split(' ')[0])
})

test('openssl verifies v1a with the public key', async () => {
  const signing = { ...endpoint, scheme: 'v1a' as const, overlapUntil: null }
  const headers = signedHeaders(createSigner(keys, signing, Date.now()), 'evt_1_2', body, Date.now())
  const prefix = Buffer.from('302a300506032b6570032100', 'hex')
  const raw = Buffer.from(receiverKey(keys, signing).slice('whpk_'.length), 'base64')
  const signature = Buffer.from(headers['webhook-signature']?.split(',')[1] ?? '', 'base64')
  const paths = ['key.der', 'text', 'signature'].map(name => join(folder, name))
  const [key = '', text = '', signed = ''] = paths
  await writeFile(key, Buffer.concat([prefix, raw]))
  await writeFile(text, `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
  await writeFile(signed, signature)
  const verify = ['pkeyutl', '-verify', '-rawin', '-pubin', '-keyform', 'DER', '-inkey', key]
  const said = execFileSync('openssl', [...verify, '-in', text, '-sigfile', signed], { encoding: 'utf8' })
  assert.match(said, /Verified Successfully/)
})
