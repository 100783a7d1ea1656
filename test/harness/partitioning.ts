import pg from 'pg'

/**
 * The tables that grow with the applications. Each of their keys begins with the advertiser, so that they can be
 * partitioned.
 */
export const tablesByAdvertiser = [
  'advertiser_ledger',
  'applications',
  'application_files',
  'application_screens',
  'application_pieces',
  'application_terms',
  'application_counts',
  'application_history',
  'application_reads',
  'application_holds',
  'kept_applications',
  'list_reads',
  'application_days',
  'api_call_days',
  'erasures',
  'events',
] as const

const parts = 4

/** Splits those tables into four partitions each, as an operator would before they grow too large. */
export async function partitionByAdvertiser(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows: references } = await client.query<{ source: string; name: string; definition: string }>(
      `select conrelid::regclass as source, conname as name, pg_get_constraintdef(oid) as definition
        from pg_constraint
        where contype = 'f' and conparentid = 0
          and (conrelid = any($1::regclass[]) or confrelid = any($1::regclass[]))`,
      [tablesByAdvertiser],
    )
    const statements = [
      ...references.map(({ source, name }) => `alter table ${source} drop constraint ${name}`),
      ...tablesByAdvertiser.flatMap(partitioned),
      ...references.map(({ source, definition }) => `alter table ${source} add ${definition}`),
    ]
    await client.query(['begin', ...statements, 'commit'].join(';\n'))
  } finally {
    await client.end()
  }
}

function partitioned(table: string): string[] {
  const create = [`alter table ${table} rename to former_${table}`]
  const copy = `create table ${table} (like former_${table} including all)`
  if (table === 'application_pieces') {
    // By format first, as they are.
    create.push(`${copy} partition by list (format)`)
    for (const format of ['json', 'xml']) {
      const name = `${table}_of_${format}`
      create.push(
        `create table ${name} partition of ${table} for values in ('${format}') partition by hash (advertiser_id)`,
        ...hashParts(name),
      )
    }
  } else {
    create.push(`${copy} partition by hash (advertiser_id)`, ...hashParts(table))
  }
  return [...create, `insert into ${table} select * from former_${table}`, `drop table former_${table}`]
}

function hashParts(table: string): string[] {
  return Array.from(
    { length: parts },
    (_, part) =>
      `create table ${table}_${part} partition of ${table} for values with (modulus ${parts}, remainder ${part})`,
  )
}
