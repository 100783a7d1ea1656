import { sql, type Transaction } from 'kysely'
import type { DemoBoard, DemoStore } from '../../demo/ports.ts'
import { worldVersion } from '../../demo/world-version.ts'
import { jobSearchText } from '../../jobs/job-search.ts'
import { endpointColumns } from '../columns.ts'
import type { Database, Dialect, Schema } from '../database/tables.ts'
import { addLiveLanes } from '../events/agent-lanes.ts'

/** Children before their parents. A test compares this list, and `meta`, with the tables of the database. */
export const dataTables = [
  'audit_entries',
  'audit_heads',
  'audit_seals',
  'rate_counts',
  'tombstones',
  'webhook_attempts',
  'webhook_hours',
  'webhook_lanes',
  'webhook_endpoints',
  'events',
  'client_events',
  'client_ledger',
  'sent_forms',
  'api_call_days',
  'application_days',
  'invitations',
  'operator_invitations',
  'operators',
  'task_runs',
  'memberships',
  'agent_invitations',
  'agent_call_days',
  'agent_members',
  'deliveries',
  'erasures',
  'application_holds',
  'application_history',
  'application_reads',
  'list_reads',
  'application_counts',
  'application_terms',
  'own_applications',
  'intake_applications',
  'job_ads',
  'screens',
  'application_pieces',
  'application_screens',
  'application_files',
  'applications',
  'disclosures',
  'prefilled_applications',
  'released_resumes',
  'oauth_tokens',
  'oauth_codes',
  'grants',
  'sessions',
  'totp_factors',
  'passkeys',
  'recovery_codes',
  'account_links',
  'sign_in_failures',
  'mail_counts',
  'demo_outbox',
  'loose_blobs',
  'import_refusals',
  'imports',
  'leases',
  'resumes',
  'candidates',
  'intake_keys',
  'client_changes',
  'client_logos',
  'advertiser_logos',
  'oauth_client_advertisers',
  'oauth_redirect_uris',
  'oauth_client_secrets',
  'oauth_clients',
  'agent_authorisations',
  'agents',
  'sws_credentials',
  'advertiser_ledger',
  'advertisers',
] as const satisfies (keyof Schema)[]

const marker = 'demo'
const loaded = `loaded ${worldVersion}`

/** The version of the loaded demo; undefined if none is loaded. The first version was stored without a number. */
function versionIn(mark: string): number | undefined {
  const found = /^loaded(?: (\d+))?$/.exec(mark)
  return found === null ? undefined : Number(found[1] ?? 1)
}

export function createDemoStore({ writer, reader, dialect }: Database): DemoStore {
  return {
    async state() {
      const row = await reader.selectFrom('meta').select('value').where('key', '=', marker).executeTakeFirst()
      if (row !== undefined) {
        const version = versionIn(row.value)
        if (version === undefined) return 'unfinished'
        return version < worldVersion ? 'outdated' : 'loaded'
      }
      // An operator may have added data first.
      const anything = await reader
        .selectFrom('advertisers')
        .select(sql<string>`'advertiser'`.as('what'))
        .unionAll(reader.selectFrom('candidates').select(sql<string>`'candidate'`.as('what')))
        .unionAll(reader.selectFrom('agents').select(sql<string>`'agent'`.as('what')))
        .unionAll(reader.selectFrom('oauth_clients').select(sql<string>`'client'`.as('what')))
        .limit(1)
        .executeTakeFirst()
      return anything === undefined ? 'empty' : 'other'
    },

    async claim(now, abandonedAfterMs) {
      const value = `loading since ${now}`
      const made = await writer
        .insertInto('meta')
        .values({ key: marker, value })
        .onConflict(conflict => conflict.column('key').doNothing())
        .executeTakeFirst()
      if (made.numInsertedOrUpdatedRows === 1n) return true
      const found = await writer
        .selectFrom('meta')
        .select('value')
        .where('key', '=', marker)
        .executeTakeFirst()
      if (found === undefined || (versionIn(found.value) ?? 0) >= worldVersion) return false
      const since = Number(/^loading since (\d+)$/.exec(found.value)?.[1] ?? 0)
      if (now - since < abandonedAfterMs) return false
      // Only if the stored version is still the one that was read.
      const taken = await writer
        .updateTable('meta')
        .set({ value })
        .where('key', '=', marker)
        .where('value', '=', found.value)
        .executeTakeFirst()
      return taken.numUpdatedRows === 1n
    },

    async seize(now) {
      const value = `loading since ${now}`
      await writer
        .insertInto('meta')
        .values({ key: marker, value })
        .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
        .execute()
    },

    async finish() {
      // Emails about the history of the world would come too late.
      await writer.deleteFrom('deliveries').execute()
      await writer
        .updateTable('memberships')
        .set(({ selectFrom }) => ({
          told_up_to: selectFrom('applications')
            .select(({ fn, lit }) => fn.coalesce(fn.max('applications.id'), lit(0)).as('newest'))
            .whereRef('applications.advertiser_id', '=', 'memberships.advertiser_id'),
        }))
        .execute()
      await writer.updateTable('meta').set({ value: loaded }).where('key', '=', marker).execute()
    },

    async unmark() {
      await writer.deleteFrom('meta').where('key', '=', marker).execute()
    },

    addBoard: board => writer.transaction().execute(trx => insertBoard(trx, board)),

    listRedirectUris: () =>
      reader.selectFrom('oauth_redirect_uris').select(['client_id as clientId', 'uri']).execute(),

    async addRedirectUri(clientId, uri) {
      await writer
        .insertInto('oauth_redirect_uris')
        .columns(['client_id', 'uri'])
        .expression(eb =>
          eb
            .selectFrom('oauth_clients')
            .select(['id', eb.val(uri).as('uri')])
            .where('id', '=', clientId),
        )
        .onConflict(conflict => conflict.columns(['client_id', 'uri']).doNothing())
        .execute()
    },

    async keepHooks() {
      const all = await reader.selectFrom('webhook_endpoints').select(endpointColumns).execute()
      const own = all.filter(({ url }) => new URL(url).pathname.startsWith('/demo/hooks'))
      return now =>
        writer.transaction().execute(async trx => {
          for (const endpoint of own) {
            const { id: endpointId, advertiser_id: advertiserId, agent_id: agentId } = endpoint
            await trx.insertInto('webhook_endpoints').values(endpoint).execute()
            const owner = agentId === null ? { advertiserId: advertiserId ?? 0 } : { agentId }
            if (endpoint.state !== 'new') await addLiveLanes(trx, { endpointId, ...owner }, now)
          }
        })
    },

    clear: () =>
      writer.transaction().execute(async trx => {
        const files = await trx
          .selectFrom('application_files')
          .select('blob')
          .union(trx.selectFrom('resumes').select('blob'))
          .union(trx.selectFrom('loose_blobs').select('blob'))
          .execute()
        for (const table of dataTables) await trx.deleteFrom(table).execute()
        await restartIds(trx, dialect)
        return files.flatMap(({ blob }) => (blob === null ? [] : [blob]))
      }),
  }
}

async function insertBoard(
  trx: Transaction<Schema>,
  { candidates, members, agents, operators, advertisers, screens, jobAds, createdAt: created_at }: DemoBoard,
): Promise<void> {
  await trx
    .insertInto('candidates')
    .values(
      candidates.map(candidate => ({
        id: candidate.candidateId,
        email: candidate.email,
        email_confirmed_at: candidate.emailConfirmedAt,
        password_hash: candidate.passwordHash,
        first_name: candidate.firstName,
        last_name: candidate.lastName,
        profile: candidate.profile,
        created_at,
      })),
    )
    .execute()
  await trx
    .insertInto('memberships')
    .values(
      members.map(({ advertiserId, candidateId, role }) => ({
        advertiser_id: advertiserId,
        candidate_id: candidateId,
        role,
        created_at,
      })),
    )
    .execute()
  const people = agents.flatMap(({ id: agent_id, people }) =>
    people.map(candidate_id => ({ agent_id, candidate_id, role: 'admin' as const, created_at })),
  )
  if (people.length > 0) await trx.insertInto('agent_members').values(people).execute()
  await trx
    .insertInto('operators')
    .values(operators.map(({ candidateId: candidate_id, role }) => ({ candidate_id, role, created_at })))
    .execute()
  // As the demo's advertisers posted them through intake.
  const posted = { status: 'open' as const, created_at, updated_at: created_at }
  await trx
    .insertInto('screens')
    .values(
      screens.map(({ advertiserId, id, name, questions }) => ({
        ...posted,
        advertiser_id: advertiserId,
        id,
        name,
        questions: JSON.stringify(questions),
      })),
    )
    .execute()
  await trx
    .insertInto('job_ads')
    .values(
      jobAds.map(({ advertiserId, screenId, ...ad }) => ({
        ...posted,
        ...ad,
        advertiser_id: advertiserId,
        screen_id: screenId,
        search_text: jobSearchText(ad, advertisers.find(({ id }) => id === advertiserId)?.name ?? ''),
      })),
    )
    .execute()
}

/** As in a new database; the migrations say which sequences do not begin at 1. */
async function restartIds(trx: Transaction<Schema>, dialect: Dialect): Promise<void> {
  const restarts =
    dialect === 'postgres'
      ? ['application_ids', 'job_ad_ids', 'screen_ids'].map(
          name => sql`alter sequence ${sql.table(name)} restart`,
        )
      : [sql`update counters set value = case name when 'application_ids' then 0 else 1000 end`]
  for (const restart of restarts) await restart.execute(trx)
}
