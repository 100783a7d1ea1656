import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { prepareCallers, setCaller } from './auth/callers.ts'
import { readBodies } from './requests/bodies.ts'
import { type PathParameter, pathId, route } from './routes.ts'

test('the handler gets the caller, the parameters of the path and the form', async () => {
  const app = Fastify()
  prepareCallers(app)
  readBodies(app, { jsonBytes: 1000, formBytes: 1000 })
  app.addHook('onRequest', async request => setCaller(request, { clientId: 'board' }))
  app.route(
    route({
      method: 'POST',
      url: '/boards/:boardId/ads/:adId',
      auth: 'intake-token',
      body: 'form',
      config: { errors: 'page' },
      handle: ({ request, caller: { clientId }, params: { boardId, adId }, fields }) => ({
        called: [clientId, boardId, pathId(adId), fields.get('title')],
        config: request.routeOptions.config,
      }),
    }),
  )
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const send = (url: string) => app.inject({ method: 'POST', url, headers, body: 'title=Barista' })
  const { called, config } = (await send('/boards/x/ads/7')).json()
  assert.deepEqual(called, ['board', 'x', 7, 'Barista'])
  assert.deepEqual([config.auth, config.body, config.errors], ['intake-token', 'form', 'page'])
  assert.equal((await send('/boards/x/ads/y')).json().code, 'not-found')
  await app.close()
})

test('a path that is not an ID is not found', () => {
  for (const text of ['', '0', '-1', '1.5', '01', 'x', '1e3', '9'.repeat(17)]) {
    assert.throws(() => pathId(text), { code: 'not-found' })
  }
  assert.equal(pathId('10000001'), 10_000_001)
})

test('the compiler knows the names in a path', () => {
  const names: [
    PathParameter<'/a/:one'>,
    PathParameter<'/a/:one/b/:two/c'>,
    PathParameter<'/a/:one/b/:two/c'>,
    PathParameter<`${string}/b/:three`>,
  ] = ['one', 'one', 'two', 'three']
  // @ts-expect-error The path has no such parameter.
  const other: PathParameter<'/a/:one/b/:two'> = 'three'
  assert.ok(!names.slice(0, 3).includes(other as never))
})
