import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, symlink } from 'node:fs/promises'
import { test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { createImportFolder, importLine } from '../../../test/harness/import-lines.ts'
import { day, importing } from '../../../test/harness/importing.ts'

const now = Date.parse('2026-11-14T00:00:00Z')

withServices('imports', { clock: movableClock(now) }, services => {
  const { folder, run, fileOf, addAdvertiser, applyAt, stored, seekers, blobCount } = importing(services)

  test('lines are imported in the order of their dates, equal ones in that of the file', async () => {
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

  test("the advertiser's version follows the time of the import, not the dates in it", async () => {
    const id = await addAdvertiser()
    await run({ path: await fileOf(importLine(id, 'a', day(1)), importLine(id, 'b', day(2))) })
    const { version, last_submitted_at } = await services()
      .database.reader.selectFrom('advertiser_ledger')
      .select(['version', 'last_submitted_at'])
      .where('advertiser_id', '=', id)
      .executeTakeFirstOrThrow()
    // A history imported again after a mistake has the same dates, and other applications.
    assert.ok(version >= now)
    assert.equal(last_submitted_at, Date.parse(day(2)))
  })

  test('an imported file is not imported again', async () => {
    const id = await addAdvertiser()
    const path = await fileOf(importLine(id, 'a', day(1)))
    await run({ path })
    const again = await run({ path })
    assert.equal(again.outcome, 'finished-before')
    assert.equal(again.imported, 1)
    assert.deepEqual(await seekers(id), ['a'])
  })

  test('an advertiser with a newer application takes none of its lines; other advertisers take theirs', async () => {
    const [ahead, other] = [await addAdvertiser(), await addAdvertiser()]
    await applyAt(ahead, Date.parse(day(2)))
    const path = await fileOf(
      importLine(ahead, 'a', day(1)),
      importLine(ahead, 'b', day(3)),
      importLine(other, 'c', day(1)),
      importLine(99, 'd', day(1)),
    )
    const { imported, told } = await run({ path })
    assert.equal(imported, 1)
    const reason = `Advertiser ${ahead} already has applications as new as this history or newer. Either the history was imported before, or it is too late to import it, because dates must not decrease with IDs.`
    assert.deepEqual(told.toSorted(byLine), [
      `line 1: ${reason}`,
      `line 2: ${reason}`,
      'line 4: There is no advertiser 99.',
    ])
    assert.deepEqual(await seekers(other), ['c'])
  })

  test('each invalid line is reported with its reason and does not stop the import', async () => {
    const id = await addAdvertiser()
    await folder().write('empty.txt', '')
    await folder().write('tool.pdf', Buffer.from('MZ\u0000\u0001'))
    await folder().write('large.txt', 'x'.repeat(1_001))
    await folder().write('fine.txt', 'Casey Ng, barista')
    await folder().write('sub/fine.txt', 'Casey Ng, cook')
    const outside = await createImportFolder()
    await outside.write('secret.txt', 'secret')
    await symlink(outside.path('secret.txt'), folder().path('link.txt'))
    execFileSync('mkfifo', [folder().path('pipe')])
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
        'pipe',
      ].map(file => withFile(file, file)),
    )
    const blobs = await blobCount()
    const checked = await run({ path, isCheck: true })
    assert.equal(await blobCount(), blobs, 'a check keeps nothing')
    assert.deepEqual(await seekers(id), [])
    const imported = await run({ path, refusedPath: folder().path('refused.ndjson') })
    assert.deepEqual(imported.told, checked.told)
    assert.deepEqual(imported.told.toSorted(byLine), [
      'line 1: The line is not JSON.',
      'line 2: contact.email must be an email address.',
      'line 3: submitted must not be in the future.',
      'line 5: files[1].path does not exist.',
      'line 6: files[1].path: This file is empty. Choose another file.',
      'line 7: files[1].path: This is not a PDF, Word, RTF or plain text file. Save it as one of these and send it again.',
      'line 8: files[1].path is larger than 1000 bytes.',
      'line 9: files[1].path does not exist.',
      'line 10: files[1].path is outside the files folder.',
      'line 11: files[1].path is outside the files folder.',
      'line 12: files[1].path is not a file.',
      'line 13: files[1].path is not a file.',
    ])
    assert.equal(await blobCount(), blobs + 1, 'only the file of the line that was taken')
    const lines = (await readFile(path, 'utf8')).trim().split('\n')
    assert.equal(
      await readFile(folder().path('refused.ndjson'), 'utf8'),
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
    await assert.rejects(run({ path, refusedPath: path }), /already exists/)
    const { imported } = await run({ path, filesFolder: elsewhere.path('') })
    assert.equal(imported, 1)
    await elsewhere.remove()
  })

  test('the first moment of 1970 is a date like any other', async () => {
    const id = await addAdvertiser()
    const line = importLine(id, 'a', '1970-01-01T00:00:00Z')
    assert.equal((await run({ path: await fileOf(line) })).imported, 1)
    assert.equal((await run({ path: await fileOf(line, '') })).refused, 1)
  })

  test('an empty file finishes at once', async () => {
    const path = await folder().write('empty.ndjson', '\n \n')
    assert.equal((await run({ path })).outcome, 'finished')
    assert.equal((await run({ path })).outcome, 'finished-before')
  })
})

const lineOf = (text: string) => Number(/\d+/.exec(text)?.[0])
const byLine = (one: string, other: string) => lineOf(one) - lineOf(other)
