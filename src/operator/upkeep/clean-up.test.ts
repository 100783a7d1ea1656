import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addCandidate, plainDraft, uploaded } from '../../../test/harness/applications.ts'
import { movableClock, steadily } from '../../../test/harness/clock.ts'
import { withFileStores } from '../../../test/harness/database.ts'
import { storedBlobs } from '../../../test/harness/s3.ts'
import { createDraftStore } from '../../apply/form/draft-store.ts'
import type { ApplicationFile } from '../../model/application.ts'
import { createCandidateStore } from '../../people/profile/candidate-store.ts'
import { createCleanUp } from '../../platform/blobs/clean-up-service.ts'
import { cleanUpWindowSeconds } from '../../platform/blobs/upload-age.ts'
import { createBlobReferences } from './blob-reference-store.ts'

const clock = movableClock()
const person = 'person'
const day = 86_400_000
const windowMs = cleanUpWindowSeconds * 1000

withFileStores('the clean-up', { clock }, (services, settings) => {
  let advertiserId: number
  let serial = 0
  before(async () => {
    advertiserId = (await services().advertisers.add('Harbour Coffee Roasters')).id
    await addCandidate(services(), person)
  })
  const candidates = () => createCandidateStore(services().database)
  const references = () => createBlobReferences(services().database)
  const cleanUp = (change: Partial<Parameters<typeof createCleanUp>[0]> = {}) =>
    createCleanUp({
      references: references(),
      blobs: services().blobs,
      ownership: services().ownership,
      lookAtTime: steadily(clock),
      clock,
      // So small that everything takes several batches.
      batch: 2,
      ...change,
    })

  const upload = (text: string) => uploaded(services(), { type: 'resume' }, text)

  async function addResume(file: ApplicationFile): Promise<string> {
    const id = `resume-${++serial}`
    assert.ok(await candidates().addResume(person, { id, ...file }, 100))
    return id
  }

  async function applyWith(file: ApplicationFile): Promise<number> {
    return (await services().submissions.add(advertiserId, plainDraft({ files: [file] }))).id
  }

  const isThere = (file: ApplicationFile) =>
    services()
      .blobs.open(file, { start: 0, end: 0 })
      .then(
        stream => stream.resume() !== undefined,
        () => false,
      )

  const looseCount = async () => (await references().loose(100)).length

  /** The first moment at which everything of this day is older than the window. */
  const dueAt = (at: number) => Math.floor(at / day) * day + day + windowMs

  test('removes the bytes of deleted resumes, and no others', async () => {
    const files = await Promise.all([1, 2, 3].map(number => upload(`deleted ${number}`)))
    const kept = await upload('kept')
    await addResume(kept)
    for (const file of files) await candidates().removeResume(person, await addResume(file), clock())
    assert.deepEqual((await cleanUp().run()).did, { loose: 3, uploads: 0 })
    for (const file of files) assert.equal(await isThere(file), false)
    assert.equal(await isThere(kept), true)
    assert.equal(await looseCount(), 0)
  })

  test('keeps a file that an application still references, until the application drops it too', async () => {
    const file = await upload('shared')
    const resume = await addResume(file)
    const application = await applyWith(file)
    await candidates().removeResume(person, resume, clock())
    assert.equal((await cleanUp().run()).did['loose'], 0)
    assert.equal(await isThere(file), true)
    assert.equal(await looseCount(), 0)
    await services().applications.recordVerdict(advertiserId, application, 'resume', 'infected')
    assert.equal((await cleanUp().run()).did['loose'], 1)
    assert.equal(await isThere(file), false)
  })

  test('does not miss a reference that is dropped between its query and its update', async () => {
    const file = await upload('dropped in between')
    const resume = await addResume(file)
    const application = await applyWith(file)
    await candidates().removeResume(person, resume, clock())
    const real = references()
    const late = {
      ...real,
      async named(blobs: readonly string[]) {
        const named = await real.named(blobs)
        // In the same millisecond.
        await services().applications.recordVerdict(advertiserId, application, 'resume', 'infected')
        return named
      },
    }
    await cleanUp({ references: late }).run()
    await cleanUp().run()
    assert.equal(await isThere(file), false)
    assert.equal(await looseCount(), 0)
  })

  test('removes what it can, throws for what it cannot, and retries that', async () => {
    const files = await Promise.all([upload('stuck'), upload('free')])
    for (const file of files) await candidates().removeResume(person, await addResume(file), clock())
    const { blobs } = services()
    const remove = (blob: string) =>
      blob === files[0]?.blob ? Promise.reject(new Error('stuck')) : blobs.remove(blob)
    await assert.rejects(cleanUp({ blobs: { ...blobs, remove } }).run(), /stuck/)
    assert.equal(await looseCount(), 1)
    assert.equal((await cleanUp().run()).did['loose'], 1)
    assert.equal(await looseCount(), 0)
  })

  test('removes unreferenced uploads, incomplete ones included, long after their day', async () => {
    const start = clock()
    const [named, unnamed] = [await upload('named'), await upload('unnamed')]
    await addResume(named)
    // `unnamed` is what a process leaves that ends between storing a file and its row.
    const drafted = await upload('drafted')
    await createDraftStore(services().database).save(
      person,
      {
        id: 'draft',
        version: 0,
        jobAdId: 1,
        jobTitle: 'Cook',
        advertiserName: 'Harbour',
        content: '{}',
        files: new Map([['resumeFile', drafted]]),
        removed: [],
      },
      { now: start, expiresAt: start, max: 1 },
    )
    const today = String(unnamed.blob).slice(0, 8)
    const half = String(unnamed.blob).replace(/[^/]+$/, 'half')
    await storedBlobs(settings()).write(half, 'half of')
    clock.set(dueAt(start) - 1)
    const fresh = await upload('of the next day')
    assert.equal((await cleanUp().run()).did['uploads'], 0)
    assert.equal(await isThere(unnamed), true)
    clock.advance(1)
    assert.equal((await cleanUp().run()).did['uploads'], 2)
    assert.deepEqual(
      [await isThere(named), await isThere(drafted), await isThere(unnamed), await isThere(fresh)],
      [true, true, false, true],
    )
    assert.ok(!(await storedBlobs(settings()).names()).includes(half))
    assert.equal(await references().sweptUntil(), today)
  })

  test('reads each day once, and only after it has ended', async () => {
    clock.advance(day)
    const start = clock()
    const files = await Promise.all([1, 2, 3, 4, 5].map(number => upload(`lost ${number}`)))
    clock.set(dueAt(start))
    const sweptBefore = await references().sweptUntil()
    const today = String(files[0]?.blob).slice(0, 8)
    let asked = 0
    await cleanUp().run(async () => ++asked <= 2)
    assert.ok((await references().sweptUntil()) < today)
    assert.ok((await references().sweptUntil()) >= sweptBefore)
    await cleanUp().run()
    assert.equal(await references().sweptUntil(), today)
    for (const file of files) assert.equal(await isThere(file), false)
    // Nothing is left of the day, and files put there by hand later are not searched for.
    assert.ok(!(await services().blobs.days('')).includes(today))
    const odd = `${today}/00/odd`
    await storedBlobs(settings()).write(odd, '')
    await cleanUp().run()
    assert.ok((await storedBlobs(settings()).names()).includes(odd))
    await references().setSweptUntil('20000101')
    assert.equal(await references().sweptUntil(), today, 'it never goes back')
  })

  test('is harmless when two processes run it at once, while candidates apply and delete', async () => {
    clock.advance(2 * day)
    const lost = await Promise.all([1, 2, 3].map(number => upload(`lost ${number}`)))
    const files = await Promise.all(Array.from({ length: 10 }, (_, index) => upload(`file ${index}`)))
    const resumes = await Promise.all(files.map(addResume))
    clock.set(dueAt(clock()))
    // Half of them go into an application first.
    const applied = files.slice(0, 5)
    await Promise.all([
      ...applied.map(applyWith),
      ...resumes.slice(5).map(id => candidates().removeResume(person, id, clock())),
      cleanUp().run(),
      cleanUp().run(),
    ])
    await Promise.all([
      ...resumes.slice(0, 5).map(id => candidates().removeResume(person, id, clock())),
      cleanUp().run(),
      cleanUp().run(),
    ])
    await cleanUp().run()
    for (const file of [...lost, ...files.slice(5)]) assert.equal(await isThere(file), false)
    for (const file of applied) assert.equal(await isThere(file), true)
    assert.equal(await looseCount(), 0)
  })
})
