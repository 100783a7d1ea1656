import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { addCandidate, plainDraft, uploaded } from '../../../test/harness/applications.ts'
import { createTestDatabase, fileEngines, open } from '../../../test/harness/database.ts'
import { createBucket, storedBlobs } from '../../../test/harness/s3.ts'
import { createCandidateStore } from '../../people/profile/candidate-store.ts'
import { NotOurFiles } from '../../platform/blobs/faults.ts'
import { createBlobReferences } from './blob-reference-store.ts'

const stranger = '20261001/00/0123456-8f395fab-2607-46df-941d-25a472c5b129'
const young = '29991231/00/0123456-8f395fab-2607-46df-941d-25a472c5b129'
const nothing = { did: { loose: 0, uploads: 0 } }

for (const engine of fileEngines) {
  describe(`whose files these are [${engine}]`, () => {
    async function boardFor(t: TestContext) {
      const database = await createTestDatabase(engine)
      const services = await open(database.settings)
      t.after(async () => {
        await services.close()
        await database.remove()
      })
      await services.schema.migrate()
      const [place] = services.ownership.places
      assert.ok(place)
      return {
        services,
        place,
        stored: storedBlobs(database.settings),
        references: createBlobReferences(services.database),
        work: () => services.cleanUp.run(),
        async apply() {
          const { id } = await services.advertisers.add('Harbour Coffee Roasters')
          const file = await uploaded(services, { type: 'resume' }, 'a resume')
          await services.submissions.add(id, plainDraft({ files: [file] }))
          return String(file.blob)
        },
        async releaseOne() {
          await addCandidate(services, 'person')
          const file = await uploaded(services, { type: 'resume' }, 'a resume')
          const candidates = createCandidateStore(services.database)
          await candidates.addResume('person', { id: 'resume', ...file }, 100)
          await candidates.removeResume('person', 'resume', 1)
          return String(file.blob)
        },
      }
    }

    test('an empty store is marked, once and for all, and later uploads can be removed', async t => {
      const { work, place, stored, references } = await boardFor(t)
      assert.deepEqual(await work(), nothing)
      const id = await references.databaseId()
      assert.match(String(id), /^[0-9a-f-]{36}$/)
      assert.equal(await place.owner(), id)
      await stored.write(stranger, 'an upload that broke off')
      assert.deepEqual(await work(), { did: { loose: 0, uploads: 1 } })
      assert.deepEqual(await stored.names(), [])
      assert.equal(await place.owner(), id, 'the mark is not mistaken for an abandoned file')
      assert.equal(await references.makeDatabaseId('another'), id)
    })

    test('an unmarked place is ours if the database refers to one of its files, or has dropped a reference', async t => {
      const one = await boardFor(t)
      const kept = await one.apply()
      await one.stored.write(stranger, 'an upload that broke off')
      assert.deepEqual(await one.work(), { did: { loose: 0, uploads: 1 } })
      assert.deepEqual(await one.stored.names(), [kept])
      const other = await boardFor(t)
      await other.releaseOne()
      assert.deepEqual(await other.work(), { did: { loose: 1, uploads: 0 } })
    })

    test('nothing is removed from a place with unknown files until the operator claims it', async t => {
      const { work, place, stored, services } = await boardFor(t)
      await stored.write(stranger, 'of somebody')
      await assert.rejects(
        work(),
        error =>
          error instanceof NotOurFiles &&
          /contains files, but the database knows none of them.*DATABASE_URL.*"dossier blobs claim"/.test(
            error.message,
          ),
      )
      assert.ok((await services.ownership.objection()) instanceof NotOurFiles)
      assert.deepEqual([await stored.names(), await place.owner()], [[stranger], undefined])
      await services.ownership.claim()
      assert.equal(await services.ownership.objection(), undefined)
      assert.deepEqual(await work(), { did: { loose: 0, uploads: 1 } })
    })

    test('a new board with an upload before its first row continues without a warning', async t => {
      const { work, stored, place } = await boardFor(t)
      await stored.write(young, 'on its way')
      assert.deepEqual(await work(), nothing)
      assert.equal(await place.owner(), undefined)
      await stored.remove(young)
      await work()
      assert.notEqual(await place.owner(), undefined)
    })

    test("nothing is removed from a place with another's mark, and pending removals are not forgotten", async t => {
      const { work, stored, place, services, references, releaseOne } = await boardFor(t)
      await place.setOwner('another-database')
      await assert.rejects(work(), /contains the files of another database, another-database/)
      const loose = await releaseOne()
      await stored.write(stranger, 'of somebody')
      await assert.rejects(work(), NotOurFiles)
      assert.deepEqual(await stored.names(), [stranger, loose])
      assert.equal((await references.loose(9)).length, 1)
      await services.ownership.claim()
      assert.deepEqual(await work(), { did: { loose: 1, uploads: 1 } })
    })

    test('an empty place is not searched for removals while rows reference files that must be elsewhere', async t => {
      const { work, stored, references, services, apply, releaseOne } = await boardFor(t)
      const lost = [await apply(), await releaseOne()]
      for (const blob of lost) await stored.remove(blob)
      await assert.rejects(work(), /is empty, but the database refers to files.*mounted/)
      assert.equal((await references.loose(9)).length, 1)
      assert.equal(await services.ownership.objection(), undefined, 'missing files are reported one by one')
      await stored.write(String(lost[0]), 'a resume')
      await work()
      assert.equal((await references.loose(9)).length, 0)
    })
  })
}

describe('whose files these are while they move', () => {
  async function movingBoardFor(t: TestContext) {
    const database = await createTestDatabase('sqlite')
    const bucket = await createBucket()
    t.after(async () => {
      await bucket.removeAll()
      await database.remove()
    })
    const before = await open(database.settings)
    await before.schema.migrate()
    const { id } = await before.advertisers.add('Harbour Coffee Roasters')
    const file = await uploaded(before, { type: 'resume' }, 'a resume')
    await before.submissions.add(id, plainDraft({ files: [file] }))
    await before.close()
    const services = await open({ ...database.settings, ...bucket.settings() })
    t.after(() => services.close())
    return { services, bucket, folder: storedBlobs(database.settings), kept: String(file.blob) }
  }

  test('the new, empty bucket is marked together with the folder; other objects in it do not matter', async t => {
    const { services, bucket, folder, kept } = await movingBoardFor(t)
    await bucket.write('logs/20261001', 'of something else')
    await folder.write(stranger, 'an upload that broke off')
    assert.deepEqual(await services.cleanUp.run(), { did: { loose: 0, uploads: 1 } })
    const owners = await Promise.all(services.ownership.places.map(place => place.owner()))
    assert.deepEqual([owners.length, new Set(owners).size], [2, 1])
    assert.deepEqual([await folder.names(), await bucket.names()], [[kept], ['logs/20261001']])
  })

  test('nothing is removed from the folder while the bucket is in doubt', async t => {
    const { services, bucket, folder, kept } = await movingBoardFor(t)
    for (const place of [bucket, folder]) await place.write(stranger, 'of somebody')
    await assert.rejects(
      services.cleanUp.run(),
      /the bucket .* contains files, but the database knows none of them/,
    )
    assert.deepEqual([await folder.names(), await bucket.names()], [[stranger, kept], [stranger]])
  })
})
