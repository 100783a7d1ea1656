import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/database/tables.ts'

/** The purpose of a code: it is worthless for any other. */
export type CodePurpose = 'sign-in'

export type CodeStore = ReturnType<typeof createCodeStore>

/** All from the writer: the limit on guesses must not rely on a reader that may lag. */
export function createCodeStore({ writer }: Database) {
  const open = (challenge: string, now: EpochMs) =>
    writer
      .updateTable('email_codes')
      .where('challenge', '=', challenge)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)

  return {
    async add(row: {
      challenge: string
      purpose: CodePurpose
      email: string
      made_at: EpochMs
      expires_at: EpochMs
    }): Promise<void> {
      await writer
        .insertInto('email_codes')
        .values({ ...row, tries: 0 })
        .execute()
    },

    find: (challenge: string, purpose: CodePurpose) =>
      writer
        .selectFrom('email_codes')
        .select(['email', 'tries', 'made_at as madeAt', 'expires_at as expiresAt', 'used_at as usedAt'])
        .where('challenge', '=', challenge)
        .where('purpose', '=', purpose)
        .executeTakeFirst(),

    /** Sets the code when its email is written; false if that is too late. */
    async setCode(challenge: string, mac: string, now: EpochMs): Promise<boolean> {
      const { numUpdatedRows } = await open(challenge, now).set({ mac }).executeTakeFirst()
      return numUpdatedRows === 1n
    },

    /** Counts a try before the code is compared, so that no more are compared than allowed, on however many nodes. */
    countTry: (challenge: string, purpose: CodePurpose, max: number, now: EpochMs) =>
      open(challenge, now)
        .set(eb => ({ tries: eb('tries', '+', 1) }))
        .where('purpose', '=', purpose)
        .where('tries', '<', max)
        .returning(['email', 'mac', 'tries'])
        .executeTakeFirst(),

    /** Returns true once. */
    async use(challenge: string, now: EpochMs): Promise<boolean> {
      const { numUpdatedRows } = await open(challenge, now).set({ used_at: now }).executeTakeFirst()
      return numUpdatedRows === 1n
    },
  }
}
