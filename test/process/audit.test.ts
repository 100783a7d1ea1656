import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runHere } from '../harness/command.ts'
import { withServices } from '../harness/database.ts'

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
