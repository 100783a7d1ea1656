import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { type Actor, type AuditContext, withAuditContext } from '../core/async/audit-context.ts'
import { hashEntry, monthOf, noHash } from './chain.ts'
import { recordAudit } from './record-audit-store.ts'

const clock = movableClock()
const rae: Actor = { kind: 'person', id: 'a-person', proof: 'password' }
const auditContext: AuditContext = { clock, actor: rae, requestId: 'request-1', address: '192.0.2.7' }

withServices('recording acts', { clock }, services => {
  let advertiserId: number
  before(async () => {
    const added = await withAuditContext(auditContext, () =>
      services().advertisers.add('Harbour Coffee Roasters'),
    )
    advertiserId = added.id
  })
  const entriesOf = (scope: number) =>
    services()
      .database.reader.selectFrom('audit_entries')
      .selectAll()
      .where('scope', '=', scope)
      .orderBy('number')
      .execute()
  const headOf = (scope: number) =>
    services()
      .database.reader.selectFrom('audit_heads')
      .selectAll()
      .where('scope', '=', scope)
      .executeTakeFirstOrThrow()
  const onWriter = (work: Parameters<ReturnType<typeof transaction>['execute']>[0]) =>
    transaction().execute(work)
  const transaction = () => services().database.writer.transaction()
  const join = (scope: number) =>
    recordAuditOf(scope, { action: 'member.join', target: 'person:x', after: { role: 'admin' } })
  const recordAuditOf = (
    scope: number,
    act: { action: 'member.join'; target: 'person:x'; after: { role: string } },
  ) => onWriter(trx => recordAudit(trx, { ...act, scope: { ownerId: scope } }))

  test('an act is on record with its actor, its request and its place, in the chain of its company', async () => {
    const known = await entriesOf(advertiserId)
    const { id } = await withAuditContext(auditContext, () =>
      services().credentials.issue(advertiserId, 'a label', null),
    )
    await withAuditContext(auditContext, () => services().credentials.revoke(id))
    const entries = (await entriesOf(advertiserId)).slice(known.length)
    assert.deepEqual(
      entries.map(({ action, target, before, after }) => [action, target, before, after]),
      [
        ['credential.issue', `credential:${id}`, null, '{"expiresAt":null}'],
        ['credential.revoke', `credential:${id}`, '{"revokedAt":null}', `{"revokedAt":${clock()}}`],
      ],
    )
    for (const entry of entries) {
      assert.deepEqual(
        [entry.actor_kind, entry.actor_id, entry.proof, entry.request_id, entry.address, entry.at],
        ['person', 'a-person', 'password', 'request-1', '192.0.2.7', clock()],
      )
      assert.equal(
        entry.hash,
        hashEntry({ ...entry, actorKind: 'person', actorId: 'a-person', requestId: 'request-1' }),
      )
    }
    assert.equal(entries[1]?.prev, entries[0]?.hash)
    const head = await headOf(advertiserId)
    assert.deepEqual([head.number, head.hash], [entries[1]?.number, entries[1]?.hash])
  })

  test('revoking again is no act', async () => {
    const { id } = await services().credentials.issue(advertiserId, 'again', null)
    const first = await services().credentials.revoke(id)
    const { number } = await headOf(advertiserId)
    clock.advance(1000)
    assert.deepEqual(await services().credentials.revoke(id), first)
    assert.equal((await headOf(advertiserId)).number, number)
  })

  test('an act without an actor fails', async () => {
    const { number } = await headOf(advertiserId)
    const work = () => services().credentials.issue(advertiserId, 'of an unknown', null)
    await assert.rejects(withAuditContext({ clock }, work), /no actor is known/)
    assert.equal((await headOf(advertiserId)).number, number)
    const labels = (await services().credentials.list(advertiserId)).map(({ label }) => label)
    assert.ok(!labels.includes('of an unknown'))
  })

  test('an act that cannot be recorded is not carried out', async () => {
    const { id } = await services().credentials.issue(advertiserId, 'stays', null)
    await sql`alter table audit_entries rename to audit_entries_away`.execute(services().database.writer)
    try {
      await assert.rejects(services().credentials.revoke(id))
      await assert.rejects(services().credentials.issue(advertiserId, 'unrecorded', null))
    } finally {
      await sql`alter table audit_entries_away rename to audit_entries`.execute(services().database.writer)
    }
    const credentials = await services().credentials.list(advertiserId)
    assert.equal(credentials.find(each => each.id === id)?.revokedAt, null)
    assert.ok(!credentials.some(({ label }) => label === 'unrecorded'))
  })

  test('only fields of the list and short words are noted', async () => {
    const target = 'person:x'
    const scope = advertiserId
    const refused = [
      { role: 'jane@example.com' },
      { role: 'a sentence, with a comma' },
      { name: 'Jane' },
      { role: {} },
      { role: 0.5 },
    ]
    for (const after of refused) {
      const act = {
        action: 'member.role',
        scope: { ownerId: scope },
        target,
        after: after as { role: string },
      } as const
      await assert.rejects(
        onWriter(trx => recordAudit(trx, act)),
        JSON.stringify(after),
      )
    }
  })

  test('a month is sealed by the first entry of the next one, and times never go back', async () => {
    const scope = 77
    await withAuditContext(auditContext, () => join(scope))
    await withAuditContext(auditContext, () => join(scope))
    const month = monthOf(clock())
    clock.advance(31 * 86_400_000)
    await withAuditContext(auditContext, () => join(scope))
    const latest = clock()
    await withAuditContext({ ...auditContext, clock: () => latest - 40 * 86_400_000 }, () => join(scope))
    const entries = await entriesOf(scope)
    assert.equal(entries[3]?.at, latest)
    const seals = await services()
      .database.reader.selectFrom('audit_seals')
      .selectAll()
      .where('scope', '=', scope)
      .execute()
    assert.deepEqual(seals, [
      {
        scope,
        month,
        first_number: 1,
        last_number: 2,
        prev: noHash,
        hash: entries[1]?.hash,
        dropped_at: null,
      },
    ])
    const head = await headOf(scope)
    assert.deepEqual([head.first_number, head.first_prev], [3, entries[1]?.hash])
  })

  test('fifty at once make one chain', async () => {
    const scope = 78
    await Promise.all(Array.from({ length: 50 }, () => withAuditContext(auditContext, () => join(scope))))
    const entries = await entriesOf(scope)
    assert.deepEqual(
      entries.map(({ number }) => number),
      Array.from({ length: 50 }, (_, index) => index + 1),
    )
    for (const [index, { prev }] of entries.entries())
      assert.equal(prev, index === 0 ? noHash : entries[index - 1]?.hash)
  })
})
