import { createHmac } from 'node:crypto'
import { parseNumericId } from '../../core/ids.ts'
import { isSameHash } from '../../core/secrets.ts'
import { type Subscription, topics } from '../../model/notice-topics.ts'

/**
 * Names one person and one kind of email, with an HMAC: a link that works without signing in, needs no table, and switches
 * off nothing else.
 */
export function unsubscribeToken(key: string, subscription: Subscription): string {
  const { candidateId } = subscription
  const what = 'topic' in subscription ? subscription.topic : String(subscription.advertiserId)
  return [candidateId, what, macOf(key, candidateId, what)].join('.')
}

/** Undefined unless the token was made with this key. */
export function readUnsubscribeToken(key: string, token: string): Subscription | undefined {
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
