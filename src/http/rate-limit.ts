import { isIPv6 } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problems.ts'

export interface Usage {
  remaining: number
  resetSeconds: number
  isExceeded: boolean
}

/** Counts per key in whole minutes (or hours) of the clock, so that many nodes can agree on a window without talking. */
export class RateLimit {
  readonly name: string
  readonly #most: number
  readonly #clock: Clock
  readonly #maxKeys: number
  readonly #windowSeconds: number
  #window = 0
  #counts = new Map<string, number>()

  constructor(name: string, most: number, clock: Clock, maxKeys: number, windowSeconds = 60) {
    this.name = name
    this.#most = most
    this.#clock = clock
    this.#maxKeys = maxKeys
    this.#windowSeconds = windowSeconds
  }

  hit(key: string): Usage {
    const seconds = this.#clock() / 1000
    const window = Math.floor(seconds / this.#windowSeconds)
    if (window !== this.#window) {
      this.#window = window
      this.#counts = new Map()
    }
    // Beyond the bound newcomers share one count: a flood of addresses costs them, not our memory.
    const counted = this.#counts.has(key) || this.#counts.size < this.#maxKeys ? key : ''
    const count = (this.#counts.get(counted) ?? 0) + 1
    this.#counts.set(counted, count)
    return {
      remaining: Math.max(0, this.#most - count),
      resetSeconds: Math.ceil((window + 1) * this.#windowSeconds - seconds),
      isExceeded: count > this.#most,
    }
  }

  /** `RateLimit` and `RateLimit-Policy` as in the IETF draft. */
  writeHeaders(reply: FastifyReply, usage: Usage): void {
    reply.header('ratelimit-policy', `"${this.name}";q=${this.#most};w=${this.#windowSeconds}`)
    reply.header('ratelimit', `"${this.name}";r=${usage.remaining};t=${usage.resetSeconds}`)
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
