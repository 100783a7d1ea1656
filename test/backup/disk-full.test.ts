import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { open } from '../harness/database.ts'
import { longTest } from '../harness/effort.ts'
import { startInShell } from '../harness/process.ts'
import { addTenant, draftOf, putFile } from '../harness/tenant.ts'
import { databaseFor } from '../process/support.ts'
import { createRepository, makeSet, verifyAll } from './repository.ts'

/** Writes beyond so many bytes of a file fail in this process and in those that it starts. */
const within = (bytes: number) => `ulimit -f ${bytes / 512}; trap '' XFSZ; exec "$0" "$@"`

longTest(
  'without space for the copy or for a file, a backup fails with a reason, leaves no set, and hurts none',
  async t => {
    const database = await databaseFor(t, 'sqlite')
    const repository = await createRepository('folder')
    t.after(repository.remove)
    const services = await open(database.settings)
    await services.schema.migrate()
    const { advertiserId } = await addTenant(services)
    const { manifest } = await makeSet(services, repository.address)
    const file = await putFile(services, 'resume', randomBytes(9 * 1024 * 1024))
    await services.submissions.add(advertiserId, draftOf(1, [file]))
    await services.close()
    // The database is smaller than the second bound, and the file is larger.
    for (const [bytes, why] of [
      [512 * 1024, /the database cannot be copied \([^)]+\)/],
      [8 * 1024 * 1024, /The work in the folder \S+ failed: EFBIG/],
    ] as const) {
      const running = startInShell(within(bytes), ['backup', '--to', repository.address], database.settings)
      const { code, stdout, stderr } = await running.finished
      assert.deepEqual([code, stdout], [1, ''], stderr)
      assert.match(stderr, why)
      assert.deepEqual(await readdir(join(String(database.settings['DATA_DIR']), 'backup-work')), [])
      const faults = Object.entries(await verifyAll(repository.address, database.settings))
      assert.deepEqual(faults[0], [manifest.set, []])
      assert.ok(faults.slice(1).every(([, found]) => found.join() === 'it was never finished'))
    }
    const again = await open(database.settings)
    await again.database.writer.deleteFrom('leases').execute()
    assert.equal(await again.database.examine?.(true), undefined)
    await makeSet(again, repository.address)
    await again.close()
    const sets = await verifyAll(repository.address, database.settings)
    assert.deepEqual(Object.values(sets).flat(), [])
    assert.equal(Object.keys(sets).length, 2)
  },
)
