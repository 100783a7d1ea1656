import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { movableClock, steadily } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { recordLog } from '../../../test/harness/log.ts'
import { type AuditContext, withAuditContext } from '../core/async/audit-context.ts'
import { createAuditStore } from './audit-store.ts'
import { hashEntry, hashSeals, monthOf, noHash } from './chain.ts'
import type { AuditEntry, HeadNotes, NotedHeads } from './ports.ts'
import { type AuditLog, auditAddressDays, createAuditLog } from './service.ts'

const clock = movableClock()
const monthMs = 31 * 86_400_000
const scope = 501
const limits = { auditMonths: 24 }

withServices('the audit log', { clock }, services => {
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
      notes,
      clock,
      lookAtTime: steadily(clock),
      log,
      limits,
      noteFailures: async () => 0,
    })
  })
  const auditContext: AuditContext = {
    clock,
    actor: { kind: 'person', id: 'rae', proof: 'password' },
    address: '192.0.2.7',
  }
  const act = (advertiserId = scope, actor = auditContext) =>
    withAuditContext(actor, () =>
      audit.record({
        action: 'member.role',
        scope: { ownerId: advertiserId },
        target: 'person:x',
        after: { role: 'admin' },
      }),
    )
  const all = async (entries: AsyncIterable<AuditEntry>) => {
    const found: AuditEntry[] = []
    for await (const entry of entries) found.push(entry)
    return found
  }
  const run = () => withAuditContext(auditContext, () => audit.run(async () => true))

  test('entries are listed newest first, by time, actor and action, in pages', async () => {
    await act()
    clock.advance(1000)
    await act()
    await act(502, { clock, actor: { kind: 'command', id: 'root', proof: 'shell' } })
    const own = { ownerId: scope }
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
    const kept = await audit.list({ ownerId: scope }, {}, undefined, 1)
    await writer.deleteFrom('audit_entries').where('scope', '=', scope).where('number', '=', 2).execute()
    assert.deepEqual((await audit.verify()).faults, [{ scope, number: 2, what: 'cut' }])
    const [first] = await audit.list({ ownerId: scope }, {}, undefined, 1)
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
    assert.deepEqual((await all(audit.read({ ownerId: scope }))).length, 1)
    assert.deepEqual((await all(audit.read({ ownerId: 502 }))).length, 0)
    const [drop] = await audit.list('board', {}, undefined, 1)
    assert.equal(drop?.action, 'audit.drop')
    assert.deepEqual((await audit.verify()).faults, [])
    await act(502)
    assert.deepEqual((await audit.verify()).faults, [])
    assert.equal((await run()).did['months'], 0)
  })

  test('a month that is marked as dropped beside the service stands for no entries', async () => {
    const { writer } = services().database
    assert.equal((await audit.verify()).dropped.length, 1)
    const entries = await all(audit.read({ ownerId: 502 }))
    const [first, last] = [entries[0], entries.at(-1)]
    await writer
      .insertInto('audit_seals')
      .values({
        scope: 502,
        month: '2020-01',
        prev: first?.prev ?? '',
        hash: last?.hash ?? '',
        first_number: first?.number ?? 0,
        last_number: last?.number ?? 0,
        dropped_at: clock(),
      })
      .execute()
    const { faults } = await audit.verify()
    assert.deepEqual(
      faults.map(({ scope, what }) => ({ scope, what })),
      [{ scope: 0, what: 'unrecorded' }],
    )
    await writer.deleteFrom('audit_seals').where('scope', '=', 502).where('month', '=', '2020-01').execute()
    assert.deepEqual((await audit.verify()).faults, [])
  })

  test('a drop that is dated in the future vouches for no recent month', async () => {
    const { writer } = services().database
    // A recent month, sealed as the service does.
    clock.advance(monthMs)
    await act()
    await audit.record({ action: 'mail.test', scope: 'board', target: 'mail:x' })
    const { hash, number } = await writer
      .selectFrom('audit_heads')
      .select(['hash', 'number'])
      .where('scope', '=', 0)
      .executeTakeFirstOrThrow()
    const recent = monthOf(clock() - monthMs)
    const mark = (dropped_at: number | null) =>
      writer.updateTable('audit_seals').set({ dropped_at }).where('month', '=', recent).execute()
    const { numUpdatedRows } = (await mark(clock()))[0] ?? {}
    assert.ok(Number(numUpdatedRows) > 0)
    const before = monthOf(clock())
    const seals = hashSeals(await createAuditStore(services().database).droppedSeals())
    const forged = {
      scope: 0,
      number: number + 1,
      at: clock() + (limits.auditMonths + 2) * monthMs,
      prev: hash,
      actorKind: 'task' as const,
      actorId: 'audit',
      proof: 'process',
      requestId: null,
      action: 'audit.drop',
      target: 'audit:0',
      before: null,
      after: JSON.stringify({ before, months: Number(numUpdatedRows), seals }),
    }
    const head = { number: forged.number, hash: hashEntry(forged) }
    const { actorKind: actor_kind, actorId: actor_id, requestId: request_id, ...same } = forged
    await writer
      .insertInto('audit_entries')
      .values({ ...same, actor_kind, actor_id, request_id, hash: head.hash, address: null })
      .execute()
    await writer.updateTable('audit_heads').set(head).where('scope', '=', 0).execute()
    assert.deepEqual((await audit.verify()).faults, [{ scope: 0, number: head.number, what: 'early' }])
    await mark(null)
    await writer
      .deleteFrom('audit_entries')
      .where('scope', '=', 0)
      .where('number', '=', head.number)
      .execute()
    await writer.updateTable('audit_heads').set({ number, hash }).where('scope', '=', 0).execute()
    assert.deepEqual((await audit.verify()).faults, [])
  })

  test('a drop whose note cannot be read is a changed entry', async () => {
    const { writer } = services().database
    const [drop] = await audit.list('board', { action: 'audit.drop' }, undefined, 1)
    assert.ok(drop)
    const note = (after: string | null) =>
      writer
        .updateTable('audit_entries')
        .set({ after })
        .where('scope', '=', 0)
        .where('number', '=', drop.number)
        .execute()
    for (const after of ['{', 'null', '[]', '{"before":7}', null]) {
      await note(after)
      const { faults } = await audit.verify()
      assert.deepEqual(faults.map(({ what }) => what).toSorted(), ['changed', 'unrecorded'], String(after))
    }
    await note(drop.after)
    assert.deepEqual((await audit.verify()).faults, [])
  })

  test('a chain without its head is found, that of the board as well', async () => {
    const { writer } = services().database
    for (const each of [0, scope]) {
      const { hash, ...head } = await writer
        .deleteFrom('audit_heads')
        .where('scope', '=', each)
        .returningAll()
        .executeTakeFirstOrThrow()
      const { faults } = await audit.verify()
      assert.deepEqual([...new Set(faults.map(fault => fault.scope))], [each])
      await writer
        .insertInto('audit_heads')
        .values({ ...head, hash })
        .execute()
      assert.deepEqual((await audit.verify()).faults, [])
    }
  })

  test('addresses expire and the chain stays whole', async () => {
    const addresses = async () => (await all(audit.read({ ownerId: 502 }))).map(({ address }) => address)
    assert.deepEqual(await addresses(), ['192.0.2.7'])
    clock.advance(auditAddressDays * 86_400_000 + 1)
    await run()
    assert.deepEqual(await addresses(), [null])
    assert.deepEqual((await audit.verify()).faults, [])
  })
})
