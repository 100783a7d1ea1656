import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import { send } from '../harness/http.ts'
import { listenLocally } from '../harness/listen-locally.ts'
import { type Nginx, startNginx } from '../harness/nginx.ts'
import { balancerServer } from '../harness/nginx-balancer.ts'

/** Nodes that process a request and die before they respond. Enough of them: nginx avoids a failed one for a second. */
const nodes: Server[] = []
let done = 0
let nginx: Nginx

before(async () => {
  const ports: number[] = []
  for (let count = 0; count < 4; count++) {
    const node = createServer(request => {
      request.resume().on('end', () => {
        done += 1
        request.socket.destroy()
      })
    })
    ports.push(await listenLocally(node))
    nodes.push(node)
  }
  nginx = await startNginx(listen => balancerServer(listen, ports))
})
after(async () => {
  await nginx.stop()
  for (const node of nodes) node.close()
})

const post = (path: string, headers: Record<string, string>) =>
  send(nginx.url, path, 'POST', { headers, body: Buffer.from('an application') })

test('an application without an idempotency key is never sent twice', async () => {
  for (const path of ['/v1/intake/applications', '/apply/1']) {
    done = 0
    const { status } = await post(path, {})
    assert.deepEqual([status, done], [502, 1])
  }
})

test('one with a key goes to the next node', async () => {
  done = 0
  await post('/v1/intake/applications', { 'idempotency-key': 'one' })
  assert.ok(done > 1)
})
