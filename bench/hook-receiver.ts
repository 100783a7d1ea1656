// The receiver of webhooks: node:http that reads the body and accepts it. `/count` says how many it has accepted.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let accepted = 0

const server = createServer((request, response) => {
  if (request.url === '/count') {
    response.end(String(accepted))
    return
  }
  request.resume().on('end', () => {
    accepted += 1
    response.writeHead(204).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ msg: 'listening', port }))
})
