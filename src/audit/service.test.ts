import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { movableClock } from '../../test/harness/clock.ts'
import { withServices } from '../../test/harness/database.ts'
import { recordLog } from '../../test/harness/log.ts'
import { type Acting, actAs } from '../core/async/acting.ts'
import { defaultLimits as limits } from '../limits.ts'
import { createAuditStore } from '../storage/audit/audit-store.ts'
import { noHash } from './chain.ts'
import type { AuditEntry, HeadNotes, NotedHeads } from './ports.ts'
import { type AuditLog, createAuditLog } from './service.ts'

const clock = movableClock()
const monthMs = 31 * 86_400_000
const scope = 501

withServices(
  'the audit log',
  services => {
    let audit: AuditLog
    let noted: NotedHeads | undefined
    const { log, lines } = recordLog()
    const notes: HeadNotes = {
      read: async () => noted,
      write: async (_, heads) => {
        noted = heads
      },
      remove: async () => {},
    }
    before(() => {
      audit = createAuditLog({
        store: { ...createAuditStore(services().database), databaseId: async () => 'a-database' },
        ...{ notes, clock, log, limits },
      })
    })
    const acting: Acting = {
      ...{ clock, actor: { kind: 'person', id: 'rae', proof: 'password' }, address: '192.0.2.7' },
    }
    const act = (advertiserId = scope, actor = acting) =>
      actAs(actor, () =>
        audit.record({
          ...{ action: 'member.role', scope: { advertiserId }, target: 'person:x', after: { role: 'admin' } },
        }),
      )
    const all = async (entries: AsyncIterable<AuditEntry>) => {
      const found: AuditEntry[] = []
      for await (const entry of entries) found.push(entry)
      return found
    }
    const run = () => actAs(acting, () => audit.run(async () => true))

    test('entries are listed newest first, by time, actor and action, in pages', async () => {
      await act()
      clock.advance(1000)
      await act()
      await act(502, { clock, actor: { kind: 'command', id: 'root', proof: 'shell' } })
      const own = { advertiserId: scope }
      const numbers = async (...asked: Parameters<AuditLog['list']>) =>
        (await audit.list(...asked)).map(entry => `${entry.scope}:${entry.number}`)
      assert.deepEqual(await numbers(own, {}, undefined, 10), ['501:2', '501:1'])
      const [last] = await audit.list(own, {}, undefined, 1)
      assert.deepEqual(await numbers(own, {}, last, 10), ['501:1'])
      assert.deepEqual(await numbers(undefined, { action: 'member' }, undefined, 10), [
        '502:1',
        '501:2',
        '501:1',
      ])
      const [first] = await audit.list(undefined, {}, undefined, 1)
      assert.deepEqual(await numbers(undefined, {}, first, 2), ['501:2', '501:1'])
      assert.deepEqual(await numbers(undefined, { actor: 'command' }, undefined, 10), ['502:1'])
      assert.deepEqual(await numbers(undefined, { actor: 'rae' }, undefined, 1), ['501:2'])
      assert.deepEqual(await numbers(own, { action: 'member.join' }, undefined, 10), [])
      assert.deepEqual(await numbers(own, { to: clock() }, undefined, 10), ['501:1'])
      assert.deepEqual(await numbers(own, { from: clock() }, undefined, 10), ['501:2'])
      assert.equal((await all(audit.read(own))).length, 2)
    })

    test('the heads are logged and noted; a cut tail shows, even if the head was set back', async () => {
      await run()
      assert.equal(noted?.heads.length, 2)
      assert.match(JSON.stringify(lines), /the head of an audit log/)
      assert.deepEqual((await audit.verify()).lost, [])
      const { writer } = services().database
      const kept = await audit.list({ advertiserId: scope }, {}, undefined, 1)
      await writer.deleteFrom('audit_entries').where('scope', '=', scope).where('number', '=', 2).execute()
      assert.deepEqual((await audit.verify()).faults, [{ scope, number: 2, what: 'cut' }])
      const [first] = await audit.list({ advertiserId: scope }, {}, undefined, 1)
      await writer
        .updateTable('audit_heads')
        .set({ number: 1, hash: first?.hash ?? '' })
        .where('scope', '=', scope)
        .execute()
      const { faults, lost } = await audit.verify()
      assert.deepEqual(faults, [])
      assert.deepEqual(lost, [{ scope, number: 2, hash: kept[0]?.hash, setBackAt: undefined }])
      lines.length = 0
      const former = noted
      await run()
      assert.equal(noted, former, 'what is lost is not noted over')
      assert.match(JSON.stringify(lines), /lacks an entry that was noted/)
      const wanted = { scope, number: 1, hash: noHash }
      assert.equal((await audit.verify([wanted])).lost.length, 2)
    })

    test('after a restore, an older head is no cut', async () => {
      const at = clock() + 1
      await sql`insert into meta (key, value) values ('restored', ${String(at)})
        on conflict (key) do update set value = excluded.value`.execute(services().database.writer)
      const { lost } = await audit.verify()
      assert.deepEqual(
        lost.map(({ setBackAt }) => setBackAt),
        [at],
      )
      clock.advance(2)
      await run()
      assert.deepEqual((await audit.verify()).lost, [])
    })

    test('whole months are dropped, their seals stay, and the chain is whole', async () => {
      await act()
      clock.advance((limits.auditMonths + 2) * monthMs)
      await act()
      const { did } = await run()
      assert.equal(did['months'], 2)
      assert.deepEqual((await all(audit.read({ advertiserId: scope }))).length, 1)
      assert.deepEqual((await all(audit.read({ advertiserId: 502 }))).length, 0)
      const [drop] = await audit.list('board', {}, undefined, 1)
      assert.equal(drop?.action, 'audit.drop')
      assert.deepEqual((await audit.verify()).faults, [])
      await act(502)
      assert.deepEqual((await audit.verify()).faults, [])
      assert.equal((await run()).did['months'], 0)
    })

    test('addresses expire and the chain stays whole', async () => {
      const addresses = async () =>
        (await all(audit.read({ advertiserId: 502 }))).map(({ address }) => address)
      assert.deepEqual(await addresses(), ['192.0.2.7'])
      clock.advance(limits.auditAddressDays * 86_400_000 + 1)
      await run()
      assert.deepEqual(await addresses(), [null])
      assert.deepEqual((await audit.verify()).faults, [])
    })
  },
  clock,
)
