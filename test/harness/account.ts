import { newUuid } from '../../src/platform/core/ids.ts'
import type { Database } from '../../src/platform/database/tables.ts'
import type { Services } from './services.ts'

type Writer = Pick<Database, 'writer'>

/** The account of a new person whose address is confirmed, unless it should wait for that; returns the ID. */
export async function addAccount(
  { accountStore, database, clock }: Services,
  { email, passwordHash, isConfirmed = true }: { email: string; passwordHash: string; isConfirmed?: boolean },
): Promise<string> {
  const candidateId = newUuid()
  const names = { firstName: 'A', lastName: 'B', profile: '{}', createdAt: clock() }
  await accountStore.add({ candidateId, email, passwordHash, ...names })
  const added = database.writer.updateTable('candidates').where('id', '=', candidateId)
  if (isConfirmed) await added.set({ email_confirmed_at: 1 }).execute()
  return candidateId
}

/** An authenticator app whose codes no one knows. */
export async function addTotp({ writer }: Writer, candidate_id: string): Promise<void> {
  const times = { last_step: 1, created_at: 1, last_used_at: 1 }
  await writer
    .insertInto('totp_factors')
    .values({ candidate_id, secret: 'sealed', ...times })
    .execute()
}

/** As if these sessions had been opened with a code of an authenticator app: those of this person, or all. */
export async function useSecondFactor({ writer }: Writer, candidateId?: string): Promise<void> {
  const sessions = writer.updateTable('sessions').set({ factors: 'password totp' })
  await (candidateId === undefined ? sessions : sessions.where('candidate_id', '=', candidateId)).execute()
}
