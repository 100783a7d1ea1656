import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { createPublicServer } from '../../src/assembly/servers.ts'
import { readConfig } from '../../src/settings.ts'
import { createTestDatabase, open } from '../harness/database.ts'
import { serverOptions } from '../harness/server.ts'
import { appOf } from '../harness/services.ts'
import { downloads, pageRoutes } from './page-routes.ts'

/** It serves programs too, and sends them problems. */
const pagesForBoth = ['/']

test('every page of the service is in a list of pages that the browser checks', async () => {
  const database = await createTestDatabase('sqlite', 'empty')
  const services = await open(database.settings)
  const routes: RouteOptions[] = []
  try {
    const { app } = await createPublicServer(readConfig(database.settings), appOf(services), {
      ...serverOptions(),
      isDemo: true,
      async beforeRoutes(instance) {
        instance.addHook('onRoute', route => {
          routes.push(route)
        })
      },
    })
    await app.close()
  } finally {
    await services.close()
    await database.remove()
  }
  const pages = routes
    .filter(({ method, config }) => [method].flat().includes('GET') && config?.errors === 'page')
    .map(({ url }) => url)
  const listed = [...Object.values(pageRoutes).flat(), ...downloads]
  assert.deepEqual(listed.toSorted(), [...pages, ...pagesForBoth].toSorted())
})
