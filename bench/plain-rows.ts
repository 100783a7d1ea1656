import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { ScanState } from '../src/platform/blobs/scan-state.ts'
import type { Place } from './row-writer.ts'

export interface ApplicationRow {
  id: number
  submitted_at: number
  email: string
  first_name: string
  last_name: string
  phone: string
  job_seeker_id: string
  job_reference: string | null
}

export interface FileRow {
  application_id: number
  type: string
  sha256: string
  size: number
  scan: ScanState
  uploaded_at: number
}

export interface ScreenRow {
  application_id: number
  sha256: string
  size: number
}

/** The queries of the plain way. */
export interface PlainRows {
  advertiserOf(hash: string, now: number): Promise<number | undefined>
  applications(advertiserId: number, afterId: number, limit: number): Promise<ApplicationRow[]>
  files(advertiserId: number, ids: number[]): Promise<FileRow[]>
  screens(advertiserId: number, ids: number[]): Promise<ScreenRow[]>
}

export function openPlainRows(place: Place): Promise<PlainRows> {
  return 'file' in place ? openOnSqlite(place.file) : openOnPostgres(place.url)
}

const credential = `select advertiser_id from sws_credentials
  where hash = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`
const applications = `select id, submitted_at, email, first_name, last_name, phone, job_seeker_id, job_reference
  from applications where advertiser_id = $1 and id > $2 order by id limit $3`
const files = `select application_id, type, sha256, size, scan, uploaded_at
  from application_files where advertiser_id = $1 and application_id`
const screens = `select application_id, sha256, size
  from application_screens where advertiser_id = $1 and application_id`

/** IDs of one page are consecutive, so a range finds their dependent rows with one seek. */
async function openOnSqlite(file: string): Promise<PlainRows> {
  const db = new DatabaseSync(file, { readOnly: true })
  db.exec('pragma cache_size = -8192')
  const prepare = (sql: string) => db.prepare(sql.replace(/\$\d/g, '?'))
  const credentialOf = prepare(credential)
  const applicationsOf = prepare(applications)
  const filesOf = prepare(`${files} between $2 and $3`)
  const screensOf = prepare(`${screens} between $2 and $3`)
  const range = (ids: number[]) => [ids[0] ?? 0, ids.at(-1) ?? 0]
  type Of<T> = T & Record<string, never>
  return {
    advertiserOf: async (hash, now) =>
      (credentialOf.get(hash, now) as { advertiser_id: number } | undefined)?.advertiser_id,
    applications: async (...values) => applicationsOf.all(...values) as unknown as Of<ApplicationRow>[],
    files: async (advertiserId, ids) => filesOf.all(advertiserId, ...range(ids)) as unknown as Of<FileRow>[],
    screens: async (advertiserId, ids) =>
      screensOf.all(advertiserId, ...range(ids)) as unknown as Of<ScreenRow>[],
  }
}

/** As many connections as the service has, and statements prepared by name, as there. */
async function openOnPostgres(url: string): Promise<PlainRows> {
  // bigint values arrive as text unless parsed.
  const types = { getTypeParser: (oid: number) => (oid === 20 ? Number : pg.types.getTypeParser(oid)) }
  const pool = new pg.Pool({ connectionString: url, max: 10, types })
  pool.on('error', () => {})
  const query = async <T extends object>(name: string, text: string, values: unknown[]) =>
    (await pool.query<T>({ name, text, values })).rows
  return {
    async advertiserOf(hash, now) {
      const [row] = await query<{ advertiser_id: number }>('credential', credential, [hash, now])
      return row?.advertiser_id
    },
    applications: (...values) => query('applications', applications, values),
    files: (...values) => query('files', `${files} = any($2)`, values),
    screens: (...values) => query('screens', `${screens} = any($2)`, values),
  }
}
