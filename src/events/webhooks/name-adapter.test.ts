import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createResolve } from './name-adapter.ts'

/** A name server that knows some IPv4 addresses, says that other names do not exist, and is silent about `.dead` names. */
const known = new Map([
  ['receiver.test', [192, 0, 2, 7]],
  ['ats.house.internal', [10, 0, 0, 9]],
])
const server = createSocket('udp4')
server.on('message', (query, from) => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const name = labels.join('.').toLowerCase()
  if (name.endsWith('.dead')) return
  const question = query.subarray(12, at + 5)
  const address = query.readUInt16BE(at + 1) === 1 ? known.get(name) : undefined
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(known.has(name) ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(address === undefined ? 0 : 1, 6)
  head.fill(0, 8)
  const record = address && Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, ...address])
  server.send(Buffer.concat([head, question, ...(record === undefined ? [] : [record])]), from.port)
})
const folder = mkdtempSync(join(tmpdir(), 'names-'))
const hostsFile = join(folder, 'hosts')
const resolverFile = join(folder, 'resolv.conf')
writeFileSync(hostsFile, '# hosts\n10.0.0.8 Ats.House ats # ours\n::1 ats.house\nnonsense other\n')
writeFileSync(resolverFile, 'nameserver 192.0.2.1\nsearch example.org house.internal\n')
let servers: string[] = []
before(async () => {
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  servers = [`127.0.0.1:${server.address().port}`]
})
after(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const resolveWithin = (deadlineMs: number, isSearched = false) =>
  createResolve({ deadlineMs, searches: () => isSearched, hostsFile, resolverFile, servers })

test('names are found in the hosts file, then by a name server', async () => {
  const resolve = resolveWithin(60_000)
  assert.deepEqual(await resolve('receiver.test'), [{ address: '192.0.2.7', family: 4 }])
  assert.deepEqual(await resolve('ATS.house.'), [
    { address: '10.0.0.8', family: 4 },
    { address: '::1', family: 6 },
  ])
  assert.deepEqual(await resolve('localhost'), [{ address: '127.0.0.1', family: 4 }])
})

test('search domains complete only the names that the operator has listed', async () => {
  assert.deepEqual(await resolveWithin(60_000, true)('ats'), [{ address: '10.0.0.8', family: 4 }])
  writeFileSync(hostsFile, '')
  assert.deepEqual(await resolveWithin(60_000, true)('ats'), [{ address: '10.0.0.9', family: 4 }])
  await assert.rejects(resolveWithin(60_000, false)('ats'), { code: 'NAME_UNRESOLVED' })
  await assert.rejects(resolveWithin(60_000, true)('ats.'), { code: 'NAME_UNRESOLVED' })
})

test('an unknown name, a silent name server and one that is down are all told as such', async () => {
  await assert.rejects(resolveWithin(60_000)('unknown.test'), { code: 'NAME_UNRESOLVED' })
  await assert.rejects(resolveWithin(60_000)('no..name'), { code: 'NAME_UNRESOLVED' })
  await assert.rejects(resolveWithin(50)('receiver.dead'), { code: 'NAME_UNRESOLVED' })
  servers = ['127.0.0.1:1']
  await assert.rejects(resolveWithin(60_000)('receiver.test'), { code: 'NAME_UNRESOLVED' })
  servers = [`127.0.0.1:${server.address().port}`]
})

test('names without an answer do not delay others', async () => {
  // More than any pool of threads has, and their deadline never comes in this test.
  const dead = createResolve({ deadlineMs: 2_000_000, searches: () => false, hostsFile, servers })
  const waiting = Array.from({ length: 100 }, (_, index) => dead(`receiver-${index}.dead`))
  for (const each of waiting) each.catch(() => {})
  assert.deepEqual(await resolveWithin(60_000)('receiver.test'), [{ address: '192.0.2.7', family: 4 }])
})
