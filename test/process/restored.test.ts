import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines } from '../harness/database.ts'
import { draftOf, prepareTenant, putFile } from '../harness/tenant.ts'
import { databaseFor, runHere } from './support.ts'

for (const engine of engines) {
  test(`"dossier restored" says what it did and what to look at, and the doctor reminds of it [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'empty')
    const { settings } = database
    await prepareTenant(database, async (services, { advertiserId }) => {
      const files = []
      for (const text of ['a', 'b', 'c']) files.push(await putFile(services, 'resume', Buffer.from(text)))
      const [lost, kept] = files
      for (const file of [lost, kept])
        await services.submissions.add(advertiserId, draftOf(1, [file as never]))
      await services.blobs.remove(String(lost?.blob))
      const mail = {
        id: 'm',
        kind: 'notice',
        content: '{}',
        state: 'waiting' as const,
        created_at: Date.now(),
      }
      const { writer } = services.database
      await writer
        .insertInto('deliveries')
        .values({ ...mail, due_at: 9e12, give_up_at: 9e12 })
        .execute()
      return {}
    })
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runHere(args, settings)
      assert.deepEqual([code, stderr], [0, ''], stdout)
      return stdout
    }
    assert.equal(await run('restored', '--list'), 'This database was never restored.\n')
    assert.doesNotMatch((await runHere(['doctor'], settings)).stdout, / restored /)

    const printed = await run('restored', '--by', '7')
    assert.match(
      printed,
      /^Skipped at least 7 IDs of each kind\. Followers and webhooks get "stream\.restored"\.$/m,
    )
    assert.match(printed, /^Held: 1 email\. "dossier mail retry --held" sends them\.$/m)
    const list = await run('restored', '--list')
    assert.ok(printed.endsWith(list), 'the list is the same afterwards')
    assert.match(list, /^Look at \(restored 20\S+Z\):$/m)
    assert.match(list, /^- 1 held: "dossier mail list" lists emails/m)
    assert.match(list, /^- Missing files: 1\. Restore them from a backup; "dossier doctor" names one\.$/m)
    assert.match(
      list,
      /^- Files that belong to nothing in this database: 1\. They are removed after 7 days\.$/m,
    )
    assert.match(
      list,
      /^- Roles and settings are those of the backup, and so are passwords that were not changed since\./m,
    )
    assert.match(list, /^credential +\S+ +20/m)

    const doctor = async () => (await runHere(['doctor'], settings)).stdout
    const noticed =
      'the database was set back, noticed 20\\S+: "dossier restored --list" prints what to look at'
    assert.match(await doctor(), new RegExp(`^WRONG  restored  ${noticed}; 1 emails are held: .*--held`, 'm'))
    await run('mail', 'drop', '--held')
    assert.match(await doctor(), new RegExp(`^ok     restored  ${noticed}$`, 'm'))
  })
}
