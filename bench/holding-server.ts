// The floor of a waiting request: node:http that holds every request until it is told to answer all of them.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

let held: ServerResponse[] = []

const server = createServer((request, response) => {
  if (request.url !== '/wake') {
    held.push(response)
    return
  }
  const all = held
  held = []
  for (const each of all) each.end('{}')
  response.end(String(all.length))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ msg: 'listening', port }))
})
