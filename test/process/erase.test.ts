import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainDraft, uploaded } from '../harness/applications.ts'
import { createTestDatabase, open } from '../harness/database.ts'
import { runHere } from './support.ts'

test('application erase takes everything personal out of one application, with its bytes', async t => {
  const database = await createTestDatabase('sqlite')
  t.after(() => database.remove())
  const services = await open(database.settings)
  t.after(() => services.close())
  await services.schema.migrate()
  const { id: advertiserId } = await services.advertisers.add('Harbour')
  const letter = await uploaded(services, { type: 'coverLetter' }, 'Dear Harbour')
  const add = (files = [letter]) => services.applications.apply(advertiserId, plainDraft({ files }))
  const [asked, kept] = [await add(), await add([])]
  const erase = (...args: (string | number)[]) =>
    runHere(['application', 'erase', ...args.map(String)], database.settings)

  const erased = await erase(advertiserId, asked.id)
  assert.deepEqual(erased, {
    code: 0,
    stdout: `Application ${asked.id} is erased: the contact details, 1 file. Its ID, its date and its reference stay.\n`,
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
