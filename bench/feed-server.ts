// The cheapest feed: node:http sends a page of 100 events from memory, whose cursor moves on with each request. It runs in
// its own process, so that the CPU time of a follower is its own.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type EventType, renderEvent } from '../src/model/events.ts'

const type: EventType = 'application.created'
const detail = '"jobReference":"HCR-7","jobAdId":32,"hasUnscanned":true'
const events = Array.from({ length: 100 }, (_, index) =>
  renderEvent(
    { advertiserId: 10000001 },
    { number: 1_794_614_400_123 + index, type, applicationId: 4001 + index, detail },
  ),
)
const head = `{"events":[${events.join(',')}],"cursor":"`
let pages = 0

const server = createServer((_request, response) => {
  const body = Buffer.from(`${head}${++pages}","more":true}`)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ msg: 'listening', port }))
})
