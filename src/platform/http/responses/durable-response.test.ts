import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { ResponseReads } from '../../core/async/response-reads.ts'
import { awaitDurable } from '../server.ts'

test('a response that waited and cannot be written gets an error, and the process goes on', async t => {
  const app = Fastify()
  t.after(() => app.close())
  app.decorateRequest('reads')
  app.addHook('onRequest', (request, _reply, done) => {
    request.reads = new ResponseReads()
    request.reads.add({ moment: 0, covers: () => false, whenDurable: async () => {} })
    done()
  })
  app.addHook('onSend', awaitDurable)
  app.setErrorHandler((_error, _request, reply) => reply.removeHeader('x-broken').status(500).send())
  app.get('/', (_request, reply) => reply.header('x-broken', 'line\nbreak').send('content'))
  const response = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }))
  assert.equal(response.status, 500)
})
