import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { tablesByAdvertiser } from '../harness/partitioning.ts'

/**
 * Tables that name an advertiser and are not partitioned with it, and why. Decision 035 says what happens to each when
 * there are several servers.
 */
const elsewhere: Record<string, string> = {
  sws_credentials: 'found by the hash of a credential, before its owner is known',
  agent_authorisations: 'few, and asked for with the credential',
  agent_call_days: "an agent's, and few",
  advertiser_logos: 'few, and found by the hash in their address',
  screens: 'few, and changed by people',
  job_ads: 'few, and searched by candidates over all advertisers',
  ad_versions: 'few for each ad, and changed with it',
  oauth_client_advertisers: 'few',
  memberships: 'of people, who have one account whoever they work for',
  invitations: 'found by the hash of a link',
  grants: "a candidate's",
  oauth_codes: 'found by the hash of a code',
  oauth_tokens: 'found by the hash of a token',
  prefilled_applications: "a candidate's",
  disclosures: "a candidate's",
  own_applications: "a candidate's",
  intake_applications: "a job board's",
  job_reports: 'few, and found by their ad or their time',
  privacy_notices: 'few versions of each',
  recent_decisions: 'few, for an hour after a decision',
  untold_withdrawals: 'few, until the next email to a member',
  webhook_endpoints: 'few, and found by their ID',
  webhook_lanes: 'few, and found by when they are due, over all advertisers',
  webhook_attempts: 'of an endpoint, which may be that of an agent',
}

interface Key {
  source: string
  name: string
  columns: string[]
}

describe('the tables that grow with the applications can be split by advertiser', () => {
  let database: TestDatabase
  let client: pg.Client
  before(async () => {
    database = await createTestDatabase('postgres')
    client = new pg.Client(String(database.settings['DATABASE_URL']))
    await client.connect()
  })
  after(async () => {
    await client.end()
    await database.remove()
  })

  /** With its columns by name; for a partitioned table, only the whole. */
  async function keys(sql: string): Promise<Key[]> {
    const { rows } = await client.query<Key>(sql, [tablesByAdvertiser])
    assert.ok(rows.length > 0)
    return rows
  }

  test('each table that names an advertiser is among them, or has a reason not to be', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select a.attrelid::regclass::text as name
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where a.attname = 'advertiser_id' and c.relkind in ('r', 'p') and not c.relispartition`,
    )
    assert.deepEqual(
      rows.map(({ name }) => name).toSorted(),
      [...tablesByAdvertiser, ...Object.keys(elsewhere)].toSorted(),
    )
  })

  test('unique values are unique within an advertiser', async () => {
    const unique = await keys(
      `select i.indrelid::regclass::text as source, i.indexrelid::regclass::text as name,
          array(select attname::text from pg_attribute where attrelid = i.indrelid and attnum = any(i.indkey)) as columns
        from pg_index i where i.indisunique and i.indrelid = any($1::regclass[])`,
    )
    assert.deepEqual(new Set(unique.map(({ source }) => source)), new Set(tablesByAdvertiser))
    for (const { name, columns } of unique) assert.ok(columns.includes('advertiser_id'), name)
  })

  test('their foreign keys stay within the advertiser, or name the advertiser', async () => {
    const references = await keys(
      `select conrelid::regclass::text as source, confrelid::regclass::text as name,
          array(select attname::text from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as columns
        from pg_constraint where contype = 'f' and conparentid = 0 and conrelid = any($1::regclass[])`,
    )
    for (const { source, name, columns } of references) {
      assert.ok(columns.includes('advertiser_id'), `${source} to ${name}`)
      assert.ok(['advertisers', ...tablesByAdvertiser].includes(name), `${source} to ${name}`)
    }
  })

  test('only the tables named in decision 035 refer to them', async () => {
    const references = await keys(
      `select conrelid::regclass::text as source, conname::text as name, '{}'::text[] as columns
        from pg_constraint
        where contype = 'f' and conparentid = 0
          and confrelid = any($1::regclass[]) and not conrelid = any($1::regclass[])`,
    )
    assert.deepEqual([...new Set(references.map(({ source }) => source))], ['own_applications'])
  })
})
