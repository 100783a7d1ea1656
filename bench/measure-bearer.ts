import { CompiledQuery, type Kysely } from 'kysely'
import { createPublicServer } from '../src/assembly/servers.ts'
import type { Schema } from '../src/platform/database/tables.ts'
import { createMetrics } from '../src/platform/http/observed/metrics.ts'
import { readConfig } from '../src/settings.ts'
import { appOf } from '../test/harness/services.ts'
import { recordStatements, type Statement } from '../test/harness/sql-recording.ts'
import type { Bench } from './bench.ts'
import { openForBench, silentLog } from './bench-services.ts'
import type { SharingSubject } from './measure-prefill.ts'

const calls = 100

/**
 * A bearer token is checked on every call of version 2. Calls that are rejected right after the check, because their body
 * is empty, show what it sends to the database; the database explains how it finds the row.
 */
export async function measureBearerCheck(
  { report }: Bench,
  { subject, sharing }: SharingSubject,
): Promise<void> {
  const { label, settings } = subject
  await using services = await openForBench(settings)
  const { app } = await createPublicServer(readConfig(settings), appOf(services), {
    log: silentLog,
    metrics: createMetrics(),
    isDemo: false,
    baseUrl: () => 'http://localhost:8080',
    authUrl: () => 'http://localhost:8080',
    welcome: () => '',
  })
  try {
    const statements = recordStatements(services.database)
    for (let call = 0; call < calls; call++) {
      const person = sharing.people[call % sharing.people.length]
      const { statusCode } = await app.inject({
        method: 'POST',
        url: '/v2/applications/prefilled',
        headers: { host: 'localhost:8080', authorization: `Bearer ${person?.token}` },
        payload: {},
      })
      if (statusCode !== 422) throw new Error(`an empty prefill got ${statusCode} instead of 422`)
    }
    // The shared rate counts are written once for many calls.
    const sent = statements.filter(({ sql }) => !/\brate_counts\b/.test(sql))
    report.add({
      name: `bearer-token check, ${label}: statements`,
      value: sent.length / calls,
      unit: 'per request',
      target: 1,
      direction: 'max',
    })
    const explain = services.database.dialect === 'sqlite' ? explainOnSqlite : explainOnPostgres
    const plans = new Map(sent.map(statement => [statement.sql, statement]))
    const steps: string[] = []
    for (const statement of plans.values()) {
      steps.push(...(await explain(services.database.writer, statement)))
    }
    report.say(`bearer-token check, ${label}: ${steps.join('; ')}`)
    report.add({
      name: `bearer-token check, ${label}: plan steps without an index`,
      value: steps.filter(step => !/^(SEARCH \w+ USING|Index (Only )?Scan using) /.test(step)).length,
      unit: `of ${steps.length}`,
      target: 0,
      direction: 'max',
    })
  } finally {
    await app.close()
  }
}

async function explainOnSqlite(db: Kysely<Schema>, { sql, parameters }: Statement): Promise<string[]> {
  const query = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
  const { rows } = await db.executeQuery<{ detail: string }>(query)
  return rows.map(({ detail }) => detail)
}

/** Each node of a plan is a line with its cost; the lines below a node are its conditions. */
async function explainOnPostgres(db: Kysely<Schema>, { sql, parameters }: Statement): Promise<string[]> {
  const query = CompiledQuery.raw(`explain ${sql}`, [...parameters])
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(query)
  return rows
    .map(row => row['QUERY PLAN'])
    .filter(line => line.includes('(cost='))
    .map(line => line.replace(/^[\s>-]+/, '').replace(/ *\(cost=.*$/, ''))
}
