import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBlobReferences } from '../../src/operator/upkeep/blob-reference-store.ts'
import { monthOf } from '../../src/platform/audit/chain.ts'
import { withAuditContext } from '../../src/platform/core/async/audit-context.ts'
import { movableClock } from '../harness/clock.ts'
import { runHere } from '../harness/command.ts'
import { withServices, withServicesOn } from '../harness/database.ts'

withServices('dossier audit', (services, settings) => {
  const dossier = (...args: string[]) => runHere(args, settings() as Record<string, string>)
  const linesOf = (text: string) => text.trimEnd().split('\n')

  test('commands are on record as the user of the system, and the log can be listed, exported and verified', async () => {
    await dossier('advertiser', 'add', 'Harbour Coffee Roasters')
    const { stdout } = await dossier('credential', 'issue', '10000001', '--json')
    const { id } = JSON.parse(stdout)
    await dossier('credential', 'revoke', id)
    const listed = JSON.parse((await dossier('audit', 'list', '--json', '--scope', '10000001')).stdout)
    assert.deepEqual(
      listed.map((entry: { actor: string; action: string }) => [entry.actor, entry.action]),
      [
        ['command:tester', 'credential.revoke'],
        ['command:tester', 'credential.issue'],
        ['command:tester', 'company.add'],
      ],
    )
    const found = await dossier(
      'audit',
      'list',
      '--action',
      'credential',
      '--actor',
      'command',
      '--limit',
      '1',
    )
    assert.match(found.stdout, /^at +scope +number +actor.*\n.*credential\.revoke/)
    assert.equal((await dossier('audit', 'list', '--from', '2099-01-01')).stdout, 'No entries match.\n')

    const csv = linesOf((await dossier('audit', 'export', '--format', 'csv', '--scope', '10000001')).stdout)
    assert.match(csv[0] ?? '', /^\uFEFF"scope","number","at"/)
    assert.equal(csv.length, 5, 'the export is an entry itself')
    const ndjson = linesOf((await dossier('audit', 'export')).stdout).map(line => JSON.parse(line))
    assert.deepEqual(
      ndjson.map(({ scope, number }) => `${scope}:${number}`),
      ['board:1', '10000001:1', '10000001:2', '10000001:3', '10000001:4'],
    )

    const whole = await dossier('audit', 'verify', '--head', `10000001:4:${ndjson[4].hash}`)
    const unnoted =
      'No month was dropped.\nNo heads are noted beside the files, so a chain that was cut at its end is not found. Give --head from the log of the service.\n'
    assert.equal(whole.stdout, `${unnoted}The audit log is whole: 5 entries in 2 chains.\n`)
    const lost = await dossier('audit', 'verify', '--head', `10000001:9:${ndjson[4].hash}`)
    assert.equal(lost.code, 1)
    assert.match(lost.stdout, /^Advertiser 10000001: entry 9, .* cut or rewritten\.\n$/m)
    assert.equal((await dossier('audit', 'verify', '--head', 'nonsense')).code, 2)

    const { writer } = services().database
    await writer
      .updateTable('audit_entries')
      .set({ actor_id: 'another' })
      .where('scope', '=', 10000001)
      .where('number', '=', 2)
      .execute()
    const changed = await dossier('audit', 'verify')
    assert.deepEqual(
      [changed.code, changed.stdout, changed.stderr],
      [1, `${unnoted}Advertiser 10000001: entry 2 was changed.\n`, 'dossier: The audit log is not whole.\n'],
    )
  })
})

// The commands have the clock of this machine, and on PostgreSQL the audit task waits while its own clock differs from that.
const clock = movableClock(Date.now())
withServicesOn('sqlite', 'dossier audit verify', { clock }, (services, settings) => {
  test('names the months that were dropped, and says how old the heads are that it compares', async () => {
    const { auditLog, auditTask, database } = services()
    await createBlobReferences(database).makeDatabaseId('a-database')
    const act = () =>
      withAuditContext({ clock, actor: { kind: 'task', id: 'test', proof: 'process' } }, () =>
        auditLog.record({ action: 'mail.test', scope: 'board', target: 'mail:x' }),
      )
    const hourMs = 3_600_000
    const now = clock()
    const months: string[] = []
    for (const years of [12, 11, 0]) {
      clock.set(now - years * 365 * 24 * hourMs - 1.5 * hourMs)
      await act()
      months.push(monthOf(clock()))
    }
    const verified = async () =>
      (await runHere(['audit', 'verify'], settings() as Record<string, string>)).stdout
        .split('\n')
        .slice(0, 2)
    const compared = (ago: string) => {
      const at = new Date(clock()).toISOString()
      return `Compared with the heads noted beside the files on ${at}, ${ago} ago.`
    }
    assert.equal((await auditTask.run(async () => true)).did['months'], 2)
    const dropped = `Dropped after AUDIT_MONTHS: ${months.slice(0, 2).join(', ')}.`
    assert.deepEqual(await verified(), [dropped, compared('1 hour')])
    clock.advance(-4 * hourMs)
    await auditLog.noteHeads()
    assert.deepEqual(await verified(), [dropped, compared('5 hours')])
  })
})
