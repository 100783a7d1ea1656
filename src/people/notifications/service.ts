import { createHmac, randomBytes } from 'node:crypto'
import type { Notice } from '../../model/notice.ts'
import {
  isMuted,
  mutedBit,
  type Rhythm,
  rhythms,
  type Subscription,
  subscriptionOf,
  type Topic,
  topics,
} from '../../model/notice-topics.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { isSameHash } from '../../platform/core/secrets.ts'
import type { Extras } from '../mail/post-service.ts'
import type { NotificationStore, Preferences } from './notification-store.ts'

export type Notifications = ReturnType<typeof createNotifications>

/** The emails that a person wants, chosen on their pages or by a link in an email. */
export function createNotifications({ store, clock }: { store: NotificationStore; clock: Clock }) {
  let key: Promise<string> | undefined
  /** Retries after a failure. */
  function linkKey(): Promise<string> {
    key ??= store.linkKey(randomBytes(32).toString('base64url')).catch(error => {
      key = undefined
      throw error
    })
    return key
  }

  async function rhythmOf(subscription: Subscription): Promise<Rhythm> {
    const { candidateId } = subscription
    if ('advertiserId' in subscription) {
      return (await store.rhythm(subscription.advertiserId, candidateId)) ?? 'off'
    }
    const { muted } = (await store.preferences(candidateId)) ?? noPreferences
    return isMuted(muted, subscription.topic) ? 'off' : 'soon'
  }

  async function unsubscribePath(subscription: Subscription): Promise<string> {
    return `/unsubscribe/${unsubscribeToken(await linkKey(), subscription)}`
  }

  return {
    preferences: async (candidateId: string): Promise<Preferences> =>
      (await store.preferences(candidateId)) ?? noPreferences,

    /** Mutes all other topics. */
    chooseTopics(candidateId: string, wanted: readonly Topic[]): Promise<void> {
      const unwanted = topics.filter(topic => !wanted.includes(topic))
      return store.setMuted(
        candidateId,
        unwanted.map(mutedBit).reduce((bits, bit) => bits | bit, 0),
      )
    },

    rhythm: async (advertiserId: number, candidateId: string): Promise<Rhythm> =>
      (await store.rhythm(advertiserId, candidateId)) ?? 'off',

    setRhythm: (advertiserId: number, candidateId: string, rhythm: Rhythm): Promise<void> =>
      store.setRhythm(advertiserId, candidateId, rhythm, clock()),

    unsubscribePath,

    /** Headers and footer of an email; undefined if its reader has switched it off. */
    async extrasOf(
      notice: Notice,
      { muted }: { muted: number },
      origin: string,
    ): Promise<Extras | undefined> {
      const subscription = subscriptionOf(notice)
      if (subscription === undefined) return {}
      const isTopic = 'topic' in subscription
      const isOff = isTopic ? isMuted(muted, subscription.topic) : (await rhythmOf(subscription)) === 'off'
      if (isOff) return undefined
      const url = `${origin}${await unsubscribePath(subscription)}`
      return {
        reason: { topic: isTopic ? subscription.topic : 'company', url },
        headers: {
          'List-Unsubscribe': `<${url}>`,
          // RFC 8058 requires https.
          ...(url.startsWith('https:') ? { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}),
        },
      }
    },

    async findSubscription(token: string): Promise<Subscription | undefined> {
      return readUnsubscribeToken(await linkKey(), token)
    },

    /** Emails of topics are sent immediately. */
    rhythmOf,

    /** Returns the former rhythm, so that the person can undo this. */
    async switchOff(subscription: Subscription): Promise<Rhythm> {
      const former = await rhythmOf(subscription)
      const { candidateId } = subscription
      if ('topic' in subscription) await store.setTopic(candidateId, subscription.topic, false)
      else await store.setRhythm(subscription.advertiserId, candidateId, 'off', clock())
      return former
    },

    async switchOn(subscription: Subscription, wanted: string | undefined): Promise<void> {
      const { candidateId } = subscription
      if ('topic' in subscription) return store.setTopic(candidateId, subscription.topic, true)
      const rhythm = rhythms.find(each => each === wanted && each !== 'off') ?? 'daily'
      return store.setRhythm(subscription.advertiserId, candidateId, rhythm, clock())
    },
  }
}

const noPreferences: Preferences = { muted: 0, refusedAt: null }

/**
 * A token that names one person and one kind of email, with an HMAC: its link works without signing in, needs no table,
 * and switches off nothing else.
 */
function unsubscribeToken(key: string, subscription: Subscription): string {
  const { candidateId } = subscription
  const what = 'topic' in subscription ? subscription.topic : String(subscription.advertiserId)
  return [candidateId, what, macOf(key, candidateId, what)].join('.')
}

/** Undefined unless the token was made with this key. */
function readUnsubscribeToken(key: string, token: string): Subscription | undefined {
  const [candidateId = '', what = '', mac = '', ...rest] = token.split('.')
  if (rest.length > 0 || !isSameHash(macOf(key, candidateId, what), mac)) return undefined
  const topic = topics.find(each => each === what)
  if (topic !== undefined) return { candidateId, topic }
  const advertiserId = parseNumericId(what)
  return advertiserId === undefined ? undefined : { candidateId, advertiserId }
}

function macOf(key: string, ...parts: string[]): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['unsubscribe', ...parts]))
    .digest('base64url')
}
