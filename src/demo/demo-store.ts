import { sql, type Transaction } from 'kysely'
import { addLiveLanes } from '../events/webhooks/agent-lanes-store.ts'
import { jobSearchText } from '../jobs/job-search.ts'
import { detailColumns } from '../model/ad-details.ts'
import type { OperatorRole } from '../model/principal.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { getMeta, putMeta, putMetaIfAbsent, replaceMeta } from '../platform/database/meta.ts'
import type { Database, Dialect, Schema } from '../platform/database/tables.ts'
import { endpointColumns } from '../schema/columns.ts'
import { dataTables } from '../schema/data-tables.ts'
import type { DatedJobAd, DemoQuestionnaire } from './world/board.ts'
import type { DemoCandidate, DemoMember } from './world/world.ts'
import type { WorldName } from './world-names.ts'
import { worldVersion } from './world-version.ts'

const marker = 'demo'

/** The marker of the world in Australia has no name, and its first version had no number. */
const nameIn = (world: WorldName) => (world === 'australia' ? '' : ` ${world}`)
const worldIn = (mark: string): string => /^load.*\d ([a-z]+)$/.exec(mark)?.[1] ?? 'australia'

/** The version of the loaded demo; undefined if none is loaded. */
function versionIn(mark: string): number | undefined {
  const found = /^loaded(?: (\d+)(?: [a-z]+)?)?$/.exec(mark)
  return found === null ? undefined : Number(found[1] ?? 1)
}

/** The part of the world that no other store adds: confirmed accounts, members without an invitation, fixed IDs. */
export interface DemoBoard {
  candidates: (Omit<DemoCandidate, 'password' | 'about'> & { passwordHash: string })[]
  members: DemoMember[]
  agents: { id: number; people: string[] }[]
  operators: { candidateId: string; role: OperatorRole }[]
  advertisers: { id: number; name: string }[]
  questionnaires: DemoQuestionnaire[]
  jobAds: DatedJobAd[]
}

/**
 * `unfinished`: a process is loading the world, or was interrupted. `outdated`: an older version of the world. `other`:
 * the database holds data that is not the demo's.
 */
type DemoState = 'empty' | 'unfinished' | 'outdated' | 'loaded' | 'other'

export type DemoStore = ReturnType<typeof createDemoStore>

export function createDemoStore({ writer, reader, dialect }: Database) {
  return {
    async state(): Promise<DemoState> {
      const mark = await getMeta(reader, marker)
      if (mark !== undefined) {
        const version = versionIn(mark)
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

    /** The name of the world in the database, loaded or not yet; undefined if there is none. */
    async world(): Promise<string | undefined> {
      const mark = await getMeta(reader, marker)
      return mark === undefined ? undefined : worldIn(mark)
    },

    /**
     * Marks the database as the demo's before loading. True for one caller at a time: the first one, or the first
     * after a claim older than `abandonedAfterMs` or on an outdated world.
     */
    async claim(world: WorldName, now: EpochMs, abandonedAfterMs: number): Promise<boolean> {
      const value = `loading since ${now}${nameIn(world)}`
      if (await putMetaIfAbsent(writer, marker, value)) return true
      const mark = await getMeta(writer, marker)
      if (mark === undefined || (versionIn(mark) ?? 0) >= worldVersion) return false
      const since = Number(/^loading since (\d+)/.exec(mark)?.[1] ?? 0)
      return now - since >= abandonedAfterMs && replaceMeta(writer, marker, mark, value)
    },

    /** Claims the database even if another process holds it: for an operator who resets the demo. */
    seize: (world: WorldName, now: EpochMs) =>
      putMeta(writer, marker, `loading since ${now}${nameIn(world)}`),

    async finish(world: WorldName): Promise<void> {
      // Emails about the world's history would come too late.
      await writer.deleteFrom('deliveries').execute()
      await writer
        .updateTable('memberships')
        .set(({ selectFrom }) => ({
          told_up_to: selectFrom('applications')
            .select(({ fn, lit }) => fn.coalesce(fn.max('applications.id'), lit(0)).as('newest'))
            .whereRef('applications.advertiser_id', '=', 'memberships.advertiser_id'),
        }))
        .execute()
      await writer
        .updateTable('meta')
        .set({ value: `loaded ${worldVersion}${nameIn(world)}` })
        .where('key', '=', marker)
        .execute()
    },

    async unmark(): Promise<void> {
      await writer.deleteFrom('meta').where('key', '=', marker).execute()
    },

    /** Requires its advertisers. */
    addBoard: (board: DemoBoard, at: EpochMs): Promise<void> =>
      writer.transaction().execute(trx => insertBoard(trx, board, at)),

    /** Redirect URIs of all clients. */
    listRedirectUris: () =>
      reader.selectFrom('oauth_redirect_uris').select(['client_id as clientId', 'uri']).execute(),

    /** Adds a redirect URI; does nothing if it exists or the client does not. */
    async addRedirectUri(clientId: string, uri: string): Promise<void> {
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

    /**
     * Reads the webhook endpoints at which a running demo receives. Returns a function that puts them back into a new
     * world: with their IDs, from which their keys are derived, and from its next event on.
     */
    async keepHooks() {
      const all = await reader.selectFrom('webhook_endpoints').select(endpointColumns).execute()
      const own = all.filter(({ url }) => new URL(url).pathname.startsWith('/demo/hooks'))
      return (now: EpochMs): Promise<void> =>
        writer.transaction().execute(async trx => {
          for (const endpoint of own) {
            const { id: endpointId, advertiser_id: advertiserId, agent_id: agentId } = endpoint
            await trx.insertInto('webhook_endpoints').values(endpoint).execute()
            const owner = agentId === null ? { advertiserId: advertiserId ?? 0 } : { agentId }
            if (endpoint.state !== 'new') await addLiveLanes(trx, { endpointId, ...owner }, now)
          }
        })
    },

    /** Empties every table except for the marker and restarts the IDs; returns the blobs that were in use. */
    clear: (): Promise<string[]> =>
      writer.transaction().execute(async trx => {
        const files = await trx
          .selectFrom('application_files')
          .select('blob')
          .union(trx.selectFrom('resumes').select('blob'))
          .union(trx.selectFrom('draft_files').select('blob'))
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
  { candidates, members, agents, operators, advertisers, questionnaires, jobAds }: DemoBoard,
  created_at: EpochMs,
): Promise<void> {
  const accounts = candidates.map(
    ({ id, email, passwordHash, firstName, lastName, confirmedAt, profile }) => ({
      id,
      email,
      email_confirmed_at: Date.parse(confirmedAt),
      password_hash: passwordHash,
      first_name: firstName,
      last_name: lastName,
      profile: JSON.stringify(profile),
      created_at,
    }),
  )
  await trx.insertInto('candidates').values(accounts).execute()
  const memberships = members.map(({ advertiserId, candidateId, role }) => ({
    advertiser_id: advertiserId,
    candidate_id: candidateId,
    role,
    created_at,
  }))
  await trx.insertInto('memberships').values(memberships).execute()
  const people = agents.flatMap(({ id: agent_id, people }) =>
    people.map(candidate_id => ({ agent_id, candidate_id, role: 'admin' as const, created_at })),
  )
  if (people.length > 0) await trx.insertInto('agent_members').values(people).execute()
  const ofBoard = operators.map(({ candidateId: candidate_id, role }) => ({ candidate_id, role, created_at }))
  await trx.insertInto('operators').values(ofBoard).execute()
  // Same values as if the demo's advertisers had posted them through intake.
  const posted = { status: 'open' as const, created_at, updated_at: created_at }
  const screens = questionnaires.map(({ advertiserId: advertiser_id, id, name, questions }) => ({
    ...posted,
    advertiser_id,
    id,
    name,
    questions: JSON.stringify(questions),
  }))
  await trx.insertInto('screens').values(screens).execute()
  const ads = jobAds.map(
    ({ advertiserId: advertiser_id, screenId, closingDate, hold: _, details, ...ad }) => ({
      ...posted,
      ...ad,
      ...detailColumns(details),
      advertiser_id,
      screen_id: screenId,
      closing_date: closingDate,
      search_text: jobSearchText(ad, advertisers.find(({ id }) => id === advertiser_id)?.name ?? ''),
    }),
  )
  await trx.insertInto('job_ads').values(ads).execute()
}

/** Restarts the IDs as in a new database; the migrations say which sequences do not begin at 1. */
async function restartIds(trx: Transaction<Schema>, dialect: Dialect): Promise<void> {
  const restarts =
    dialect === 'postgres'
      ? ['application_ids', 'job_ad_ids', 'screen_ids'].map(
          name => sql`alter sequence ${sql.table(name)} restart`,
        )
      : [sql`update counters set value = case name when 'application_ids' then 0 else 1000 end`]
  for (const restart of restarts) await restart.execute(trx)
}
