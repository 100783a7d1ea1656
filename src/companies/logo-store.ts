import { sql } from 'kysely'
import { recordAudit } from '../platform/audit/record-audit-store.ts'
import type { Logo } from '../platform/core/brand/logo.ts'
import type { Database } from '../platform/database/tables.ts'

export interface StoredLogo extends Logo {
  hash: string
}

export type LogoStore = ReturnType<typeof createLogoStore>

/** Logos of advertisers and OAuth clients, each deleted with its owner. */
export function createLogoStore({ writer, reader }: Database) {
  const replaceLogo = (kind: 'advertiser' | 'client', ownerId: string | number, logo?: StoredLogo) =>
    writer.transaction().execute(async trx => {
      const owners = sql.table(kind === 'advertiser' ? 'advertisers' : 'oauth_clients')
      const [logos, id] = [sql.table(`${kind}_logos`), sql.ref(`${kind}_id`)]
      // Updated first: this locks the owner, so that concurrent replacements are serialised.
      const changed =
        await sql`update ${owners} set logo_hash = ${logo?.hash ?? null} where ${sql.ref('id')} = ${ownerId}`.execute(
          trx,
        )
      if (changed.numAffectedRows === 0n) return false
      await sql`delete from ${logos} where ${id} = ${ownerId}`.execute(trx)
      if (logo !== undefined) {
        const content = logo.bytes.toString('base64')
        await sql`insert into ${logos} (${id}, hash, type, content)
          values (${ownerId}, ${logo.hash}, ${logo.type}, ${content})`.execute(trx)
      }
      const after = { hash: logo?.hash ?? null }
      await recordAudit(
        trx,
        kind === 'advertiser'
          ? {
              action: 'company.logo',
              scope: { ownerId: Number(ownerId) },
              target: `company:${ownerId}`,
              after,
            }
          : { action: 'client.logo', scope: 'board', target: `client:${ownerId}`, after },
      )
      return true
    })

  return {
    async find(hash: string): Promise<Logo | undefined> {
      const columns = ['type', 'content'] as const
      const row = await reader
        .selectFrom('advertiser_logos')
        .select(columns)
        .where('hash', '=', hash)
        .unionAll(reader.selectFrom('client_logos').select(columns).where('hash', '=', hash))
        .limit(1)
        .executeTakeFirst()
      return row && { type: row.type as Logo['type'], bytes: Buffer.from(row.content, 'base64') }
    },

    /** Replaces the logo, or removes it if none is given; returns false if there is no such advertiser. */
    setOfAdvertiser: (advertiserId: number, logo: StoredLogo | undefined): Promise<boolean> =>
      replaceLogo('advertiser', advertiserId, logo),
    /** Replaces the logo, or removes it if none is given; returns false if there is no such client. */
    setOfClient: (clientId: string, logo: StoredLogo | undefined): Promise<boolean> =>
      replaceLogo('client', clientId, logo),
  }
}
