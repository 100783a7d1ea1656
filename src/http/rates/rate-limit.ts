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

/** Of a limit: a node answers no more hits than this before the others know of them. */
const untoldShare = 0.01
/** Of a limit: what is beyond it is counted exactly. That half has room for what 50 nodes have not told. */
const looseShare = 0.5
/** Smaller limits are counted exactly from the first hit on: a few hits would be more than their share. */
const leastLoose = 200

/**
 * Counts per key in whole minutes (or hours) of the clock, so that many nodes can agree on a window without talking.
 * Each counts for itself and is told by the others in time. Only a hit past half of the limit waits to hear of them,
 * and one that comes faster than they can be told.
 */
export class RateLimit {
  readonly name: string
  readonly #most: number
  readonly #clock: Clock
  readonly #maxKeys: number
  readonly #windowSeconds: number
  readonly #shared: SharedCounts
  readonly #mostUntold: number
  readonly #exactFrom: number
  readonly #policy: string
  #window = 0
  #counts = new Map<string, KeyCount>()

  constructor(options: {
    name: string
    most: number
    windowSeconds: number
    clock: Clock
    maxKeys: number
    shared: SharedCounts
  }) {
    this.name = options.name
    this.#most = options.most
    this.#clock = options.clock
    this.#maxKeys = options.maxKeys
    this.#windowSeconds = options.windowSeconds
    this.#shared = options.shared
    this.#mostUntold = options.most * untoldShare
    this.#exactFrom = options.most < leastLoose ? 0 : options.most * looseShare
    this.#policy = `"${options.name}";q=${options.most};w=${options.windowSeconds}`
  }

  /** A promise only where the other nodes have to be asked. */
  hit(key: string): Usage | Promise<Usage> {
    const seconds = this.#clock() / 1000
    const window = Math.floor(seconds / this.#windowSeconds)
    if (window !== this.#window) {
      this.#window = window
      this.#counts = new Map()
    }
    const resetSeconds = Math.ceil((window + 1) * this.#windowSeconds - seconds)
    const count = this.#countOf(key)
    const known = count.own + count.others
    // It will not become less before the window is over: nobody needs to hear of it.
    if (known >= this.#most) return { remaining: 0, resetSeconds, isExceeded: true }
    const own = ++count.own
    this.#shared.note(count)
    const untold = own - count.told
    if (known < this.#exactFrom && untold < this.#mostUntold) {
      // Early, so that hardly anybody has to wait for it.
      if (untold >= this.#mostUntold / 2) this.#shared.tell()
      return this.#usage(known + 1, resetSeconds)
    }
    const told = this.#shared.tell()
    if (told === undefined) return this.#usage(known + 1, resetSeconds)
    // Those of the others that came before this one, and our own up to it: no two hits have the same place.
    return told.then(() => this.#usage(own + count.others, resetSeconds))
  }

  /** `RateLimit` and `RateLimit-Policy` as in the IETF draft. */
  writeHeaders(reply: FastifyReply, usage: Usage): void {
    reply.header('ratelimit-policy', this.#policy)
    reply.header('ratelimit', `"${this.name}";r=${usage.remaining};t=${usage.resetSeconds}`)
  }

  #countOf(key: string): KeyCount {
    const known = this.#counts.get(key)
    if (known !== undefined) return known
    // Beyond the bound newcomers share one count: a flood of addresses costs them, not our memory.
    if (this.#counts.size >= this.#maxKeys && key !== '') return this.#countOf('')
    const window = this.#window
    const expiresAt = (window + 2) * this.#windowSeconds * 1000
    const count = { name: this.name, key, window, expiresAt, own: 0, told: 0, others: 0, isNoted: false }
    this.#counts.set(key, count)
    return count
  }

  #usage(place: number, resetSeconds: number): Usage {
    return { remaining: Math.max(0, this.#most - place), resetSeconds, isExceeded: place > this.#most }
  }
}

export function rateLimited(usage: Usage): Problem {
  const { resetSeconds } = usage
  const wait = resetSeconds <= 120 ? `${resetSeconds} seconds` : `${Math.ceil(resetSeconds / 60)} minutes`
  return new Problem('rate-limited', `Too many requests. Try again in ${wait}.`, {
    retryAfterSeconds: resetSeconds,
  })
}

/** One household or server usually has a whole /64 of IPv6 addresses, so that is what is counted. */
export function addressKey(address: string): string {
  if (!isIPv6(address)) return address
  // One spelling for all: lower case, no leading zeros, IPv4 parts as two groups.
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
