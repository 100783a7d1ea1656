import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import { hashSecret, isSameHash } from '../../core/secrets.ts'
import type { Limits } from '../../limits.ts'
import type { ProofKind, SessionOwner } from '../../model/candidate.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'
import type { NewPasskey } from './passkey-service.ts'
import type { FactorStore, FoundFactors, Spend, TotpCodes } from './ports.ts'
import { hashRecoveryCode, looksLikeRecoveryCode, newRecoveryCode } from './recovery-rules.ts'
import { openSecret, type SecretKeys, sealSecret } from './secret-rules.ts'

/** A code that was right, and how it is used up. */
export interface CheckedCode {
  by: ProofKind & ('totp' | 'recovery')
  spend: Spend
}

export interface Enrolment {
  /** The secret, encrypted for this account: the form carries it, and nothing is stored before a code is right. */
  sealed: string
  secret: string
  picture: string
}

const noKey =
  'Two-step sign-in isn’t available right now: the people who run this service have to set SECRETS_KEY.'

export type Factors = ReturnType<typeof createFactors>

/** Authenticator apps, passkeys and recovery codes. Guesses are slowed where they are counted: see password-service.ts. */
export function createFactors(deps: {
  store: FactorStore
  codes: TotpCodes
  /** Undefined if this service has no key: then no one can enrol. */
  keys(): SecretKeys | undefined
  clock: Clock
  board: string
  limits: Pick<Limits, 'secondStepSeconds' | 'recoveryCodes' | 'passkeysPerAccount'>
}) {
  const { store, codes, keys, clock, limits } = deps

  const ownerOf = (purpose: 'totp' | 'enrolment' | 'sign-in', candidateId: string) =>
    `${purpose} ${candidateId}`

  /** Called when an account has a factor, so there has been a key. */
  function neededKeys(): SecretKeys {
    const found = keys()
    if (found === undefined) throw new Problem('unavailable', noKey)
    return found
  }

  const newCodes = () => Array.from({ length: limits.recoveryCodes }, newRecoveryCode)
  const hashesOf = (candidateId: string, list: readonly string[]) =>
    list.map(code => hashRecoveryCode(candidateId, code))

  async function checkTotp(candidateId: string, code: string): Promise<CheckedCode | undefined> {
    const { totp } = await store.find(candidateId)
    if (totp === undefined) return undefined
    const secret = openSecret(neededKeys(), totp.secret, ownerOf('totp', candidateId))
    if (secret === undefined)
      throw new Error('SECRETS_KEY is not the one that this secret was encrypted with')
    const step = await codes.stepOf(secret, code, clock())
    return step === undefined ? undefined : { by: 'totp', spend: { kind: 'totp', step } }
  }

  return {
    find: (candidateId: string): Promise<FoundFactors> => store.find(candidateId),

    /** Whether signing in takes a second step. */
    async hasSecondFactor(candidateId: string): Promise<boolean> {
      const { totp, passkeys } = await store.find(candidateId)
      return totp !== undefined || passkeys.length > 0
    },

    /** Where a person goes who may not continue without a second factor; undefined if the session was opened with one. */
    enrolmentOf({ factors: shown }: Pick<SessionOwner, 'factors'>): string | undefined {
      const isEnough = shown.some(factor => factor !== 'password' && factor !== 'link')
      return isEnough ? undefined : '/account/security/two-step?needed'
    },

    canEnrol: (): boolean => keys() !== undefined,

    /** Proves that the password was right, for the second step: encrypted, and of use for some minutes only. */
    ticketFor({ candidateId, passwordHash }: { candidateId: string; passwordHash: string }): string {
      const until = clock() + limits.secondStepSeconds * 1000
      const content = JSON.stringify([candidateId, hashSecret(passwordHash), until])
      return sealSecret(neededKeys(), content, ownerOf('sign-in', ''))
    },

    /** The account of a ticket; undefined if it is not ours or has expired. */
    readTicket(ticket: string): { candidateId: string; isFor(passwordHash: string): boolean } | undefined {
      const found = keys()
      const content = found && openSecret(found, ticket, ownerOf('sign-in', ''))
      if (content === undefined) return undefined
      const [candidateId, mark, until] = JSON.parse(content) as [string, string, number]
      if (until <= clock()) return undefined
      return { candidateId, isFor: passwordHash => isSameHash(mark, hashSecret(passwordHash)) }
    },

    /** A code of the app. */
    checkTotp: (candidateId: string, typed: string) => checkTotp(candidateId, typed.replace(/\s/g, '')),

    /** A code of the app, or a recovery code, which is looked for when it is used up. */
    async checkAny(candidateId: string, typed: string): Promise<CheckedCode | undefined> {
      if (!looksLikeRecoveryCode(typed)) return checkTotp(candidateId, typed.replace(/\s/g, ''))
      return { by: 'recovery', spend: { kind: 'recovery', hash: hashRecoveryCode(candidateId, typed) } }
    },

    /** A new secret with every call. */
    async beginTotp({ candidateId, email }: SessionOwner): Promise<Enrolment> {
      const secret = await codes.newSecret()
      const sealed = sealSecret(neededKeys(), secret, ownerOf('enrolment', candidateId))
      return { ...(await this.show(secret, email)), sealed }
    },

    async show(secret: string, email: string): Promise<{ secret: string; picture: string }> {
      const { picture } = await codes.enrolment(secret, email, deps.board)
      return { secret, picture }
    },

    /** The secret of an enrolment that was begun; undefined if the form is not ours. */
    openEnrolment({ candidateId }: SessionOwner, sealed: string): string | undefined {
      return openSecret(neededKeys(), sealed, ownerOf('enrolment', candidateId))
    },

    /** Returns the recovery codes, which are shown once, if it is the first factor. */
    async addTotp(
      { candidateId, sessionId }: SessionOwner,
      { secret, code }: { secret: string; code: string },
      mails: readonly NewDelivery[],
    ): Promise<{ outcome: 'added'; codes: string[] | undefined } | { outcome: 'wrong' | 'has-one' }> {
      const step = await codes.stepOf(secret, code.replace(/\s/g, ''), clock())
      if (step === undefined) return { outcome: 'wrong' }
      const shown = newCodes()
      const sealed = sealSecret(neededKeys(), secret, ownerOf('totp', candidateId))
      const factor = { secret: sealed, step, codes: hashesOf(candidateId, shown), sessionId }
      const added = await store.addTotp(candidateId, factor, clock(), mails)
      if (added === 'has-one') return { outcome: added }
      return { outcome: 'added', codes: added === 'first' ? shown : undefined }
    },

    /** Adds a passkey that was checked; returns the recovery codes if it is the first factor. */
    async addPasskey(
      { candidateId, sessionId }: SessionOwner,
      { passkey, challenge }: NewPasskey,
      mails: readonly NewDelivery[],
    ): Promise<
      { outcome: 'added'; codes: string[] | undefined } | { outcome: 'used' | 'known' | 'too-many' }
    > {
      const shown = newCodes()
      const factor = { passkey, challenge, sessionId, codes: hashesOf(candidateId, shown) }
      const max = limits.passkeysPerAccount
      const added = await store.addPasskey(candidateId, { ...factor, max }, clock(), mails)
      if (added !== 'first' && added !== 'another') return { outcome: added }
      return { outcome: 'added', codes: added === 'first' ? shown : undefined }
    },

    renamePasskey: store.renamePasskey,

    removePasskey: (candidateId: string, id: string, mails: readonly NewDelivery[]): Promise<boolean> =>
      store.removePasskey(candidateId, id, clock(), mails),

    /** For a person who has lost them all. */
    reset: store.reset,

    removeTotp: (candidateId: string, mails: readonly NewDelivery[]): Promise<boolean> =>
      store.removeTotp(candidateId, clock(), mails),

    /** New codes, which replace all others and are shown once; undefined without a factor. */
    async renewCodes(candidateId: string): Promise<string[] | undefined> {
      const shown = newCodes()
      const isDone = await store.replaceCodes(candidateId, hashesOf(candidateId, shown), clock())
      return isDone ? shown : undefined
    },
  }
}
