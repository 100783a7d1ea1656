import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAccountRemovalStore } from '../../src/people/own-data/account-removal-store.ts'
import { addCandidate, giveToCandidate, plainDraft, uploaded } from '../harness/applications.ts'
import { createTestDatabase, open } from '../harness/database.ts'
import { runHere } from './support.ts'

test('application erase removes everything personal from one application, including its bytes', async t => {
  const database = await createTestDatabase('sqlite', 'empty')
  t.after(() => database.remove())
  const services = await open(database.settings)
  t.after(() => services.close())
  await services.schema.migrate()
  const { id: advertiserId } = await services.advertisers.add('Harbour')
  const letter = await uploaded(services, { type: 'coverLetter' }, 'Dear Harbour')
  const add = (files = [letter]) => services.submissions.add(advertiserId, plainDraft({ files }))
  const [asked, kept] = [await add(), await add([])]
  const erase = (...args: (string | number)[]) =>
    runHere(['application', 'erase', ...args.map(String)], database.settings)

  const erased = await erase(advertiserId, asked.id)
  assert.deepEqual(erased, {
    code: 0,
    stdout: `Erased application ${asked.id}: the contact details, 1 file. Its ID, date and reference stay.\n`,
    stderr: '',
  })
  await assert.rejects(services.blobs.open(letter))
  const rows = await services.database.reader
    .selectFrom('applications')
    .select(['id', 'email'])
    .orderBy('id')
    .execute()
  const emails = new Map(rows.map(({ id, email }) => [id, email]))
  assert.deepEqual([emails.get(asked.id), emails.get(kept.id)], ['', 'mary@example.com'])

  const again = await erase(advertiserId, asked.id, '--json')
  assert.deepEqual(JSON.parse(again.stdout), {
    advertiserId,
    applicationId: asked.id,
    files: 0,
    hadScreen: false,
    wasErased: true,
  })
  const elsewhere = await erase(advertiserId + 1, kept.id)
  assert.equal(elsewhere.code, 3)
  assert.match(elsewhere.stderr, /has no application/)
  const { stdout: health } = await runHere(['doctor', '--deep'], database.settings)
  assert.doesNotMatch(health, /WRONG/)
})

test('deleted and erased data is not in the bytes of the SQLite file either', async t => {
  const database = await createTestDatabase('sqlite', 'empty')
  t.after(() => database.remove())
  const services = await open(database.settings)
  let isOpen = true
  t.after(() => (isOpen ? services.close() : undefined))
  await services.schema.migrate()
  const { id: advertiserId } = await services.advertisers.add('Harbour')
  const removal = createAccountRemovalStore(services.database)
  // So many that pages are split, and are freed whole when their rows are deleted.
  const people = Array.from({ length: 120 }, (_, index) => `zorxq-${(index * 77) % 120}`)
  await Promise.all(people.map(id => addCandidate(services, id)))
  await services.database.writer
    .updateTable('candidates')
    .set({ profile: JSON.stringify({ skills: 'zorxq '.repeat(100) }) })
    .execute()
  const apply = async (id: string) => {
    const contact = { email: `${id}@example.net`, firstName: id, lastName: `${id} Doe`, phone: id }
    return (await services.submissions.add(advertiserId, plainDraft({ contact }))).id
  }
  await Promise.all(
    people.map(async id => {
      const sent = { advertiser_id: advertiserId, application_id: await apply(id), submitted_at: 0 }
      await giveToCandidate(services, id, sent)
    }),
  )
  // Words of the company about each of them, too.
  for (const { application_id: id, candidate_id } of await services.database.reader
    .selectFrom('own_applications')
    .select(['application_id', 'candidate_id'])
    .execute()) {
    await services.holds.place(advertiserId, id, { reason: `Complaint of ${candidate_id}`, by: null })
    await services.holds.release(advertiserId, id, null)
    const note = { shown: 'new', to: 'hired', tells: true, note: `Note about ${candidate_id}` } as const
    await services.progress.update(advertiserId, id, { by: candidate_id, ...note })
    await services.reads.view(advertiserId, `member:${candidate_id}`, id)
  }
  await apply('kept')
  const folder = String(database.settings['DATA_DIR'])
  const bytes = () =>
    Buffer.concat(
      readdirSync(folder)
        .filter(name => name.startsWith('dossier.db'))
        .map(name => readFileSync(join(folder, name))),
    ).toString('latin1')
  assert.match(bytes(), /zorxq-7@example\.net/)
  await Promise.all(people.map(id => removal.remove(id, '', { now: 0, eraseAt: 0 })))
  // The IDs of what is gone, which name the people in this test, move beside the files.
  await services.restoreDetection.tombstones.note()
  assert.deepEqual(await services.erasure.run(), { did: { erased: 120 } })
  const whileRunning = bytes()
  isOpen = false
  await services.close()
  for (const text of [whileRunning, bytes()]) {
    assert.match(text, /kept@example\.net/)
    // The audit log keeps the IDs, and nothing else.
    assert.deepEqual(text.match(/.{20}(?<!person:)zorxq.{20}/gi) ?? [], [])
  }
  assert.deepEqual(
    readdirSync(folder).filter(name => name.endsWith('-wal')),
    [],
  )
})
