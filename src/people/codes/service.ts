import type { Clock } from '../../platform/core/clock.ts'
import { normaliseEmail } from '../../platform/core/email.ts'
import type { Log } from '../../platform/core/log.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import { newAccountMail } from '../account/account-mail.ts'
import type { Asked } from '../account/links-service.ts'
import { emailFault } from '../account/rules.ts'
import type { SecretKeys } from '../factors/secret-rules.ts'
import type { ConsumeEmailQuota, Mailer } from '../mail/ports.ts'
import type { CodePurpose, CodeStore } from './code-store.ts'
import { codeIn, codeSeconds, codeTries, isCode, newCodeSeconds } from './rules.ts'

export type Redeemed =
  | { outcome: 'right'; email: string }
  /** `malformed`: not six digits, so it was not compared. */
  | { outcome: 'wrong' | 'malformed'; email: string; left: number }
  | { outcome: 'used' | 'expired' | 'too-many'; email: string | undefined }

export type EmailCodes = ReturnType<typeof createEmailCodes>

/**
 * Codes in emails. A challenge belongs to the browser that asked and has one code; only that browser knows `secret`. So
 * a person who asks for codes for another's address can neither guess, replace nor use up the owner's. Before the
 * response, the same is written for every address; whether an email is sent is determined afterwards: see
 * mail-service.ts.
 */
export function createEmailCodes(deps: {
  store: CodeStore
  mailer: Mailer
  mayMail: ConsumeEmailQuota
  /** Whether this browser has signed in with this address before. */
  isKnownBrowser(email: string, browser: string | undefined): Promise<boolean>
  keys(): SecretKeys | undefined
  clock: Clock
  log: Log
}) {
  const { store, mailer, clock } = deps

  return {
    async ask(
      purpose: CodePurpose,
      typed: string,
      { secret, browser }: { secret: string; browser: string | undefined },
    ): Promise<Asked> {
      const email = normaliseEmail(typed)
      const errors = emailFault('email', email)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      try {
        await mailer.check()
      } catch (error) {
        deps.log.error({ err: error }, 'the mail server is unavailable')
        return { outcome: 'unavailable' }
      }
      const [now, challenge] = [clock(), hashSecret(secret)]
      const expiresAt = now + codeSeconds * 1000
      await store.add({ challenge, purpose, email, made_at: now, expires_at: expiresAt })
      // Counted separately for a browser that the account knows, so that strangers' requests do not use up the owner's
      // emails.
      const who = (await deps.isKnownBrowser(email, browser)) ? `${email} ${browser}` : email
      if (await deps.mayMail(`${purpose}-code ${who}`))
        await mailer.queue([newAccountMail('sign-in-code', { email, challenge }, expiresAt)])
      return { outcome: 'sent' }
    },

    find: (purpose: CodePurpose, secret: string) => store.find(hashSecret(secret), purpose),

    /** Seconds until this browser may ask for another code. */
    async waitSeconds(purpose: CodePurpose, secret: string): Promise<number> {
      const madeAt = (await store.find(hashSecret(secret), purpose))?.madeAt ?? 0
      const seconds = Math.ceil((madeAt - clock()) / 1000) + newCodeSeconds
      // Never more than the rule's pause, even if the clock jumped.
      return Math.max(0, Math.min(seconds, newCodeSeconds))
    },

    async redeem(purpose: CodePurpose, secret: string, typed: string): Promise<Redeemed> {
      const [challenge, code, now] = [hashSecret(secret), codeIn(typed), clock()]
      const counted = code && (await store.countTry(challenge, purpose, codeTries, now))
      const keys = deps.keys()
      if (code && counted && keys && counted.mac !== null && isCode(keys, counted.mac, challenge, code)) {
        if (await store.use(challenge, now)) return { outcome: 'right', email: counted.email }
      }
      const found = await store.find(challenge, purpose)
      if (found === undefined) return { outcome: 'expired', email: undefined }
      const { email, tries, usedAt, expiresAt } = found
      if (usedAt !== null) return { outcome: 'used', email }
      if (expiresAt <= now) return { outcome: 'expired', email }
      if (tries >= codeTries) return { outcome: 'too-many', email }
      return { outcome: code ? 'wrong' : 'malformed', email, left: codeTries - tries }
    },
  }
}
