import assert from 'node:assert/strict'
import { webhookLeaseSeconds } from '../../src/events/webhooks/lane-service.ts'
import { webhookAttemptSeconds } from '../../src/events/webhooks/schedule-rules.ts'

/** A request that the receiver of an endpoint accepted. */
export interface Accepted {
  advertiserId: number
  number: number
  begunAt: number
  at: number
}

/** The time in which an endpoint may have the events of an advertiser, also by their numbers. */
export interface Spell {
  after: number
  upTo: number
  endedAt: number
}

/** A request begins only if the lease outlasts it twice, so never later after the end of a spell. */
const latestMs = (webhookLeaseSeconds - 2 * webhookAttemptSeconds) * 1000

/**
 * In order, apart from repetitions and from events that may step aside. (When the one behind was accepted, a kill or the
 * database may prevent that it is parked, and then it may be accepted itself.) Between a withdrawal and the next
 * authorisation there is nothing to keep in order: a request under way may arrive after those of the next lane, but none
 * begins late.
 */
export function checkOrder(
  endpoint: string,
  accepted: readonly Accepted[],
  spells: readonly Spell[],
  mayStepAside: (number: number) => boolean,
): void {
  const seen = new Set<number>()
  const highest = new Map<Spell, number>()
  for (const { number, begunAt } of accepted) {
    const spell = spells.find(({ after, upTo }) => number > after && number <= upTo)
    assert.ok(spell !== undefined, `${endpoint} got ${number}, which it may not have`)
    assert.ok(begunAt <= spell.endedAt + latestMs, `${endpoint} got ${number} long after its withdrawal`)
    if (seen.has(number)) continue
    seen.add(number)
    if (mayStepAside(number)) continue
    const last = highest.get(spell) ?? 0
    assert.ok(number > last, `${endpoint} got ${number} after ${last}`)
    highest.set(spell, number)
  }
}
