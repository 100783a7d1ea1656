import type { Principal } from '../model/principal.ts'
import { BoardProblem } from '../model/problems.ts'
import { maxKeepMonths } from '../model/retention.ts'
import { nameLength } from '../model/text-lengths.ts'
import { maxAnswerDays } from '../model/unanswered.ts'
import type { Background } from '../platform/core/async/background.ts'
import type { Clock, EpochMs } from '../platform/core/clock.ts'
import { assertSingleLine, invalidField } from '../platform/core/fields.ts'
import { newUuid } from '../platform/core/ids.ts'
import { Problem } from '../platform/core/problems.ts'
import { readTimeZone } from '../platform/core/time/time-zone.ts'
import type { Advertiser, AdvertiserStore, Credential, CredentialStore, Telling } from './advertiser-store.ts'
import {
  type AdvertiserStatus,
  hashCredential,
  isUsable,
  maxAdvertiserId,
  newCredentialValue,
} from './rules.ts'

/** Limit: Credentials up to this length are looked up; ours have 56 characters. */
const credentialLength = 200

/**
 * Limit: How often the last-used time of a credential is written at most, so that reads do not cause writes.
 */
const lastUsedEverySeconds = 60

export interface IssuedCredential extends Credential {
  /** Shown only once. */
  value: string
}

export type Advertisers = ReturnType<typeof createAdvertisers>
export type Credentials = ReturnType<typeof createCredentials>

export function createAdvertisers(deps: { store: AdvertiserStore; clock: Clock }) {
  const { store, clock } = deps
  return {
    async add(name: string, id?: number, timeZone?: string): Promise<Advertiser> {
      assertSingleLine('name', name, nameLength)
      if (id !== undefined && id > maxAdvertiserId) {
        throw invalidField('id', 'too-large', `The ID must be ${maxAdvertiserId} or less.`)
      }
      const advertiser = await store.add({
        name: name.trim(),
        timeZone: timeZone === undefined ? null : knownTimeZone(timeZone),
        createdAt: clock(),
        ...(id === undefined ? {} : { id }),
      })
      if (advertiser === undefined) {
        throw id === undefined
          ? new Problem('unavailable', 'Another advertiser took the next ID at the same moment. Try again.')
          : invalidField('id', 'taken', `Advertiser ${id} exists already.`)
      }
      return advertiser
    },

    list: () => store.list(),

    async setStatus(advertiserId: number, status: AdvertiserStatus): Promise<Advertiser> {
      const advertiser = await store.setStatus(advertiserId, status)
      if (advertiser === undefined) throw noSuchAdvertiser(advertiserId)
      return advertiser
    },

    /** Takes effect on the next request of its people. */
    async setRequiresFactor(advertiserId: number, isRequired: boolean): Promise<Advertiser> {
      const advertiser = await store.setRequiresFactor(advertiserId, isRequired)
      if (advertiser === undefined) throw noSuchAdvertiser(advertiserId)
      return advertiser
    },

    async telling(advertiserId: number): Promise<Telling> {
      const telling = await store.telling(advertiserId)
      if (telling === undefined) throw noSuchAdvertiser(advertiserId)
      return telling
    },

    /** Applies to status changes from now on; also shows reasons that were reported before. */
    async setTelling(advertiserId: number, telling: Partial<Telling>): Promise<Advertiser> {
      const advertiser = await store.setTelling(advertiserId, telling)
      if (advertiser === undefined) throw noSuchAdvertiser(advertiserId)
      return advertiser
    },

    /** Null selects the operator's time zone. */
    async setTimeZone(advertiserId: number, timeZone: string | null): Promise<Advertiser> {
      const known = timeZone === null ? null : knownTimeZone(timeZone)
      const advertiser = await store.setTimeZone(advertiserId, known)
      if (advertiser === undefined) throw noSuchAdvertiser(advertiserId)
      return advertiser
    },

    /** Null: the form does not ask. Consents already given stay. */
    async setKeepMonths(advertiserId: number, months: number | null): Promise<Advertiser> {
      if (months !== null && !(Number.isInteger(months) && months >= 1 && months <= maxKeepMonths))
        throw invalidField('keepMonths', 'out-of-bounds', `Choose 1 to ${maxKeepMonths} months.`)
      const advertiser = await store.setKeepMonths(advertiserId, months)
      if (advertiser === undefined) throw noSuchAdvertiser(advertiserId)
      return advertiser
    },

    /** Null selects the default. */
    async setAnswerDays(advertiserId: number, days: number | null): Promise<Advertiser> {
      if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= maxAnswerDays))
        throw invalidField('days', 'out-of-bounds', `Choose 1 to ${maxAnswerDays} days.`)
      const advertiser = await store.setAnswerDays(advertiserId, days)
      if (advertiser === undefined) throw noSuchAdvertiser(advertiserId)
      return advertiser
    },
  }
}

function knownTimeZone(text: string): string {
  const timeZone = readTimeZone(text)
  if (timeZone !== undefined) return timeZone
  throw invalidField('timeZone', 'unknown', 'Choose a time zone by its name, such as Australia/Sydney.')
}

export function createCredentials(deps: {
  store: CredentialStore
  advertisers: AdvertiserStore
  clock: Clock
  background: Background
}) {
  const { store, advertisers, clock, background } = deps
  const usesBeingWritten = new Set<string>()

  /** Runs in the background: no request waits for this write or fails with it. */
  function recordUse(advertiserId: number, credentialId: string, at: EpochMs, since: EpochMs): void {
    if (usesBeingWritten.has(credentialId)) return
    usesBeingWritten.add(credentialId)
    const write = store
      .recordUse(advertiserId, credentialId, at, since)
      .finally(() => usesBeingWritten.delete(credentialId))
    background.run(write, 'the last-used time of a credential was not written')
  }

  /** Takes effect on the next request. Another advertiser's credential looks like an unknown one. */
  async function revokeOf(advertiserId: number, credentialId: string): Promise<Credential> {
    const revoked = await store.revoke(advertiserId, credentialId, clock())
    if (revoked === undefined) throw noSuchCredential(credentialId)
    return revoked
  }

  return {
    async issue(
      advertiserId: number,
      label: string,
      expiresAt: EpochMs | null,
      managesWebhooks = false,
    ): Promise<IssuedCredential> {
      assertSingleLine('label', label, nameLength)
      const createdAt = clock()
      if (expiresAt !== null && expiresAt <= createdAt) {
        throw invalidField('expires', 'in-the-past', 'The expiry must be in the future.')
      }
      if ((await advertisers.find(advertiserId)) === undefined) throw noSuchAdvertiser(advertiserId)
      const { value, hint } = newCredentialValue()
      const id = newUuid()
      const credential = {
        id,
        hint,
        label: label.trim(),
        createdAt,
        expiresAt,
        managesWebhooks: managesWebhooks ? 1 : 0,
      }
      await store.add(advertiserId, { ...credential, hash: hashCredential(value) })
      return { ...credential, value, revokedAt: null, lastUsedAt: null }
    },

    async list(advertiserId: number): Promise<Credential[]> {
      if ((await advertisers.find(advertiserId)) === undefined) throw noSuchAdvertiser(advertiserId)
      return store.list(advertiserId)
    },

    /** Revokes a credential for the operator. */
    async revoke(credentialId: string): Promise<Credential> {
      const advertiserId = await store.advertiserOf(credentialId)
      if (advertiserId === undefined) throw noSuchCredential(credentialId)
      return revokeOf(advertiserId, credentialId)
    },

    revokeOf,

    /** Called on every request, so that an expiry, a revocation or a hold takes effect on the next one. */
    async authenticate(value: string): Promise<Principal> {
      const owner =
        value.length <= credentialLength ? await store.findOwner(hashCredential(value)) : undefined
      const now = clock()
      if (owner === undefined || !isUsable(owner, now)) throw new BoardProblem('invalid-credential')
      const { credentialId, advertiserId, lastUsedAt, version, eventNumber } = owner
      const since = now - lastUsedEverySeconds * 1000
      if (lastUsedAt === null || lastUsedAt <= since) recordUse(advertiserId, credentialId, now, since)
      const isOnHold = owner.advertiserStatus === 'hold'
      const managesWebhooks = owner.managesWebhooks === 1
      return { credentialId, advertiserId, agentId: null, isOnHold, managesWebhooks, version, eventNumber }
    },
  }
}

export function noSuchAdvertiser(advertiserId: number): Problem {
  return new Problem('not-found', `There is no advertiser ${advertiserId}.`)
}

function noSuchCredential(credentialId: string): Problem {
  return new Problem('not-found', `There is no credential ${credentialId}.`)
}
