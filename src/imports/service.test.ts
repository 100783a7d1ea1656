import assert from 'node:assert/strict'
import { readFile, symlink } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { plainDraft } from '../../test/harness/applications.ts'
import { movableClock } from '../../test/harness/clock.ts'
import { withServices } from '../../test/harness/database.ts'
import { createImportFolder, type ImportFolder, importLine } from '../../test/harness/import-lines.ts'
import type { Services } from '../app.ts'
import { prepareApplication } from '../applications/new-application.ts'
import { createFileReceiver } from '../files/receiving.ts'
import { defaultLimits } from '../limits.ts'
import { createArchiveCheck } from '../storage/document-check.ts'
import { createImportFiles } from '../storage/import-file.ts'
import { createApplicationStore } from '../storage/sql/applications.ts'
import { createImportStore } from '../storage/sql/imports.ts'
import type { ImportStore } from './ports.ts'
import { createImports, type ImportRequest } from './service.ts'

const now = Date.parse('2026-11-14T00:00:00Z')
const day = (number: number) => new Date(Date.UTC(2025, 0, number)).toISOString()

withServices(
  'imports',
  services => {
    let folder: ImportFolder
    let names = 0
    before(async () => {
      folder = await createImportFolder()
    })
    after(() => folder.remove())

    /** With batches of two, so that every file crosses their borders; `around` gets between them and the store. */
    function importsWith(around: (store: ImportStore) => Partial<ImportStore> = () => ({})) {
      const { database, blobs, clock } = services()
      const store = createImportStore(database)
      const limits = { ...defaultLimits, importBatch: 2, fileBytes: 1_000 }
      const checkArchive = createArchiveCheck(limits)
      return createImports({
        store: { ...store, ...around(store) },
        importFiles: createImportFiles(limits),
        files: createFileReceiver({ blobs, checkArchive, scanner: undefined, clock }),
        checkArchive,
        clock,
        limits,
      })
    }

    async function run(request: ImportRequest, imports = importsWith()) {
      const told: string[] = []
      const onRefused = ({ line, reason }: { line: number; reason: string }) =>
        told.push(`line ${line}: ${reason}`)
      return { ...(await imports.run({ ...request, onRefused })), told }
    }

    async function fileOf(...lines: string[]): Promise<string> {
      names += 1
      return folder.write(`history-${names}.ndjson`, `${lines.join('\n')}\n`)
    }

    const addAdvertiser = async () => (await services().advertisers.add('Import')).id

    /** In the order of their IDs. */
    async function stored(advertiserId: number) {
      return services()
        .database.reader.selectFrom('applications')
        .select(['job_seeker_id', 'submitted_at'])
        .where('advertiser_id', '=', advertiserId)
        .orderBy('id')
        .execute()
    }

    const seekers = async (advertiserId: number) =>
      (await stored(advertiserId)).map(row => row.job_seeker_id.replace('seeker-', ''))

    /** Between the first batch and the second. */
    const beforeSecondBatch = (act: () => Promise<void>) => (store: ImportStore) => {
      let batches = 0
      const addBatch: ImportStore['addBatch'] = async (...args) => {
        batches += 1
        if (batches === 2) await act()
        return store.addBatch(...args)
      }
      return { addBatch }
    }

    test('lines are taken in the order of their dates, equal ones in that of the file', async () => {
      const id = await addAdvertiser()
      const path = await fileOf(
        importLine(id, 'd', day(4)),
        importLine(id, 'b1', day(2)),
        '',
        importLine(id, 'b2', '2025-01-02T10:00:00+10:00'),
        importLine(id, 'a', day(1)),
        importLine(id, 'b3', day(2)),
      )
      const { outcome, lines, imported, refused, told } = await run({ path })
      assert.deepEqual(
        { outcome, lines, imported, refused, told },
        { outcome: 'finished', lines: 5, imported: 5, refused: 0, told: [] },
      )
      assert.deepEqual(await seekers(id), ['a', 'b1', 'b2', 'b3', 'd'])
      assert.deepEqual(
        (await stored(id)).map(row => new Date(row.submitted_at).toISOString()),
        [1, 2, 2, 2, 4].map(day),
      )
    })

    test('a file that was imported is not imported again', async () => {
      const id = await addAdvertiser()
      const path = await fileOf(importLine(id, 'a', day(1)))
      await run({ path })
      const again = await run({ path })
      assert.equal(again.outcome, 'finished-before')
      assert.equal(again.imported, 1)
      assert.deepEqual(await seekers(id), ['a'])
    })

    test('what broke off goes on where it was, and nothing is there twice', async () => {
      const id = await addAdvertiser()
      const lines = ['a', 'b', 'c', 'd', 'e'].map((name, index) => importLine(id, name, day(index + 1)))
      const path = await fileOf('nonsense', ...lines)
      const failing = importsWith(
        beforeSecondBatch(async () => {
          throw new Error('the database is away')
        }),
      )
      await assert.rejects(run({ path }, failing), /the database is away/)
      assert.deepEqual(await seekers(id), ['a'])
      const check = await run({ path, isCheck: true })
      assert.deepEqual([check.imported, check.refused], [4, 0], 'what is left')
      const { imported, refused, told } = await run({ path })
      // The refusal is counted, but it was told by the first run.
      assert.deepEqual({ imported, refused, told }, { imported: 5, refused: 1, told: [] })
      assert.deepEqual(await seekers(id), ['a', 'b', 'c', 'd', 'e'])
    })

    test('a request to stop is followed after the batch under way', async () => {
      const id = await addAdvertiser()
      const path = await fileOf(...[1, 2, 3].map(number => importLine(id, number, day(number))))
      const stop = new AbortController()
      const stopping = importsWith(store => ({
        addBatch: async (...args) => {
          stop.abort()
          return store.addBatch(...args)
        },
      }))
      const stopped = await run({ path, stop: stop.signal }, stopping)
      assert.deepEqual([stopped.outcome, stopped.linesDone], ['stopped', 2])
      assert.equal((await run({ path })).imported, 3)
    })

    test('of two imports of one file at once, one stops', async () => {
      const id = await addAdvertiser()
      const path = await fileOf(...[1, 2, 3, 4].map(number => importLine(id, number, day(number))))
      const slower = importsWith(
        beforeSecondBatch(async () => {
          assert.equal((await run({ path })).outcome, 'finished')
        }),
      )
      assert.equal((await run({ path }, slower)).outcome, 'overtaken')
      assert.deepEqual(await seekers(id), ['1', '2', '3', '4'])
    })

    test('two files at once, with the same advertisers in another order, get in each other’s way nowhere', async () => {
      const [one, two] = [await addAdvertiser(), await addAdvertiser()]
      const lines = (name: string, ids: number[]) =>
        Array.from({ length: 40 }, (_, index) => importLine(ids[index % 2] ?? 0, `${name}${index}`, day(1)))
      const paths = [await fileOf(...lines('x', [one, two])), await fileOf(...lines('y', [two, one]))]
      const results = await Promise.all(paths.map(path => run({ path })))
      assert.deepEqual(
        results.map(({ imported }) => imported),
        [40, 40],
      )
      assert.equal((await seekers(one)).length, 40)
    })

    test('an advertiser with a newer application takes none of its lines, and the others take theirs', async () => {
      const [ahead, other] = [await addAdvertiser(), await addAdvertiser()]
      await applyAt(services(), ahead, Date.parse(day(2)))
      const path = await fileOf(
        importLine(ahead, 'a', day(1)),
        importLine(ahead, 'b', day(3)),
        importLine(other, 'c', day(1)),
        importLine(99, 'd', day(1)),
      )
      const { imported, told } = await run({ path })
      assert.equal(imported, 1)
      const reason = `Advertiser ${ahead} has a newer application already, and dates must not decrease with IDs.`
      assert.deepEqual(told.toSorted(byLine), [
        `line 1: ${reason}`,
        `line 2: ${reason}`,
        'line 4: There is no advertiser 99.',
      ])
      assert.deepEqual(await seekers(other), ['c'])
    })

    test('an advertiser that was refused stays so when the import goes on', async () => {
      const id = await addAdvertiser()
      await applyAt(services(), id, Date.parse(day(2)))
      const path = await fileOf(...[1, 1, 3].map((date, name) => importLine(id, name, day(date))))
      const failing = importsWith(
        beforeSecondBatch(async () => {
          throw new Error('away')
        }),
      )
      await assert.rejects(run({ path }, failing), /away/)
      const { imported, refused } = await run({ path })
      assert.deepEqual({ imported, refused }, { imported: 0, refused: 3 })
    })

    test('whoever applies in the middle of an import keeps its place: the rest is refused', async () => {
      const [id, other] = [await addAdvertiser(), await addAdvertiser()]
      await folder.write('late.txt', 'a resume that comes too late')
      const path = await fileOf(
        importLine(id, 'a', day(1)),
        importLine(other, 'b', day(1)),
        importLine(id, 'c', day(2), { files: [{ type: 'resume', path: 'late.txt' }] }),
        importLine(other, 'd', day(2)),
        importLine(id, 'e', day(3)),
      )
      const blobs = await blobCount(services())
      const meanwhile = importsWith(beforeSecondBatch(() => applyAt(services(), id, now)))
      const { imported, refused, told } = await run({ path }, meanwhile)
      assert.deepEqual({ imported, refused }, { imported: 3, refused: 2 })
      assert.deepEqual(
        told.map(text => text.slice(0, 7)),
        ['line 3:', 'line 5:'],
      )
      assert.deepEqual(await seekers(id), ['a', 'seeker'])
      assert.deepEqual(await seekers(other), ['b', 'd'])
      assert.equal(await blobCount(services()), blobs, 'the file of the refused line is gone')
    })

    test('each line that cannot be taken is told with its reason, and stops nothing', async () => {
      const id = await addAdvertiser()
      await folder.write('empty.txt', '')
      await folder.write('tool.pdf', Buffer.from('MZ\u0000\u0001'))
      await folder.write('large.txt', 'x'.repeat(1_001))
      await folder.write('fine.txt', 'Casey Ng, barista')
      await folder.write('sub/fine.txt', 'Casey Ng, cook')
      const outside = await createImportFolder()
      await outside.write('secret.txt', 'secret')
      await symlink(outside.path('secret.txt'), folder.path('link.txt'))
      const withFile = (name: string, path: string) =>
        importLine(id, name, day(5), {
          files: [
            { type: 'coverLetter', path: 'fine.txt' },
            { type: 'resume', path },
          ],
        })
      const path = await fileOf(
        '{"advertiserId":',
        importLine(id, 'mail', day(5), { contact: { email: 'x', firstName: 'C', lastName: 'N' } }),
        importLine(id, 'future', '2026-11-14T00:00:00.001Z'),
        importLine(id, 'ok', day(5), {
          files: [{ type: 'resume', path: 'sub/fine.txt', uploaded: day(4) }],
        }),
        ...[
          'missing.txt',
          'empty.txt',
          'tool.pdf',
          'large.txt',
          '../x.txt',
          outside.path('secret.txt'),
          'link.txt',
          'sub',
        ].map(file => withFile(file, file)),
      )
      const blobs = await blobCount(services())
      const checked = await run({ path, isCheck: true })
      assert.equal(await blobCount(services()), blobs, 'a check keeps nothing')
      assert.deepEqual(await seekers(id), [])
      const imported = await run({ path, refusedPath: folder.path('refused.ndjson') })
      assert.deepEqual(imported.told, checked.told)
      assert.deepEqual(imported.told.toSorted(byLine), [
        'line 1: It is not JSON.',
        'line 2: contact.email must be an e-mail address.',
        'line 3: submitted must not lie in the future.',
        'line 5: files[1].path does not exist.',
        'line 6: files[1].path: The file is empty. Choose the one that has your resume in it.',
        'line 7: files[1].path: This is not a PDF, Word, RTF or plain text file, whatever its name says.',
        'line 8: files[1].path has more than 1000 bytes.',
        'line 9: files[1].path does not exist.',
        'line 10: files[1].path lies outside the folder of files.',
        'line 11: files[1].path lies outside the folder of files.',
        'line 12: files[1].path is not a file.',
      ])
      assert.equal(await blobCount(services()), blobs + 1, 'only the file of the line that was taken')
      const lines = (await readFile(path, 'utf8')).trim().split('\n')
      assert.equal(
        await readFile(folder.path('refused.ndjson'), 'utf8'),
        `${lines.filter((_, index) => index !== 3).join('\n')}\n`,
      )
      const file = await services()
        .database.reader.selectFrom('application_files')
        .select(['file_name', 'uploaded_at', 'size'])
        .where('advertiser_id', '=', id)
        .executeTakeFirstOrThrow()
      assert.deepEqual({ ...file }, { file_name: 'fine.txt', uploaded_at: Date.parse(day(4)), size: 14 })
      await outside.remove()
    })

    test('files may be in another folder, and the refused lines must not overwrite anything', async () => {
      const id = await addAdvertiser()
      const elsewhere = await createImportFolder()
      await elsewhere.write('resume.txt', 'Casey Ng')
      const path = await fileOf(
        importLine(id, 'a', day(1), { files: [{ type: 'resume', path: 'resume.txt' }] }),
      )
      await assert.rejects(run({ path, refusedPath: path }), /exists already/)
      const { imported } = await run({ path, filesFolder: elsewhere.path('') })
      assert.equal(imported, 1)
      await elsewhere.remove()
    })

    test('an empty file is done at once', async () => {
      const path = await folder.write('empty.ndjson', '\n \n')
      assert.equal((await run({ path })).outcome, 'finished')
      assert.equal((await run({ path })).outcome, 'finished-before')
    })

    test('a file that is written to meanwhile is left alone', async () => {
      const id = await addAdvertiser()
      const lines = [1, 2, 3].map(number => importLine(id, number, day(number)))
      const path = await fileOf(...lines)
      const writing = importsWith(store => ({
        addBatch: async (...args) => {
          await folder.write(`history-${names}.ndjson`, 'x')
          return store.addBatch(...args)
        },
      }))
      await assert.rejects(run({ path }, writing), /written to meanwhile/)
      assert.deepEqual(await seekers(id), ['1', '2'])
    })
  },
  movableClock(now),
)

async function applyAt({ database }: Services, advertiserId: number, at: number): Promise<void> {
  const application = prepareApplication(plainDraft(), defaultLimits)
  await createApplicationStore(database).add(advertiserId, application, at)
}

async function blobCount({ blobs }: Services): Promise<number> {
  let count = 0
  for (const dayName of await blobs.days()) {
    for await (const names of blobs.uploadedOn(dayName)) count += names.length
  }
  return count
}

const lineOf = (text: string) => Number(/\d+/.exec(text)?.[0])
const byLine = (one: string, other: string) => lineOf(one) - lineOf(other)
