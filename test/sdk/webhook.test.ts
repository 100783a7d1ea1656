import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { test } from 'node:test'
import { verifyWebhook } from '../../sdk/typescript/src/index.ts'
import { createSigner, receiverKey, signatureSchemes } from '../../src/events/webhooks/signing-rules.ts'
import { startProgram } from './following.ts'

const event = {
  id: 'evt_10000001_1',
  type: 'application.erased',
  timestamp: '2026-11-14T00:00:00.000Z',
  data: {},
}
const body = JSON.stringify({ ...event, data: { name: 'Zoë' } })
const seconds = 1_794_614_400
const secret = randomBytes(32)
const whsec = `whsec_${secret.toString('base64')}`
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const whpk = `whpk_${publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`

const v1 = (text = body, key = secret) =>
  `v1,${createHmac('sha256', key).update(`${event.id}.${seconds}.${text}`).digest('base64')}`
const v1a = `v1a,${sign(null, Buffer.from(`${event.id}.${seconds}.${body}`), privateKey).toString('base64')}`

interface Case {
  name: string
  signature: string
  secrets: string[]
  changes?: { body?: string; id?: string; at?: string; now?: number }
  code?: 'webhook-rejected' | 'bad-settings'
}

const other = randomBytes(24)
const cases: Case[] = [
  { name: 'v1', signature: v1(), secrets: [whsec] },
  { name: 'in a rotation, the new receiver', signature: `${v1(body, other)} ${v1()}`, secrets: [whsec] },
  {
    name: 'in a rotation, both secrets',
    signature: v1(),
    secrets: [`whsec_${other.toString('base64')}`, whsec],
  },
  { name: 'v1 behind v1a', signature: `${v1a} ${v1()}`, secrets: [whsec] },
  { name: '300 seconds late', signature: v1(), secrets: [whsec], changes: { now: seconds + 300 } },
  {
    name: '301 seconds late',
    signature: v1(),
    secrets: [whsec],
    changes: { now: seconds + 301 },
    code: 'webhook-rejected',
  },
  {
    name: '301 seconds early',
    signature: v1(),
    secrets: [whsec],
    changes: { now: seconds - 301 },
    code: 'webhook-rejected',
  },
  {
    name: 'another body',
    signature: v1(),
    secrets: [whsec],
    changes: { body: `${body} ` },
    code: 'webhook-rejected',
  },
  {
    name: 'another ID',
    signature: v1(),
    secrets: [whsec],
    changes: { id: 'evt_10000001_2' },
    code: 'webhook-rejected',
  },
  {
    name: 'another time',
    signature: v1(),
    secrets: [whsec],
    changes: { at: String(seconds + 1) },
    code: 'webhook-rejected',
  },
  {
    name: 'a time that is none',
    signature: v1(),
    secrets: [whsec],
    changes: { at: 'now' },
    code: 'webhook-rejected',
  },
  { name: 'another secret', signature: v1(body, other), secrets: [whsec], code: 'webhook-rejected' },
  { name: 'no signature', signature: '', secrets: [whsec], code: 'webhook-rejected' },
  {
    name: 'a signature that is none',
    signature: 'v1,%%% v1 , v1,',
    secrets: [whsec],
    code: 'webhook-rejected',
  },
  {
    name: 'signed, but not JSON',
    signature: v1('hello'),
    secrets: [whsec],
    changes: { body: 'hello' },
    code: 'webhook-rejected',
  },
  {
    name: 'a signature beyond ASCII',
    signature: `v1,${'é'.repeat(44)}`,
    secrets: [whsec],
    code: 'webhook-rejected',
  },
  {
    name: 'an ID beyond ASCII',
    signature: v1(),
    secrets: [whsec],
    changes: { id: 'evt_é' },
    code: 'webhook-rejected',
  },
  { name: 'a private key', signature: v1(), secrets: ['whsk_AAAA'], code: 'bad-settings' },
]
const ofPublicKeys: Case[] = [
  { name: 'v1a', signature: `${v1()} ${v1a}`, secrets: [whpk] },
  {
    name: 'v1a, another body',
    signature: v1a,
    secrets: [whpk],
    changes: { body: `${body} ` },
    code: 'webhook-rejected',
  },
  { name: 'v1 for a receiver of v1a', signature: v1(), secrets: [whpk], code: 'webhook-rejected' },
  { name: 'no secret', signature: v1(), secrets: [], code: 'bad-settings' },
]

function requestOf({ signature, changes = {} }: Case) {
  const { id = event.id, at = String(seconds) } = changes
  return {
    body: changes.body ?? body,
    headers: { 'Webhook-Id': id, 'webhook-timestamp': at, 'webhook-signature': signature },
    now: (changes.now ?? seconds) * 1000,
  }
}

test('signatures are verified, in every form of body and headers', async () => {
  for (const each of [...cases, ...ofPublicKeys]) {
    const { body: sent, headers, now } = requestOf(each)
    for (const webhook of [
      { body: sent, headers },
      { body: Buffer.from(sent), headers: new Headers(headers) },
      { body: new TextEncoder().encode(sent), headers: { ...headers, accept: ['a', 'b'], host: undefined } },
    ]) {
      const verified = verifyWebhook({ ...webhook, secrets: each.secrets, now })
      if (each.code === undefined) assert.deepEqual(await verified, JSON.parse(body), each.name)
      else await assert.rejects(verified, { code: each.code }, each.name)
    }
  }
})

test('what the service signs is verified, by the old receiver too while a secret is rotated', async () => {
  for (const scheme of signatureSchemes) {
    const keys = [randomBytes(32)] as const
    const before = { id: 'whe_1', scheme, generation: 1, overlapUntil: null }
    const now = { ...before, generation: 2, overlapUntil: seconds * 1000 + 1 }
    const signature = createSigner(keys, now, seconds * 1000)(`${event.id}.${seconds}.${body}`)
    const headers = {
      'webhook-id': event.id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature,
    }
    for (const endpoint of [before, now]) {
      const verified = verifyWebhook({
        body,
        headers,
        secrets: [receiverKey(keys, endpoint)],
        now: seconds * 1000,
      })
      assert.deepEqual(await verified, JSON.parse(body), scheme)
    }
  }
})

test('Python verifies the same', async () => {
  const sent = cases.map(each => ({ ...requestOf(each), secrets: each.secrets }))
  const { stdout, stderr, code } = await startProgram('webhooks.py', { WEBHOOKS: JSON.stringify(sent) })
    .finished
  assert.equal(code, 0, stderr)
  assert.deepEqual(
    JSON.parse(stdout),
    cases.map(each => each.code ?? event.id),
  )
})
