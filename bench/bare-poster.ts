// The least that sending webhooks can cost: undici posts the same bytes to as many URLs, one after the other to each.
// `/<n>` sends n to each of them and answers when all have been accepted. Arguments: the port of the receiver, how many URLs.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { renderEvent } from '../src/model/events.ts'

const [receiver, lanes] = process.argv.slice(2).map(Number)
const dispatcher = new Agent({ pipelining: 1 })
const body = renderEvent(
  { advertiserId: 10000001 },
  {
    number: 1_794_614_400_123,
    type: 'application.created',
    applicationId: 4001,
    detail: '"jobReference":"HCR-7","jobAdId":32,"hasUnscanned":true',
  },
)
const headers = {
  'content-type': 'application/json',
  'webhook-id': 'evt_10000001_1794614400123',
  'webhook-timestamp': '1794614400',
  'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
}

async function post(lane: number, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    const url = `http://127.0.0.1:${receiver}/hooks/${lane}`
    const answer = await request(url, { method: 'POST', headers, body, dispatcher })
    await answer.body.dump()
    if (answer.statusCode !== 204) throw new Error(`the receiver answered ${answer.statusCode}`)
  }
}

const server = createServer(async ({ url }, response) => {
  const count = Number(url?.slice(1))
  await Promise.all(Array.from({ length: lanes ?? 1 }, (_, lane) => post(lane, count)))
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ msg: 'listening', port }))
})
