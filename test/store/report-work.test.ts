import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { maxHistory, toldAtOnce } from '../../src/collect/progress/service.ts'
import { plainDraft } from '../harness/applications.ts'
import { withServicesOn } from '../harness/database.ts'
import { recordStatements } from '../harness/sql-recording.ts'
import { addTenant } from '../harness/tenant.ts'
import { storesOver } from './stores.ts'

interface Node {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

// SQLite does not count what a statement reads; the statements are the same.
withServicesOn('postgres', 'the work of a report', services => {
  test('a report reads each entry of a long history at most twice', async () => {
    const { database, clock, submissions } = services()
    const statements = recordStatements(database)
    const { progress } = storesOver(database)
    const { advertiserId, credentialId } = await addTenant(services(), 'Harbour')
    const { id, submittedAt } = await submissions.add(advertiserId, plainDraft())
    const length = 300
    const entry = { advertiser_id: advertiserId, application_id: id, kind: 'status' as const }
    await database.writer
      .insertInto('application_history')
      .values(
        Array.from({ length }, (_, index) => ({
          ...entry,
          position: index + 1,
          at: submittedAt + index,
          status: 'interview' as const,
        })),
      )
      .execute()
    const start = statements.length
    const said = { to: 'interview' as const, label: null, reason: null, tells: true }
    await progress.report(
      advertiserId,
      { by: 'api', credentialId },
      [{ applicationId: id, at: submittedAt + length, ...said }],
      { now: clock(), maxHistory, toldAtOnce, unread: 0 },
    )
    let reads = 0
    for (const { sql, parameters } of statements.slice(start)) {
      if (!/^select[\s\S]*"application_history"/.test(sql)) continue
      const explain = CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters])
      const { rows } = await database.writer.executeQuery<{ 'QUERY PLAN': { Plan: Node }[] }>(explain)
      for (const node of nodesOf(rows[0]?.['QUERY PLAN'][0]?.Plan as Node))
        if (node['Relation Name'] === 'application_history')
          reads += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    }
    assert.ok(reads >= length && reads <= 2 * length, String(reads))
  })
})
