import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { applicationsInSmallChunks, uploaded } from '../harness/applications.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { seeded } from '../harness/random.ts'
import { addTenant, draftOf, type Tenant } from '../harness/tenant.ts'
import { asking } from './nodes.ts'

const random = seeded()

const writers = 8
const runs = times(3, 500)

interface Listed {
  ID: number
}

withServices('a first sync and what follows it', services => {
  let tenant: Tenant

  /** Writes in an order that differs from run to run. */
  async function write(): Promise<void> {
    const { advertiserId } = tenant
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const file = await uploaded(services(), { type: 'resume', scan: 'unscanned' }, 'a resume')
        for (let turn = Math.floor(random() * 8); turn > 0; turn--) await new Promise(setImmediate)
        const { id } = await services().submissions.add(advertiserId, draftOf(writer, [file]))
        if (writer % 2 === 0)
          await services().applications.recordVerdict(advertiserId, id, 'resume', 'infected')
        if (writer % 3 === 0) await services().erasure.erase(advertiserId, id)
      }),
    )
  }

  async function list(): Promise<Map<number, unknown>> {
    const owner = { advertiserId: tenant.advertiserId, agentId: null }
    // Read in many steps, so that writes come in between.
    const chunks = await applicationsInSmallChunks(services(), 3).listAll(owner, 'json', {
      includePrimaryInfo: true,
    })
    const found: Listed[] = JSON.parse(await text(chunks)).JobApplications.JobApplicationsList
    return new Map(found.map(application => [application.ID, application]))
  }

  test('a cursor, then the list, then the feed give the state of the database, whatever is written meanwhile', async () => {
    const ask = asking(services())
    for (let run = 0; run < runs; run++) {
      tenant = await addTenant(services())
      let isOver = false
      const writing = write().finally(() => {
        isOver = true
      })
      let { cursor } = await ask(tenant, '')
      const copy = await list()
      const known = Math.max(0, ...copy.keys())
      const created: number[] = []
      for (;;) {
        const wasOver = isOver
        const answer = await ask(tenant, `cursor=${cursor}&limit=3&include=application`)
        cursor = answer.cursor
        for (const { type, data, application } of answer.events) {
          const id = Number(data['applicationId'])
          if (type === 'application.created' && id > known) created.push(id)
          copy.set(id, application)
        }
        if (wasOver && answer.events.length === 0) break
        if (answer.events.length === 0) await new Promise(setImmediate)
      }
      await writing
      const state = await list()
      assert.deepEqual(copy, state)
      assert.deepEqual(
        created,
        [...state.keys()].filter(id => id > known),
      )
    }
  })
})
