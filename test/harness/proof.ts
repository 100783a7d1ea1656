import type { SessionProof } from '../../src/platform/core/session-owner.ts'
import type { Services } from './services.ts'

/** Of a person who signed in with a password. */
export const proved: SessionProof = { provedAt: 0, provedBy: 'password', factors: ['password'] }

/** Of a new session, likewise. */
export const byPassword = { factors: ['password'], network: '127.0.0.1' } as const

export const inFirefox = { browser: 'Firefox on Linux', ...byPassword }

/** A session that the person did not have to sign in for: only one that is there adds factors. */
export async function addSession(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { candidateId, sessionId }: { candidateId: string; sessionId: string },
): Promise<void> {
  const times = { created_at: clock(), last_used_at: clock(), expires_at: clock() + 86_400_000 }
  await database.writer
    .insertInto('sessions')
    .values({ hash: sessionId, id: sessionId, candidate_id: candidateId, browser: 'Firefox', ...times })
    .execute()
}
