import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { openSqlite } from '../../src/platform/database/sqlite/sqlite.ts'
import type { Dialect, Schema } from '../../src/platform/database/tables.ts'
import { dataTables } from '../../src/schema/data-tables.ts'
import * as foundation from '../../src/schema/migrations/0001-foundation.ts'
import * as share from '../../src/schema/migrations/0002-share.ts'
import * as apply from '../../src/schema/migrations/0003-apply.ts'
import * as people from '../../src/schema/migrations/0004-people.ts'
import * as shownResumes from '../../src/schema/migrations/0023-shown-resumes.ts'
import { withServices } from '../harness/database.ts'

/** The migrator's own, the sequence of applications on SQLite, and the partitions of a table on PostgreSQL. */
const bookkeeping = [
  'schema_migrations',
  'schema_migrations_lock',
  'counters',
  'application_pieces_json',
  'application_pieces_xml',
]

type Columns = Record<string, string>

/** `Schema` is a type and absent at run time, so it is read as text: table, column, `integer|text[ or null]`. */
function declaredTables(): Record<string, Columns> {
  const read = (file: string) => readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
  const bodyOf = (source: string) =>
    [...source.matchAll(/^(?:export )?interface \w*(?:Tables|Schema) [^\n]*\{\n(.*?)\n\}/gms)]
      .map(([, body]) => body)
      .join('\n')
  const body = [
    'platform/database/tables.ts',
    'schema/board-tables.ts',
    'schema/application-tables.ts',
    'schema/people-tables.ts',
    'schema/webhook-tables.ts',
  ]
    .map(file => bodyOf(read(file)))
    .join('\n')
  const plain = body.replace(/\/\*\*.*?\*\//gs, '')
  return Object.fromEntries(
    [...plain.matchAll(/(\w+): \{([^}]*)\}/g)].map(([, table, columns = '']) => [
      table,
      Object.fromEntries(
        [...columns.matchAll(/(\w+): ([^\n;]+)/g)].map(([, column, type = '']) => [
          column,
          declaredType(type),
        ]),
      ),
    ]),
  )
}

function declaredType(type: string): string {
  const kind = /\bnumber\b/.test(type) ? 'integer' : 'text'
  return /\| null\b/.test(type) ? `${kind} or null` : kind
}

withServices('a fresh schema', services => {
  async function actualTables(): Promise<Record<string, Columns>> {
    const tables = await services().database.reader.introspection.getTables()
    return Object.fromEntries(
      tables
        .filter(table => !bookkeeping.includes(table.name))
        .map(table => [
          table.name,
          Object.fromEntries(
            table.columns.map(({ name, dataType, isNullable, isAutoIncrementing }) => {
              const kind = /^(int8|bigint|integer)$/i.test(dataType) ? 'integer' : dataType.toLowerCase()
              // SQLite reports an INTEGER PRIMARY KEY as nullable, although it never is.
              return [name, isNullable && !isAutoIncrementing ? `${kind} or null` : kind]
            }),
          ),
        ]),
    )
  }

  test('has the tables and columns that the code expects', async () => {
    assert.deepEqual(await actualTables(), declaredTables())
  })

  test('has no data outside the tables that "demo reset" empties, except about itself', async () => {
    assert.deepEqual(
      Object.keys(await actualTables()).toSorted(),
      [...dataTables, 'meta', 'nodes'].toSorted(),
    )
  })

  test('has every migration once, and a second run has nothing to do', async () => {
    assert.deepEqual(await services().schema.state(), { state: 'current' })
    assert.deepEqual(await services().schema.migrate(), { ran: [] })
  })

  test('keeps the data of a database of the first version, and when each agent was last authorised', async () => {
    const { dialect, writer } = services().database
    await withFirstVersion(dialect, writer, async db => {
      await sql`insert into advertisers (id, name, status, created_at) values (1, 'a', 'active', 1), (2, 'b', 'hold', 2)`.execute(
        db,
      )
      await sql`insert into agents (id, name, created_at) values (3, 'c', 3), (4, 'd', 4)`.execute(db)
      await sql`insert into agent_authorisations (advertiser_id, agent_id, authorised_at) values (1, 3, 50), (2, 3, 40)`.execute(
        db,
      )
      await sql`insert into oauth_clients (id, name, agent_id, created_at) values ('e', 'E', 3, 5)`.execute(
        db,
      )
      await share.up(db, dialect)
      const agents = await db.selectFrom('agents').selectAll().orderBy('id').execute()
      assert.deepEqual(
        agents.map(row => ({ ...row })),
        [
          { id: 3, name: 'c', created_at: 3, last_authorised_at: 50 },
          { id: 4, name: 'd', created_at: 4, last_authorised_at: 0 },
        ],
      )
      // It may request nothing until the operator allows it.
      const clients = await db.selectFrom('oauth_clients').selectAll().execute()
      assert.deepEqual(
        clients.map(row => ({ ...row })),
        [{ id: 'e', name: 'E', agent_id: 3, created_at: 5, scopes: '', require_pkce: 0, disabled_at: null }],
      )
    })
  })

  test('binds a consent to the default resume of the moment of the migration', async () => {
    const { writer } = services().database
    await sql`insert into candidates (id, email, password_hash, first_name, last_name, profile, created_at)
      values ('m', 'm@example.com', 'x', 'M', 'N', '{}', 1), ('none', 'n@example.com', 'x', 'N', 'O', '{}', 1)`.execute(
      writer,
    )
    for (const [id, isDefault] of [
      ['chosen', 0],
      ['default', 1],
    ] as const)
      await sql`insert into resumes
          (id, candidate_id, file_name, content_type, sha256, size, scan, uploaded_at, is_default)
        values (${id}, 'm', 'r.pdf', 'application/pdf', ${'0'.repeat(64)}, 7, 'clean', 1, ${isDefault})`.execute(
        writer,
      )
    await sql`insert into oauth_clients (id, name, created_at) values ('k', 'K', 1), ('l', 'L', 1), ('o', 'O', 1)`.execute(
      writer,
    )
    const consents = [
      ['of-default', 'm', 'k', 63, null, null, 'default'],
      ['of-chosen', 'm', 'l', 63, 'chosen', null, 'chosen'],
      ['without-resume', 'm', 'o', 31, null, null, null],
      ['withdrawn', 'm', 'k', 63, null, 5, null],
      ['of-none', 'none', 'k', 63, null, null, null],
    ] as const
    for (const [id, candidateId, clientId, filled, resumeId, withdrawnAt] of consents)
      await sql`insert into grants (id, candidate_id, client_id, scope, released, filled, created_at, decided_at,
          withdrawn_at, resume_id)
        values (${id}, ${candidateId}, ${clientId}, 's', 63, ${filled}, 1, 1, ${withdrawnAt}, ${resumeId})`.execute(
        writer,
      )
    await shownResumes.up(writer)
    const rows = await writer.selectFrom('grants').select(['id', 'resume_id']).execute()
    assert.deepEqual(
      Object.fromEntries(rows.map(row => [row.id, row.resume_id])),
      Object.fromEntries(consents.map(([id, , , , , , bound]) => [id, bound])),
    )
  })

  test('finds the files of the first versions in their place, except for discarded ones', async () => {
    const { dialect, writer } = services().database
    await withFirstVersion(dialect, writer, async db => {
      await share.up(db, dialect)
      const [kept, discarded] = ['abcd'.padEnd(64, '0'), 'e3b0'.padEnd(64, '0')]
      await sql`insert into candidates (id, email, password_hash, first_name, last_name, profile, created_at)
        values ('c', 'c@example.com', 'x', 'C', 'D', '{}', 1)`.execute(db)
      await sql`insert into resumes
          (id, candidate_id, file_name, content_type, sha256, size, scan, uploaded_at, is_default)
        values ('r', 'c', 'r.pdf', 'application/pdf', ${kept}, 7, 'unscanned', 1, 1),
          ('s', 'c', 's.pdf', 'application/pdf', ${discarded}, 0, 'infected', 1, 0)`.execute(db)
      await apply.up(db, dialect)
      const resumes = await db.selectFrom('resumes').select(['id', 'blob']).orderBy('id').execute()
      assert.deepEqual(
        resumes.map(row => ({ ...row })),
        [
          { id: 'r', blob: `ab/cd/${kept}` },
          { id: 's', blob: null },
        ],
      )
    })
  })

  test('finds applications of former versions by their text, and knows their ad, outcome and viruses', async () => {
    const { dialect, writer } = services().database
    await withFirstVersion(dialect, writer, async db => {
      await share.up(db, dialect)
      await apply.up(db, dialect)
      await sql`insert into advertisers (id, name, status, created_at) values (7, 'a', 'active', 1)`.execute(
        db,
      )
      await sql`insert into applications
          (advertiser_id, id, submitted_at, job_seeker_id, email, first_name, last_name, phone, job_reference)
        values (7, 1, 1, 'c', 'Zoe@Example.com', 'Zoë', 'De  Vries', '', null),
          (7, 2, 2, 'd', 'li@example.com', 'Li', 'Li', '', 'HCR-7')`.execute(db)
      await sql`insert into application_screens
          (advertiser_id, application_id, json, xml, sha256, size, successful)
        values (7, 2, '{}', '<screen/>', '', 9, 0)`.execute(db)
      await sql`insert into application_files
          (advertiser_id, application_id, type, file_name, content_type, sha256, size, scan, uploaded_at, changed_at)
        values (7, 2, 'resume', 'r.pdf', 'application/pdf', '', 0, 'infected', 1, 1)`.execute(db)
      await sql`insert into candidates (id, email, password_hash, first_name, last_name, profile, created_at)
        values ('c', 'zoe@example.com', 'x', 'Zoë', 'De Vries', '{}', 1)`.execute(db)
      await sql`insert into own_applications
          (candidate_id, form_key, advertiser_id, application_id, job_ad_id, job_title, job_location,
            advertiser_name, submitted_at)
        values ('c', 'k', 7, 1, 31, 'Barista', 'Sydney', 'a', 1)`.execute(db)
      await sql`insert into job_ads
          (advertiser_id, id, title, location, description, status, created_at, updated_at)
        values (7, 31, 'Pâtissier', 'Sydney', '', 'open', 1, 1)`.execute(db)
      await people.up(db, dialect)
      const { search_text } = await db.selectFrom('job_ads').select('search_text').executeTakeFirstOrThrow()
      assert.equal(search_text, 'patissier sydney a')
      const applications = await db
        .selectFrom('applications')
        .select(['id', 'job_ad_id', 'screen_successful', 'has_virus', 'erased_at'])
        .orderBy('id')
        .execute()
      assert.deepEqual(
        applications.map(row => ({ ...row })),
        [
          { id: 1, job_ad_id: 31, screen_successful: null, has_virus: 0, erased_at: null },
          { id: 2, job_ad_id: null, screen_successful: 0, has_virus: 1, erased_at: null },
        ],
      )
      const terms = await db.selectFrom('application_terms').select(['application_id', 'term']).execute()
      assert.deepEqual(terms.map(({ application_id, term }) => `${application_id} ${term}`).toSorted(), [
        '1 de vries zoe',
        '1 zoe de vries',
        '1 zoe@example.com',
        '2 hcr-7',
        '2 li li',
        '2 li@example.com',
      ])
    })
  })
})

/** Another database, as the first version left it. */
async function withFirstVersion(
  dialect: Dialect,
  writer: Kysely<Schema>,
  body: (db: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  if (dialect === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
    const database = await openSqlite(join(folder, 'first.db'), 1000)
    try {
      await foundation.up(database.writer, dialect)
      await body(database.writer)
    } finally {
      await database.close()
      await rm(folder, { recursive: true })
    }
    return
  }
  await writer.connection().execute(async db => {
    await sql`create schema first_version`.execute(db)
    await sql`set search_path to first_version`.execute(db)
    try {
      await foundation.up(db, dialect)
      await body(db)
    } finally {
      await sql`drop schema first_version cascade`.execute(db)
      await sql`reset search_path`.execute(db)
    }
  })
}
