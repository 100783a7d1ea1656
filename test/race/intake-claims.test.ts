import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createIntakeStore } from '../../src/apply/intake/intake-store.ts'
import { prepareApplication } from '../../src/apply/new-application.ts'
import { plainDraft } from '../harness/applications.ts'
import { withServicesOn } from '../harness/database.ts'
import { addBoard } from '../harness/intake.ts'

withServicesOn('sqlite', 'a claim of an Idempotency-Key', (services, settings) => {
  test('that waited for another process, like the request that makes the application, returns only an ID that can be read', async () => {
    const store = createIntakeStore(services().database)
    const { id: advertiserId } = await services().advertisers.add('Harbour')
    const { id: clientId } = await addBoard(services(), advertiserId)
    const application = prepareApplication(plainDraft())
    const now = Date.now()
    const until = { expiresAt: now + 60_000, heldMs: 60_000 }
    const claim = { clientId, key: 'key', claim: 'first' }
    assert.equal(await store.claim(claim, now, until), 'claimed')
    const other = new DatabaseSync(join(String(settings()['DATA_DIR']), 'dossier.db'))
    other.exec('begin immediate')
    const asking = store.claim({ ...claim, claim: 'second' }, now, until)
    // From here on it waits for the file, and the next transaction waits for it.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    const kept = { ...claim, contentHash: 'hash', expiresAt: until.expiresAt }
    const making = store.addOnce(kept, advertiserId, application, { now, submittedAt: undefined })
    other.exec('rollback')
    other.close()
    const outcome = await asking
    assert.ok(outcome !== 'claimed')
    if ('madeId' in outcome) assert.ok((await store.find(clientId, outcome.madeId)) !== undefined)
    await making
  })
})
