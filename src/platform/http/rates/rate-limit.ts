import { isIPv6 } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import type { KeyCount, SharedCounts } from './shared-counts.ts'

export interface Usage {
  remaining: number
  resetSeconds: number
  isExceeded: boolean
}

/** Share of a limit that a node may serve before it reports to the others. */
const unreportedShare = 0.01
/** Share of a limit beyond which hits are counted exactly. The other half has room for the unreported hits of 50 nodes. */
const looseShare = 0.5
/** Smaller limits are counted exactly from the first hit, because a few hits would exceed their share. */
const minLoose = 200

/** The parts of a limit that callers see. */
export abstract class Limit {
  readonly name: string
  readonly #policy: string

  constructor(name: string, max: number, windowSeconds: number) {
    this.name = name
    this.#policy = `"${name}";q=${max};w=${windowSeconds}`
  }

  /** Counts a hit, unless the limit is exceeded. */
  abstract hit(key: string): Usage | Promise<Usage>

  /** `RateLimit` and `RateLimit-Policy` as in the IETF draft. */
  writeHeaders(reply: FastifyReply, usage: Usage): void {
    reply.header('ratelimit-policy', this.#policy)
    reply.header('ratelimit', `"${this.name}";r=${usage.remaining};t=${usage.resetSeconds}`)
  }

  /** Counts a hit and writes the headers; throws a problem beyond the limit. */
  async take(reply: FastifyReply, key: string): Promise<void> {
    const usage = await this.hit(key)
    this.writeHeaders(reply, usage)
    if (usage.isExceeded) throw rateLimited(usage)
  }
}

const windowSeconds = 60

/**
 * Counts hits per key in whole minutes of the clock, so that nodes agree on the window without communicating.
 * Each node counts for itself and exchanges counts in the background. A hit waits for the other nodes only beyond half of
 * the limit, or if hits come faster than they can be reported.
 */
export class RateLimit extends Limit {
  readonly #max: number
  readonly #clock: Clock
  readonly #maxKeys: number
  readonly #shared: SharedCounts
  readonly #maxUnreported: number
  readonly #exactFrom: number
  #lastSeconds = 0
  #window = 0
  #counts = new Map<string, KeyCount>()

  constructor(options: {
    name: string
    max: number
    clock: Clock
    maxKeys: number
    shared: SharedCounts
  }) {
    super(options.name, options.max, windowSeconds)
    this.#max = options.max
    this.#clock = options.clock
    this.#maxKeys = options.maxKeys
    this.#shared = options.shared
    this.#maxUnreported = options.max * unreportedShare
    this.#exactFrom = options.max < minLoose ? 0 : options.max * looseShare
  }

  /** Returns a promise only if the other nodes' counts are needed. */
  hit(key: string): Usage | Promise<Usage> {
    const seconds = this.#seconds()
    const window = Math.floor(seconds / windowSeconds)
    if (window !== this.#window) {
      this.#window = window
      this.#counts = new Map()
    }
    const resetSeconds = Math.ceil((window + 1) * windowSeconds - seconds)
    const count = this.#countOf(key)
    const known = count.own + count.others
    // Exceeded until the end of the window, so this hit need not be reported.
    if (known >= this.#max) return { remaining: 0, resetSeconds, isExceeded: true }
    const own = ++count.own
    this.#shared.note(count)
    const unreported = own - count.told
    if (known < this.#exactFrom && unreported < this.#maxUnreported) {
      // Report early, so that requests hardly ever wait for it.
      if (unreported >= this.#maxUnreported / 2) this.#shared.report()
      return this.#usage(known + 1, resetSeconds)
    }
    const reported = this.#shared.report()
    if (reported === undefined) return this.#usage(known + 1, resetSeconds)
    // The other nodes' earlier hits, plus our own including the current one: no two hits get the same position.
    return reported.then(() => this.#usage(own + count.others, resetSeconds))
  }

  /** Does not move while the clock is set back by less than a minute: a minute that has ended does not begin again. */
  #seconds(): number {
    const now = this.#clock() / 1000
    if (now >= this.#lastSeconds || now <= this.#lastSeconds - windowSeconds) this.#lastSeconds = now
    return this.#lastSeconds
  }

  #countOf(key: string): KeyCount {
    const known = this.#counts.get(key)
    if (known !== undefined) return known
    // Beyond the limit new keys share one count, so a flood of addresses cannot fill the memory.
    if (this.#counts.size >= this.#maxKeys && key !== '') return this.#countOf('')
    const window = this.#window
    const expiresAt = (window + 2) * windowSeconds * 1000
    const count = { name: this.name, key, window, expiresAt, own: 0, told: 0, others: 0, isNoted: false }
    this.#counts.set(key, count)
    return count
  }

  #usage(place: number, resetSeconds: number): Usage {
    return { remaining: Math.max(0, this.#max - place), resetSeconds, isExceeded: place > this.#max }
  }
}

export function rateLimited(usage: Usage): Problem {
  const { resetSeconds } = usage
  const wait = resetSeconds <= 120 ? `${resetSeconds} seconds` : `${Math.ceil(resetSeconds / 60)} minutes`
  return new Problem('rate-limited', `Too many requests. Try again in ${wait}.`, {
    retryAfterSeconds: resetSeconds,
  })
}

/** Counts IPv6 addresses by /64, which one household or server usually owns. */
export function addressKey(address: string): string {
  if (!isIPv6(address)) return address
  // Canonical form: lower case, no leading zeros, IPv4 parts as two groups.
  const canonical = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical)
  if (mapped !== null) {
    const groups = mapped.slice(1).map(group => Number.parseInt(group, 16))
    return groups.flatMap(group => [group >> 8, group & 0xff]).join('.')
  }
  const [head = '', tail = ''] = canonical.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === '' ? [] : tail.split(':')
  const groups = [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back]
  return groups.slice(0, 4).join(':')
}
