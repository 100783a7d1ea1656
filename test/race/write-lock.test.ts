import assert from 'node:assert/strict'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Problem } from '../../src/platform/core/problems.ts'
import { readConfig } from '../../src/settings.ts'
import { createTestDatabase, open, silentLog, type TestDatabase } from '../harness/database.ts'
import { call } from '../harness/http.ts'
import { type Running, startNode } from '../harness/process.ts'
import { openServices, type Services } from '../harness/services.ts'
import { type Serving, startServing } from '../harness/serving.ts'
import { addTenant, draftOf, listPath, type Tenant } from '../harness/tenant.ts'

const holderScript = fileURLToPath(new URL('./lock-holder.ts', import.meta.url))
const readsMeanwhile = 50

describe('while another process holds the write lock of SQLite', () => {
  let database: TestDatabase
  let services: Services
  let tenant: Tenant
  let holder: Running

  before(async () => {
    database = await createTestDatabase('sqlite', 'empty')
    services = await open(database.settings)
    await services.schema.migrate()
    tenant = await addTenant(services)
    await services.submissions.add(tenant.advertiserId, draftOf('before'))
  })
  after(async () => {
    await services.close()
    await database.remove()
  })
  beforeEach(async () => {
    holder = startNode(holderScript, [join(String(database.settings['DATA_DIR']), 'dossier.db')])
    await holder.until(stdout => stdout.includes('locked') || undefined)
  })
  afterEach(() => {
    holder.child.kill('SIGKILL')
  })

  async function release(): Promise<void> {
    holder.child.stdin?.end()
    await holder.finished
  }

  const list = async (): Promise<string> => {
    const owner = { advertiserId: tenant.advertiserId, agentId: null }
    return text(await services.applications.listAll(owner, 'json', { includePrimaryInfo: false }))
  }

  test('a write waits without stopping the reads of its own process, and succeeds after the release', async () => {
    let isSettled = false
    const write = services.submissions.add(tenant.advertiserId, draftOf('waiting')).finally(() => {
      isSettled = true
    })
    for (let i = 0; i < readsMeanwhile; i++) assert.match(await list(), /candidate\.before@/)
    // A wait inside SQLite would have stopped the event loop, and so settled before the first read came back.
    assert.equal(isSettled, false)
    assert.doesNotMatch(await list(), /candidate\.waiting@/)
    await release()
    const { id } = await write
    assert.match(await list(), new RegExp(`"ID":${id},.*candidate\\.waiting@`))
  })

  test('a service answers, although it cannot write that a credential was used', async () => {
    const serving: Serving = await startServing(database)
    try {
      // Enough for it to try, and to go on trying, while it answers.
      for (let i = 0; i < readsMeanwhile; i++) {
        const answer = await call(serving, `${listPath}?limit=1`, { headers: tenant.headers })
        assert.equal(answer.status, 200)
      }
      assert.equal(await lastUsedAt(), null)
      await release()
      // It ends only when everything is written.
      await serving.stop()
      assert.notEqual(await lastUsedAt(), null)
    } finally {
      serving.end()
    }
  })

  test('a write gives up as unavailable when the wait is over, and leaves nothing behind', async () => {
    const config = readConfig(database.settings)
    const hurried = await openServices({ ...config, limits: { ...config.limits, busyWaitMs: 50 } }, silentLog)
    try {
      await assert.rejects(
        hurried.submissions.add(tenant.advertiserId, draftOf('too-late')),
        (error: unknown) =>
          error instanceof Problem && error.code === 'unavailable' && error.retryAfterSeconds === 1,
      )
      await release()
      assert.doesNotMatch(await list(), /candidate\.too-late@/)
      await hurried.submissions.add(tenant.advertiserId, draftOf('afterwards'))
      assert.match(await list(), /candidate\.afterwards@/)
    } finally {
      await hurried.close()
    }
  })

  async function lastUsedAt(): Promise<number | null | undefined> {
    const [credential] = await services.credentials.list(tenant.advertiserId)
    return credential?.lastUsedAt
  }
})
