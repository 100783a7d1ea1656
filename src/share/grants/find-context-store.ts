import { sql } from 'kysely'
import { batchLookups } from '../../platform/database/batch-lookups.ts'
import { prepareQuery, prepareStatement } from '../../platform/database/prepared-query.ts'
import type { Database } from '../../platform/database/tables.ts'
import { type CandidateRow, candidateOf, resumeColumns } from '../../schema/candidate-rows.ts'
import { actsFor } from '../../schema/client-advertisers.ts'
import { redirectUris, wordsOf } from '../clients/client-rows-store.ts'
import type { AuthorizationContext, Grant } from '../protocol/records.ts'

type Find = (
  sessionHash: string | null,
  clientId: string,
  advertiserId: number | null,
) => Promise<AuthorizationContext>

/** Advertiser 0 means none, as in the unique index of consents. */
type Asked = { clientId: string; sessionHash: string; advertiserId: number }

/** Each part is at most one row and may be missing. */
interface Row extends Partial<CandidateRow> {
  clientId: string | null
  clientName: string
  agentId: number | null
  scopes: string
  requirePkce: number
  disabledAt: number | null
  logoHash: string | null
  privacyUrl: string | null
  redirectUris: string | null
  advertiserName: string | null
  actsFor: number
  candidateId: string | null
  createdAt: number
  lastUsedAt: number
  expiresAt: number
  grantId: string | null
  released: number
  filled: number
  scope: string
  decidedAt: number
  resumeId: string | null
}

const columns = sql`client.id as "clientId", client.name as "clientName", client.agent_id as "agentId",
  client.scopes, client.require_pkce as "requirePkce", client.disabled_at as "disabledAt",
  client.logo_hash as "logoHash", client.privacy_url as "privacyUrl", ${redirectUris},
  advertiser.name as "advertiserName", ${actsFor} as "actsFor",
  candidate.id as "candidateId", session.created_at as "createdAt", session.last_used_at as "lastUsedAt",
  session.expires_at as "expiresAt",
  consent.id as "grantId", consent.released, consent.filled, consent.scope, consent.decided_at as "decidedAt",
  consent.resume_id as "resumeId",
  candidate.email, candidate.first_name, candidate.last_name, candidate.profile,
  ${sql.raw(resumeColumns.map(column => `resume.${column}`).join(', '))}`

const parts = sql`left join "oauth_clients" as "client" on client.id = asked.client_id
  left join "advertisers" as "advertiser"
    on advertiser.id = asked.advertiser_id and advertiser.status = 'active'
  left join "sessions" as "session" on session.hash = asked.session_hash
  left join "candidates" as "candidate" on candidate.id = session.candidate_id
  left join "resumes" as "resume" on resume.candidate_id = session.candidate_id and resume.is_default = 1
  left join "grants" as "consent"
    on consent.candidate_id = session.candidate_id
    and consent.client_id = asked.client_id
    and coalesce(consent.advertiser_id, 0) = asked.advertiser_id
    and consent.withdrawn_at is null`

/** One read instead of four that would depend on each other. */
export function prepareFindContext(database: Database): Find {
  const find = database.dialect === 'postgres' ? findTogether(database) : findAlone(database)
  return async (sessionHash, clientId, advertiserId) => {
    const asked = { clientId, sessionHash: sessionHash ?? '', advertiserId: advertiserId ?? 0 }
    return contextOf(await find(asked), asked)
  }
}

function findAlone({ reader }: Database) {
  const find = prepareQuery<Asked, Row>(reader, ({ clientId, sessionHash, advertiserId }) => ({
    compile: () =>
      sql<Row>`select ${columns}
        from (select ${clientId} as client_id, ${sessionHash} as session_hash, ${advertiserId} as advertiser_id)
          as asked
        ${parts}`.compile(reader),
  }))
  return (asked: Asked) => find(asked)
}

function findTogether({ reader }: Database) {
  type Columns = { clientIds: string[]; sessionHashes: string[]; advertiserIds: number[] }
  const findAll = prepareStatement(reader, ({ clientIds, sessionHashes, advertiserIds }: Columns) => ({
    compile: () =>
      sql<Row & { position: number }>`select asked.position, ${columns}
        from unnest(${clientIds}::text[], ${sessionHashes}::text[], ${advertiserIds}::bigint[])
          with ordinality as asked (client_id, session_hash, advertiser_id, position)
        ${parts}`.compile(reader),
  }))
  return batchLookups(async (asked: Asked[]) => {
    const { rows } = await findAll({
      clientIds: asked.map(({ clientId }) => clientId),
      sessionHashes: asked.map(({ sessionHash }) => sessionHash),
      advertiserIds: asked.map(({ advertiserId }) => advertiserId),
    })
    const found: Row[] = []
    for (const row of rows) found[row.position - 1] = row
    return found
  })
}

function contextOf(row: Row | undefined, { advertiserId }: Asked): AuthorizationContext {
  if (row === undefined) throw new Error('each part may be missing, and the row never')
  const { advertiserName: name } = row
  return {
    client: clientOf(row),
    advertiser: name === null ? undefined : { id: advertiserId, name, isActedFor: row.actsFor === 1 },
    visitor: visitorOf(row),
  }
}

function clientOf(row: Row): AuthorizationContext['client'] {
  const { clientId: id, clientName: name, agentId, disabledAt, logoHash, privacyUrl } = row
  if (id === null) return undefined
  return {
    id,
    name,
    agentId,
    disabledAt,
    logoHash,
    privacyUrl,
    scopes: wordsOf(row.scopes),
    requirePkce: row.requirePkce === 1,
    redirectUris: wordsOf(row.redirectUris),
  }
}

function visitorOf(row: Row): AuthorizationContext['visitor'] {
  const { candidateId, createdAt, lastUsedAt, expiresAt } = row
  if (candidateId === null) return undefined
  const candidate = candidateOf(row as Row & CandidateRow)
  return { candidateId, candidate, grant: grantOf(row), session: { createdAt, lastUsedAt, expiresAt } }
}

function grantOf({ grantId: id, released, filled, scope, decidedAt, resumeId }: Row): Grant | undefined {
  return id === null ? undefined : { id, released, filled, scope, decidedAt, resumeId }
}
