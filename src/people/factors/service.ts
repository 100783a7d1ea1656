import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/core/clock.ts'
import { Problem } from '../../platform/core/problems.ts'
import { hashSecret, isSameHash } from '../../platform/core/secrets.ts'
import type { ProofKind, ProviderProof, SessionOwner } from '../../platform/core/session-owner.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import type { FactorStore } from './factor-store.ts'
import { type NewPasskey, secondStepSeconds } from './passkey-service.ts'
import type { FactorOwner, FactorStatus, Spend, TotpFactor } from './records.ts'
import { keyIdOf, openSecret, type SecretKeys, sealedWith, sealSecret } from './secret-rules.ts'
import type { TotpCodes } from './totp-adapter.ts'

/** The 32 letters and digits that do not look alike, so a byte modulo 32 has no bias. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
const groups = /.{4}/g

/** 80 random bits, as four groups. */
function newRecoveryCode(): string {
  const letters = [...randomBytes(16)].map(byte => alphabet[byte % 32]).join('')
  return letters.match(groups)?.join('-') ?? ''
}

/** Spaces, hyphens and capitals do not matter. A fast hash is enough for 80 random bits. */
function hashRecoveryCode(candidateId: string, typed: string): string {
  return hashSecret(`recovery code ${candidateId} ${plainCode(typed)}`)
}

/** A typed code, without the separators that people add. */
const plainCode = (typed: string) => typed.toLowerCase().replace(/[^a-z0-9]/g, '')

const looksLikeRecoveryCode = (typed: string) => plainCode(typed).length === 16

/** Limit: One for each device, and some security keys. More would make the list useless. */
export const passkeysPerAccount = 20
/** Limit: Recovery codes that are shown at once. Ten, as everywhere, fit on a piece of paper. */
const recoveryCodes = 10

/** A right code, and how to use it up. */
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

const otherKey =
  'Codes can’t be checked right now: the people who run this service have set a SECRETS_KEY that isn’t the one your app was added with.'

export type FirstStep = ProofKind & ('password' | 'code' | 'provider')

export type Factors = ReturnType<typeof createFactors>

/** Authenticator apps, passkeys and recovery codes. Guesses are slowed where they are counted: see password-service.ts. */
export function createFactors(deps: {
  store: FactorStore
  codes: TotpCodes
  /** Undefined if this service has no key: then no one can enrol. */
  keys(): SecretKeys | undefined
  /** IDs of keys that were lost with a machine. */
  lostKeys(): Promise<readonly string[]>
  clock: Clock
  board: string
}) {
  const { store, codes, keys, clock } = deps

  const ownerOf = (purpose: 'totp' | 'enrolment' | 'sign-in', candidateId: string) =>
    `${purpose} ${candidateId}`

  /** The keys; throws if this service has none. */
  function neededKeys(): SecretKeys {
    const found = keys()
    if (found === undefined) throw new Problem('unavailable', noKey)
    return found
  }

  const newCodes = () => Array.from({ length: recoveryCodes }, newRecoveryCode)
  const hashesOf = (candidateId: string, list: readonly string[]) =>
    list.map(code => hashRecoveryCode(candidateId, code))

  async function isLost(totp: TotpFactor | undefined): Promise<boolean> {
    if (totp === undefined) return false
    const id = sealedWith(totp.secret)
    return !keys()?.some(key => keyIdOf(key) === id) && (await deps.lostKeys()).includes(id)
  }

  async function checkTotp(candidateId: string, code: string): Promise<CheckedCode | undefined> {
    const { totp } = await store.find(candidateId)
    if (totp === undefined || (await isLost(totp))) return undefined
    const secret = openSecret(neededKeys(), totp.secret, ownerOf('totp', candidateId))
    if (secret === undefined) throw new Problem('unavailable', otherKey)
    const step = await codes.stepOf(secret, code, clock())
    return step === undefined ? undefined : { by: 'totp', spend: { kind: 'totp', step } }
  }

  return {
    async find(candidateId: string): Promise<FactorStatus> {
      const found = await store.find(candidateId)
      return { ...found, isAppLost: await isLost(found.totp) }
    },

    /** Whether signing in takes a second step. */
    async hasSecondFactor(candidateId: string): Promise<boolean> {
      const { totp, passkeys } = await store.find(candidateId)
      return totp !== undefined || passkeys.length > 0
    },

    /** Where a person can add the second factor that the page requires; undefined if the session was opened with one. */
    enrolmentOf({ factors: shown }: Pick<SessionOwner, 'factors'>): string | undefined {
      const isEnough = shown.some(factor => !['password', 'link', 'code', 'provider'].includes(factor))
      return isEnough ? undefined : '/account/security/two-step?needed'
    },

    canEnrol: (): boolean => keys() !== undefined,

    /** Issues an encrypted ticket, valid for a few minutes, which proves to the second step that the first was right. */
    ticketFor(
      { candidateId, passwordHash }: { candidateId: string; passwordHash: string },
      first: Exclude<FirstStep, 'provider'> | ProviderProof = 'password',
    ): string {
      const until = clock() + secondStepSeconds * 1000
      const further = first === 'password' ? [] : [first]
      const content = JSON.stringify([candidateId, hashSecret(passwordHash), until, ...further])
      return sealSecret(neededKeys(), content, ownerOf('sign-in', ''))
    },

    /** The account of a ticket; undefined if it is not ours or has expired. */
    readTicket(ticket: string):
      | {
          candidateId: string
          first: FirstStep
          /** Replaces the password. */
          provider: ProviderProof | undefined
          isFor(passwordHash: string): boolean
        }
      | undefined {
      const found = keys()
      const content = found && openSecret(found, ticket, ownerOf('sign-in', ''))
      if (content === undefined) return undefined
      // Tickets of release 0.1.0 are for passwords.
      const [candidateId, mark, until, first = 'password'] = JSON.parse(content) as [
        string,
        string,
        number,
        (Exclude<FirstStep, 'provider'> | ProviderProof)?,
      ]
      if (until <= clock()) return undefined
      return {
        candidateId,
        ...(typeof first === 'string'
          ? { first, provider: undefined }
          : { first: 'provider', provider: first }),
        isFor: passwordHash => isSameHash(mark, hashSecret(passwordHash)),
      }
    },

    /** Checks a code from the app. */
    checkTotp: (candidateId: string, typed: string) => checkTotp(candidateId, typed.replace(/\s/g, '')),

    /** Checks a code from the app, or a recovery code, which is looked up when it is consumed. */
    async checkAny(candidateId: string, typed: string): Promise<CheckedCode | undefined> {
      if (!looksLikeRecoveryCode(typed)) return checkTotp(candidateId, typed.replace(/\s/g, ''))
      return { by: 'recovery', spend: { kind: 'recovery', hash: hashRecoveryCode(candidateId, typed) } }
    },

    /** Returns a new secret with every call. */
    async beginTotp({ candidateId, email }: SessionOwner): Promise<Enrolment> {
      const secret = await codes.newSecret()
      const sealed = sealSecret(neededKeys(), secret, ownerOf('enrolment', candidateId))
      return { ...(await this.show(secret, email)), sealed }
    },

    async show(secret: string, email: string): Promise<{ secret: string; picture: string }> {
      const { picture } = await codes.enrolment(secret, email, deps.board)
      return { secret, picture }
    },

    /** Opens the secret of an enrolment in progress; undefined if the form is not ours. */
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
      const max = passkeysPerAccount
      const added = await store.addPasskey(candidateId, { ...factor, max }, clock(), mails)
      if (added !== 'first' && added !== 'another') return { outcome: added }
      return { outcome: 'added', codes: added === 'first' ? shown : undefined }
    },

    renamePasskey: store.renamePasskey,

    removePasskey: (owner: FactorOwner, id: string, mails: readonly NewDelivery[]): Promise<boolean> =>
      store.removePasskey(owner, id, clock(), mails),

    /** Removes all factors of a person who has lost them, or whose account was taken over. */
    reset: (candidateId: string, reason: string, mails: readonly NewDelivery[] = []): Promise<boolean> =>
      store.reset(candidateId, { reason, mails, at: clock() }),

    listAtReset: (candidateId: string) => store.listAtReset(candidateId),

    /**
     * Removes an app whose key is lost, after its owner has given another proof, such as a link from the mailbox. False
     * unless the app is lost.
     */
    async removeLostApp(candidateId: string, mails: readonly NewDelivery[]): Promise<boolean> {
      const { totp } = await store.find(candidateId)
      if (totp === undefined || !(await isLost(totp))) return false
      return store.removeLostTotp(candidateId, totp.secret, clock(), mails)
    },

    removeTotp: (owner: FactorOwner, mails: readonly NewDelivery[]): Promise<boolean> =>
      store.removeTotp(owner, clock(), mails),

    /** Issues new codes, which replace all others and are shown once; undefined without a factor. */
    async renewCodes(candidateId: string, mails: readonly NewDelivery[]): Promise<string[] | undefined> {
      const shown = newCodes()
      const isDone = await store.replaceCodes(candidateId, hashesOf(candidateId, shown), clock(), mails)
      return isDone ? shown : undefined
    },
  }
}
