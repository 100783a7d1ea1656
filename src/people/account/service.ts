import { randomBytes } from 'node:crypto'
import type { Background } from '../../platform/core/async/background.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { normaliseEmail } from '../../platform/core/email.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { hashPassword, hasPassword, isPassword } from '../../platform/core/password.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { hashSecret, newSecret, tokenLength } from '../../platform/core/secrets.ts'
import type {
  ProofKind,
  ProofResult,
  ProviderProof,
  SessionOwner,
} from '../../platform/core/session-owner.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import type { CheckedPasskey } from '../factors/passkey-service.ts'
import type { Spend } from '../factors/records.ts'
import type { Factors } from '../factors/service.ts'
import type { SecurityMail } from './account-mail.ts'
import type { AccountStore } from './account-store.ts'
import { type Attempt, browserKey, type Caller, type PasswordCheck } from './password-service.ts'
import type { Account } from './records.ts'
import { browserName, passwordFault } from './rules.ts'
import type { SessionOnList, SessionStore } from './session-store.ts'

/** Limit: How often the last-used time of a session is written at most, so that reads do not cause writes. */
const sessionUsedEverySeconds = 3_600
/** Limit: How often the last-used time of an operator's session is written, which ends by the time of its last use. */
const operatorUsedEverySeconds = 60

/** The new cookies of a browser after a sign-in. */
export interface SignedIn {
  outcome: 'signed-in'
  /** Returned once; only its hash is stored. */
  session: string
  browser: string
}

/** The password, or the code from the email, was right, and the account has a second factor. */
export interface HalfSignedIn {
  outcome: 'second-step'
  /** Encrypted: the form of the second step carries it. */
  ticket: string
}

export type SignInResult =
  | SignedIn
  | HalfSignedIn
  /** A wrong password or an unconfirmed address; the two are not distinguished. */
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

export interface SignInAttempt extends Attempt {
  userAgent: string | undefined
  /** The browser's previous session, which is ended. */
  formerSession: string | undefined
  securityMail: SecurityMail
}

/** The origin of a sign-in. */
export type SignInCaller = Omit<SignInAttempt, 'email' | 'password'>

export type PasswordChange =
  | { outcome: 'changed' }
  /** The password is already the new one. */
  | { outcome: 'changed-before' }
  | { outcome: 'invalid'; errors: FieldError[] }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

export const newBrowser = () => randomBytes(32).toString('base64url')

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(deps: {
  store: AccountStore
  sessions: SessionStore
  passwords: PasswordCheck
  factors: Factors
  background: Background
  /** Whether the account has to sign in with the board's provider: see OIDC_ONLY. */
  isBoundToProvider(candidateId: string): Promise<boolean>
  clock: Clock
  limits: {
    sessionSeconds: number
    operatorSessionSeconds: number
    operatorIdleSeconds: number
  }
}) {
  const { store, sessions, passwords, factors, background, clock, limits } = deps
  const usesBeingWritten = new Set<string>()

  function recordUse(hash: string, at: number, since: number, expiresAt?: number): void {
    if (usesBeingWritten.has(hash)) return
    usesBeingWritten.add(hash)
    const write = sessions.recordUse(hash, at, since, expiresAt).finally(() => usesBeingWritten.delete(hash))
    background.run(write, 'the last-used time of a session was not written')
  }

  function noteUse(hash: string, lastUsedAt: number, now: number): void {
    const since = now - sessionUsedEverySeconds * 1000
    if (lastUsedAt <= since) recordUse(hash, now, since)
  }

  /** When an operator's session ends if it is next used at `usedAt`. */
  const operatorSessionEnd = (createdAt: number, usedAt: number) =>
    Math.min(
      createdAt + Math.min(limits.operatorSessionSeconds, limits.sessionSeconds) * 1000,
      usedAt + limits.operatorIdleSeconds * 1000,
    )

  /** Returns the hash under which a session is stored; undefined if the value cannot be a session. */
  function sessionHash(value: string): string | undefined {
    return value.length > tokenLength ? undefined : hashSecret(value)
  }

  /**
   * Starts a session under a new ID; undefined if the password has since been changed. The owner gets an email if the
   * browser is new to the account, except after a link, which opens a new account or has just come from that mailbox.
   */
  async function startSession(
    account: Account,
    attempt: Omit<SignInCaller, 'securityMail'> & Partial<SignInCaller>,
    shown: readonly [ProofKind, ...ProofKind[]],
    extras: {
      failures?: number
      spend?: Spend
      mails?: readonly NewDelivery[]
      provider?: ProviderProof | undefined
    } = {},
  ): Promise<SignedIn | undefined> {
    const { address, userAgent, formerSession, securityMail = () => [] } = attempt
    if (extras.provider === undefined && (await deps.isBoundToProvider(account.candidateId))) return undefined
    const createdAt = clock()
    const session = newSecret('session')
    const known = attempt.browser ?? newBrowser()
    const browser = browserName(userAgent)
    const isByLink = shown[0] === 'link'
    const isStarted = await sessions.add(account.candidateId, account.passwordHash, {
      hash: hashSecret(session),
      sessionId: newUuid(),
      browser,
      browserKey: browserKey(account.email, known),
      mailsIfNew: isByLink ? [] : securityMail(account.candidateId, 'new-browser', browser),
      network: address,
      factors: shown,
      ...extras,
      createdAt,
      expiresAt: createdAt + limits.sessionSeconds * 1000,
      operatorExpiresAt: operatorSessionEnd(createdAt, createdAt),
    })
    if (!isStarted) return undefined
    if (formerSession !== undefined) await sessions.endByHash(hashSecret(formerSession))
    return { outcome: 'signed-in', session, browser: known }
  }

  return {
    async findSession(value: string): Promise<SessionOwner | undefined> {
      const hash = sessionHash(value)
      if (hash === undefined) return undefined
      const now = clock()
      const found = await sessions.find(hash, now)
      if (found === undefined) return undefined
      const { lastUsedAt, createdAt, ...owner } = found
      if (owner.isOperator !== true) noteUse(hash, lastUsedAt, now)
      else {
        // Also ends a session that was opened before its owner became an operator.
        if (operatorSessionEnd(createdAt, lastUsedAt) <= now) return undefined
        const stepSeconds = Math.min(operatorUsedEverySeconds, limits.operatorIdleSeconds / 10)
        const since = now - stepSeconds * 1000
        if (lastUsedAt <= since) recordUse(hash, now, since, operatorSessionEnd(createdAt, now))
      }
      return owner
    },

    sessionHash,

    /** Whether a session that another query has already read is still valid; records that it was used. */
    useSession(hash: string, { lastUsedAt, expiresAt }: { lastUsedAt: number; expiresAt: number }): boolean {
      const now = clock()
      if (expiresAt <= now) return false
      noteUse(hash, lastUsedAt, now)
      return true
    },

    startSession,

    async signIn(attempt: SignInAttempt): Promise<SignInResult> {
      const guess = { ...attempt, email: normaliseEmail(attempt.email) }
      const checked = await passwords.begin(guess, factors.hasSecondFactor)
      if (checked.outcome !== 'right') return checked
      const { value: account, isLast, failures } = checked
      if (await deps.isBoundToProvider(account.candidateId)) return { outcome: 'wrong' }
      if (!isLast) return { outcome: 'second-step', ticket: factors.ticketFor(account) }
      return (await startSession(account, attempt, ['password'], { failures })) ?? { outcome: 'wrong' }
    },

    /** Finishes the second step with a code from the app or a recovery code. `expired`: enter the password again. */
    async finishSignIn(
      attempt: SignInCaller & { ticket: string; code: string },
    ): Promise<Exclude<SignInResult, HalfSignedIn> | { outcome: 'expired' }> {
      const ticket = factors.readTicket(attempt.ticket)
      const account = ticket && (await store.find(ticket.candidateId))
      if (account === undefined || !ticket?.isFor(account.passwordHash)) return { outcome: 'expired' }
      const { candidateId, email } = account
      const checked = await passwords.guard({ ...attempt, email }, async failures => {
        const code = await factors.checkAny(candidateId, attempt.code)
        if (code === undefined) return undefined
        const mails = code.by === 'recovery' ? attempt.securityMail(candidateId, 'recovery-used') : []
        const extras = { failures, spend: code.spend, mails, provider: ticket.provider }
        const value = await startSession(account, attempt, [ticket.first, code.by], extras)
        return value && { value, isLast: true }
      })
      if (checked.outcome === 'wrong')
        await passwords.countWrongCode(email, attempt.securityMail(candidateId, 'wrong-codes'))
      if (checked.outcome !== 'right') return checked
      await passwords.forgetWrongCodes(email)
      return checked.value
    },

    /**
     * Signs in with a passkey alone, because it has verified its user. Undefined if it was used before or the account
     * is gone.
     */
    async signInByPasskey(
      attempt: SignInCaller,
      { candidateId, spend }: CheckedPasskey,
    ): Promise<SignedIn | undefined> {
      const account = await store.find(candidateId)
      if (account === undefined || account.emailConfirmedAt === null) return undefined
      return startSession(account, attempt, ['passkey'], { spend })
    },

    /** Signs in with a code from an email, which has been used up: for candidates without a workplace. */
    async signInByCode(attempt: SignInCaller, email: string): Promise<SignedIn | HalfSignedIn | undefined> {
      const account = await store.findByEmail(email)
      if (account === undefined || account.emailConfirmedAt === null) return undefined
      if (await store.hasWorkplace(account.candidateId)) return undefined
      if (await deps.isBoundToProvider(account.candidateId)) return undefined
      if (await factors.hasSecondFactor(account.candidateId))
        return { outcome: 'second-step', ticket: factors.ticketFor(account, 'code') }
      return startSession(account, attempt, ['code'])
    },

    /** Finishes the second step with a passkey. No guesses are counted, because a signature cannot be guessed. */
    async finishByPasskey(
      attempt: SignInCaller & { ticket: string },
      { candidateId, spend }: CheckedPasskey,
    ): Promise<SignedIn | { outcome: 'wrong' | 'expired' }> {
      const ticket = factors.readTicket(attempt.ticket)
      const account = ticket?.candidateId === candidateId ? await store.find(candidateId) : undefined
      if (account === undefined || !ticket?.isFor(account.passwordHash)) return { outcome: 'expired' }
      const extras = { spend, provider: ticket.provider }
      return (await startSession(account, attempt, [ticket.first, 'passkey'], extras)) ?? { outcome: 'wrong' }
    },

    /**
     * Signs in the owner of a linked account, authenticated by the provider. Undefined if the link has just been
     * removed.
     */
    async signInByProvider(
      attempt: SignInCaller,
      candidateId: string,
      provider: ProviderProof,
    ): Promise<SignedIn | HalfSignedIn | undefined> {
      const account = await store.find(candidateId)
      if (account === undefined || account.emailConfirmedAt === null) return undefined
      if (!provider.hasFactor && (await factors.hasSecondFactor(candidateId)))
        return { outcome: 'second-step', ticket: factors.ticketFor(account, provider) }
      const by = provider.hasFactor ? 'provider-mfa' : 'provider'
      return startSession(account, attempt, [by], { provider })
    },

    /** Renews the proof of a session by the provider; false if the provider does not say when the person signed in there. */
    proveByProvider: async (
      { candidateId, sessionId }: Pick<SessionOwner, 'candidateId' | 'sessionId'>,
      provider: ProviderProof,
    ): Promise<boolean> =>
      provider.provedAt !== null &&
      sessions.prove(candidateId, sessionId, { at: provider.provedAt, by: 'provider', provider }),

    /** Whether the account has a password. */
    async hasPassword(candidateId: string): Promise<boolean> {
      const account = await store.find(candidateId)
      return account !== undefined && hasPassword(account.passwordHash)
    },

    /** Renews the proof of a session by a passkey of its owner. */
    async proveByPasskey(owner: SessionOwner, { candidateId, spend }: CheckedPasskey): Promise<ProofResult> {
      const proof = { at: clock(), by: 'passkey', spend } as const
      const isProved =
        candidateId === owner.candidateId && (await sessions.prove(candidateId, owner.sessionId, proof))
      return isProved ? { outcome: 'proved', at: proof.at, by: proof.by } : { outcome: 'wrong' }
    },

    /** Renews the proof of a session by the password. */
    async prove(owner: SessionOwner, attempt: Caller & { password: string }): Promise<ProofResult> {
      // Forgives no wrong codes: otherwise a person who knows the password could guess codes without end.
      const checked = await passwords.begin({ ...attempt, email: owner.email }, factors.hasSecondFactor)
      if (checked.outcome !== 'right') return checked
      const proof = { at: clock(), by: 'password' } as const
      const isProved = await sessions.prove(owner.candidateId, owner.sessionId, proof)
      return isProved ? { outcome: 'proved', ...proof } : { outcome: 'wrong' }
    },

    /** Renews the proof of a session by a code from the app or, only to remove a factor, by a recovery code. */
    async proveByCode(
      owner: SessionOwner,
      {
        recoveryMails,
        wrongMails,
        ...attempt
      }: Caller & {
        code: string
        recoveryMails?: readonly NewDelivery[]
        /** Emails about wrong codes of a person who has shown the password, queued as at a sign-in. */
        wrongMails?: readonly NewDelivery[]
      },
    ): Promise<ProofResult> {
      const checked = await passwords.guard({ ...attempt, email: owner.email }, async () => {
        const check = recoveryMails === undefined ? factors.checkTotp : factors.checkAny
        const code = await check(owner.candidateId, attempt.code)
        if (code === undefined) return undefined
        const mails = code.by === 'recovery' ? (recoveryMails ?? []) : []
        const value = { at: clock(), by: code.by, spend: code.spend, mails }
        const isProved = await sessions.prove(owner.candidateId, owner.sessionId, value)
        return isProved ? { value, isLast: true } : undefined
      })
      if (checked.outcome === 'wrong' && wrongMails !== undefined)
        await passwords.countWrongCode(owner.email, wrongMails)
      if (checked.outcome !== 'right') return checked
      await passwords.forgetWrongCodes(owner.email)
      return { outcome: 'proved', at: checked.value.at, by: checked.value.by }
    },

    async signOut(session: string): Promise<void> {
      await sessions.endByHash(hashSecret(session))
    },

    sessionsOf: (candidateId: string): Promise<SessionOnList[]> => sessions.list(candidateId, clock()),

    endSession: (candidateId: string, sessionId: string): Promise<void> =>
      sessions.end(candidateId, sessionId),

    endOtherSessions: (candidateId: string, keptSessionId: string): Promise<void> =>
      sessions.endOthers(candidateId, keptSessionId),

    /** Ends all other sessions, so that anyone who knew the old password is signed out. */
    async changePassword(
      owner: SessionOwner,
      change: Caller & { current: string; password: string; mails?: readonly NewDelivery[] },
    ): Promise<PasswordChange> {
      const errors = passwordFault('password', change.password, owner.email)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const checked = await passwords.check({ ...change, email: owner.email, password: change.current })
      if (checked.outcome === 'wait') return checked
      const isChanged =
        checked.outcome === 'right' &&
        (await store.changePassword(owner.candidateId, {
          formerHash: checked.account.passwordHash,
          passwordHash: await hashPassword(change.password),
          keptSessionId: owner.sessionId,
          mails: change.mails ?? [],
          now: clock(),
        }))
      if (isChanged) return { outcome: 'changed' }
      // After a double click, the browser shows only the second response, and the first has already replaced the password.
      // The attempt still counts as wrong, so that it does not help to guess.
      const account = await store.find(owner.candidateId)
      const isThere = account !== undefined && (await isPassword(change.password, account.passwordHash))
      return { outcome: isThere ? 'changed-before' : 'wrong' }
    },
  }
}
