import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ApplicationFile } from '../../src/model/application.ts'
import { createRescan } from '../../src/operator/upkeep/rescan-service.ts'
import { createScanningStore } from '../../src/operator/upkeep/scanning-store.ts'
import { Problem } from '../../src/platform/core/problems.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import { uploaded } from '../harness/applications.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { noLog } from '../harness/log.ts'
import { addPerson, addPersonClient, type Person } from '../harness/person.ts'
import { createTestServer } from '../harness/server.ts'
import type { Services } from '../harness/services.ts'
import { listPath } from '../harness/tenant.ts'
import { type Stores, storesOver } from '../store/stores.ts'

const clientId = 'client'
const rae = 'member:rae'

withServices('a document that its candidate replaces', (services, settings) => {
  let stores: Stores
  let advertiserId: number
  let serial = 0
  before(async () => {
    stores = storesOver(services().database)
    advertiserId = (await services().advertisers.add('Harbour')).id
    await addPersonClient(stores, { id: clientId })
  })

  const newPerson = () => addPerson(services(), stores, { name: `zia${++serial}x`, advertiserId, clientId })
  const issueCredential = async () => {
    const { value } = await services().credentials.issue(advertiserId, 'test', null)
    return { headers: { authorization: `SWS ${value}` } }
  }
  const newFile = (text: string, change: Partial<ApplicationFile> = {}) =>
    uploaded(services(), { type: 'resume', fileName: `${text}.txt`, ...change }, text)
  const replace = async (
    { candidateId, applicationId }: Person,
    file?: ApplicationFile,
    bounds = { now: Date.now(), recordedSince: 0, max: 20 },
  ) => {
    const { ownApplications } = stores
    return ownApplications.replaceFile(candidateId, applicationId, file ?? (await newFile('new')), bounds)
  }
  const resumeOf = async ({ applicationId }: Person) =>
    (await stores.applications.file(advertiserId, applicationId, 'resume'))?.fileName
  const versionNow = async () => {
    const { version } = await services()
      .database.writer.selectFrom('advertiser_ledger')
      .select('version')
      .where('advertiser_id', '=', advertiserId)
      .executeTakeFirstOrThrow()
    return version
  }
  const pieceOf = async ({ applicationId }: Person) => {
    const page = { after: applicationId - 1, before: applicationId + 1, format: 'json' as const }
    const rest = { includePrimaryInfo: false, limit: 1, head: '', tail: '' }
    return String((await stores.applications.page(advertiserId, { ...page, ...rest })).content)
  }

  test('is not judged by the verdict on the file that it replaced', async () => {
    const scanning = createScanningStore(services().database)
    for (const [verdict, scan] of [
      ['clean', 'unscanned'],
      ['infected', 'clean'],
    ] as const) {
      const person = await newPerson()
      await replace(person, await newFile('old', { scan: 'unscanned' }))
      const { run } = createRescan({
        store: {
          ...scanning,
          async attachmentsOf(blob) {
            const found = await scanning.attachmentsOf(blob)
            if (found.some(({ applicationId }) => applicationId === person.applicationId))
              await replace(person, await newFile('new', { scan }))
            return found
          },
        },
        applications: stores.applications,
        blobs: services().blobs,
        scanner: {
          scan: async file =>
            String(Buffer.from(await file.read(0, file.size))) === 'old' ? verdict : 'unscanned',
          prove: async () => {},
        },
        clock: Date.now,
        limits: defaultLimits,
        log: noLog,
      })
      await run()
      const kept = await stores.applications.file(advertiserId, person.applicationId, 'resume')
      assert.deepEqual([kept?.fileName, kept?.scan, kept?.size], ['new.txt', scan, 3])
    }
  })

  test('is what everyone gets: the console, the lists of version 1 and their tags', async () => {
    const person = await newPerson()
    const [piece, version] = [await pieceOf(person), await versionNow()]
    assert.equal(await replace(person, await newFile('better')), 'replaced')
    assert.equal(await resumeOf(person), 'better.txt')
    assert.notEqual(await pieceOf(person), piece)
    assert.ok((await versionNow()) > version)
    const loose = await services().database.writer.selectFrom('loose_blobs').select('blob').execute()
    assert.ok(loose.some(({ blob }) => blob === person.shared.blob))
    const own = await stores.ownApplications.find(person.candidateId, person.applicationId)
    assert.deepEqual(
      own?.history.map(({ kind, text }) => [kind, text]),
      [['document', 'resume']],
    )
    // One that was not sent before is added.
    const criteria = await newFile('criteria', { type: 'selectionCriteria' })
    assert.equal(await replace(person, criteria), 'replaced')
    assert.equal(own?.files.length, 2)
    const later = await stores.ownApplications.find(person.candidateId, person.applicationId)
    assert.deepEqual(
      later?.files.map(({ type }) => type),
      ['resume', 'coverLetter', 'selectionCriteria'],
    )
  })

  test('moves the mark of a virus', async () => {
    const person = await newPerson()
    const hasVirus = async () => {
      const row = await services()
        .database.writer.selectFrom('applications')
        .select('has_virus')
        .where('id', '=', person.applicationId)
        .executeTakeFirst()
      return row?.has_virus
    }
    await replace(person, { ...(await newFile('bad')), scan: 'infected', blob: null, size: 0 })
    assert.equal(await hasVirus(), 1)
    await replace(person)
    assert.equal(await hasVirus(), 0)
  })

  test('is refused after any read, a status or a withdrawal, and changes nothing', async () => {
    const day = '2026-05-03'
    const read = { advertiserId, day, reader: rae, firstAt: 1, lastAt: 1 } as const
    const seen: Record<string, (person: Person) => Promise<unknown>> = {
      'a view': ({ applicationId }) => stores.reads.addReads([{ ...read, applicationId, way: 'view' }]),
      'a list': ({ applicationId: id }) =>
        stores.reads.addLists([{ ...read, way: 'list', firstId: id, lastId: id }]),
      'a status': ({ applicationId }) => services().progress.open(advertiserId, applicationId, 'member'),
      'a withdrawal': ({ candidateId, applicationId }) =>
        stores.ownApplications.withdraw(candidateId, applicationId, { now: 1, eraseAt: Date.now() + 1e9 }),
      'an erasure': ({ applicationId }) => stores.erasures.erase(advertiserId, applicationId, 1),
    }
    for (const [what, see] of Object.entries(seen)) {
      const person = await newPerson()
      await see(person)
      const [resume, version] = [await resumeOf(person), await versionNow()]
      assert.equal(await replace(person), 'too-late', what)
      assert.deepEqual([await resumeOf(person), await versionNow()], [resume, version], what)
    }
    const [person, other] = [await newPerson(), await newPerson()]
    const expired = { now: Date.now(), recordedSince: Number.MAX_SAFE_INTEGER, max: 20 }
    assert.equal(await replace(person, undefined, expired), 'too-late', 'reads that may have expired')
    assert.equal(await replace({ ...person, candidateId: other.candidateId }), 'unknown')
  })

  test('is replaced a number of times, each for itself', async () => {
    const person = await newPerson()
    const bounds = { now: Date.now(), recordedSince: 0, max: 2 }
    const send = (text: string, type: 'resume' | 'coverLetter' = 'resume') =>
      newFile(text, { type }).then(file => replace(person, file, bounds))
    assert.deepEqual(
      [await send('one'), await send('two'), await send('three')].join(),
      'replaced,replaced,too-often',
    )
    assert.equal(await resumeOf(person), 'two.txt')
    assert.equal(await send('letter', 'coverLetter'), 'replaced')
  })

  test('while a recruiter opens it: either it is too late, or the recruiter gets the new one', async () => {
    const outcomes = new Set<string>()
    for (let round = 0; round < times(10, 60); round++) {
      const person = await newPerson()
      const { applicationId } = person
      const file = await newFile('new')
      const open = async () => {
        await services().reads.view(advertiserId, rae, applicationId)
        return resumeOf(person)
      }
      const acts = [() => replace(person, file), open]
      const [first, second] = await Promise.all((round % 2 ? acts.toReversed() : acts).map(act => act()))
      const [outcome, seen] = round % 2 ? [second, first] : [first, second]
      assert.equal(seen === 'new.txt', outcome === 'replaced', `${outcome}, and the recruiter got ${seen}`)
      outcomes.add(String(outcome))
    }
    assert.ok(outcomes.size > 0)
  })

  test('is closed again if its download cannot be put on record', async () => {
    const { headers } = await issueCredential()
    const person = await newPerson()
    const content = Readable.from([Buffer.from('old')])
    let returned = 0
    const pooled = { bytes: Buffer.from('old'), release: () => void returned++ }
    let acquire: () => Promise<typeof pooled | undefined> = async () => pooled
    const applications: Services['applications'] = {
      ...services().applications,
      download: async (...asked) => ({
        file: (await services().applications.download(...asked)).file,
        open: async () => content,
        acquire: () => acquire(),
        delegateDownload: async () => undefined,
      }),
    }
    const reads = { ...services().reads, download: () => Promise.reject(new Problem('unavailable')) }
    const { app } = await createTestServer({ ...services(), applications, reads }, settings())
    const get = () => app.inject({ url: `${listPath}/resume/${person.applicationId}`, headers })
    assert.equal((await get()).statusCode, 503)
    assert.equal(returned, 1)
    acquire = async () => undefined
    assert.equal((await get()).statusCode, 503)
    assert.ok(content.destroyed)
    await app.close()
  })

  test('while a program downloads it: either it is too late, or the download is of the new one', async () => {
    const { headers } = await issueCredential()
    const { app } = await createTestServer(services(), settings())
    for (let round = 0; round < times(20, 200); round++) {
      const person = await newPerson()
      const upload = { name: 'new.txt', content: Readable.from([Buffer.from('new')]) }
      const replacing = services()
        .applyForm.replaceFile(person.candidateId, person.applicationId, 'resume', upload)
        .then(
          () => 'replaced',
          error => (error instanceof Problem ? error.code : Promise.reject(error)),
        )
      // The download begins at another point of the replacement in each round.
      for (let turn = 0; turn < round % 20; turn++) await setImmediate()
      const url = `${listPath}/resume/${person.applicationId}`
      const download = await app.inject({ url, headers })
      const outcome = await replacing
      assert.equal(download.statusCode, 200, download.payload)
      assert.equal(download.payload === 'new', outcome === 'replaced', `${outcome}, ${download.payload}`)
    }
    await app.close()
  })

  test('just before a download is on record: the program gets the new one', async () => {
    const { headers } = await issueCredential()
    const { app } = await createTestServer(services(), settings())
    const { reads } = services()
    const { download } = reads
    for (const [scan, content] of [
      ['clean', 'new'],
      ['infected', ''],
    ] as const) {
      const person = await newPerson()
      const file = { ...(await newFile('new', { scan })), ...(scan === 'infected' && { blob: null }) }
      reads.download = async (...read) => {
        assert.equal(await replace(person, file), 'replaced')
        await download(...read)
        assert.equal(await replace(person), 'too-late')
      }
      const answer = await app.inject({ url: `${listPath}/resume/${person.applicationId}`, headers })
      reads.download = download
      const virus = scan === 'infected' ? 'true' : undefined
      assert.deepEqual([answer.payload, answer.headers['x-has-virus']], [content, virus])
      // From now on nothing is written before the content goes out.
      reads.download = () => assert.fail('the read is on record')
      await app.inject({ url: `${listPath}/coverletter/${person.applicationId}`, headers })
      reads.download = download
    }
    await app.close()
  })
})
