import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { startNode } from '../harness/process.ts'
import { act } from './audit-writer.ts'

const writer = fileURLToPath(new URL('audit-writer.ts', import.meta.url))
const writers = 8
/** One of them is this one. */
const processes = times(2, 4)
const loops = writers / processes
const rounds = times(4, 40)

withServices('the audit log, written by several processes', (services, settings) => {
  test(`${writers} writers in ${processes} processes leave whole chains with one entry for each act`, async () => {
    const companies: number[] = []
    for (const name of ['One', 'Two', 'Three']) companies.push((await services().advertisers.add(name)).id)
    const args = [loops, rounds, ...companies].map(String)
    const results = await Promise.all([
      act(services(), loops, rounds, companies),
      ...Array.from({ length: processes - 1 }, async () => {
        const { code, stdout, stderr } = await startNode(writer, args, settings()).finished
        assert.deepEqual([code, stderr], [0, ''])
        return JSON.parse(stdout) as Record<number, number>
      }),
    ])
    const { auditLog, database } = services()
    const entries = await database.writer
      .selectFrom('audit_entries')
      .select(['scope', 'number'])
      .orderBy('scope')
      .orderBy('number')
      .execute()
    for (const scope of [0, ...companies]) {
      const numbers = entries.filter(entry => entry.scope === scope).map(({ number }) => number)
      // A company’s first entry is its addition.
      const acts = results.reduce((sum, acted) => sum + (acted[scope] ?? 0), scope === 0 ? 0 : 1)
      assert.deepEqual(
        numbers,
        Array.from({ length: acts }, (_, index) => index + 1),
      )
    }
    const { chains, faults, lost, entries: verified } = await auditLog.verify()
    assert.deepEqual(
      { chains, faults, lost, verified },
      {
        chains: companies.length + 1,
        faults: [],
        lost: [],
        verified: entries.length,
      },
    )
  })
})
