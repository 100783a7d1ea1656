import type { Background } from '../../core/async/background.ts'
import type { LeaseStore } from '../../core/async/leases.ts'
import { retry } from '../../core/async/retry.ts'
import type { Clock } from '../../core/clock.ts'
import { newUuid } from '../../core/ids.ts'

/** The right to run one of a limited number of operations per key. */
export interface Slot {
  /** Also takes the slot among all nodes; false if none is left. */
  share(): Promise<boolean>
  /** Releases the slot once, however often it is called. */
  release(): void
}

interface SharedSlot {
  lease: string
  holder: string
}

/**
 * Limits the concurrent operations of a key: on this node by a counter, among all nodes by leases. The leases of a dead
 * node expire.
 */
export class Slots {
  readonly #name: string
  readonly #perKey: number
  readonly #leases: LeaseStore
  readonly #background: Background
  readonly #clock: Clock
  readonly #pause: (ms: number) => Promise<void>
  readonly #leaseMs: number
  readonly #taken = new Map<string, number>()
  readonly #shared = new Set<SharedSlot>()
  readonly #givingBack = new Map<string, Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: {
    name: string
    perKey: number
    leases: LeaseStore
    background: Background
    clock: Clock
    pause(ms: number): Promise<void>
    leaseSeconds: number
  }) {
    this.#name = options.name
    this.#perKey = options.perKey
    this.#leases = options.leases
    this.#background = options.background
    this.#clock = options.clock
    this.#pause = options.pause
    this.#leaseMs = options.leaseSeconds * 1000
  }

  /** Undefined if no slot is free on this node. */
  take(key: string): Slot | undefined {
    const taken = this.#taken.get(key) ?? 0
    if (taken >= this.#perKey) return undefined
    this.#taken.set(key, taken + 1)
    let isHeld = true
    let shared: SharedSlot | undefined
    return {
      share: async () => {
        shared = await this.#takeLease(key)
        // Released in the meantime: release the lease that arrived too late.
        if (shared !== undefined && !isHeld) this.#release(shared)
        return shared !== undefined
      },
      release: () => {
        if (!isHeld) return
        isHeld = false
        const left = (this.#taken.get(key) ?? 1) - 1
        if (left === 0) this.#taken.delete(key)
        else this.#taken.set(key, left)
        if (shared !== undefined) this.#release(shared)
      },
    }
  }

  async #takeLease(key: string): Promise<SharedSlot | undefined> {
    // A separate holder per slot: a slot that lost its lease to another slot of this node must not release the other's.
    const holder = newUuid()
    for (let number = 1; number <= this.#perKey; number++) {
      const lease = `${this.#name}/${key}/${number}`
      if ([...this.#shared].some(held => held.lease === lease)) continue
      // Wait for a release in progress, so that an immediate next request finds the lease free.
      await this.#givingBack.get(lease)
      const now = this.#clock()
      if (await this.#leases.take(lease, holder, now, now + this.#leaseMs)) {
        const shared = { lease, holder }
        this.#shared.add(shared)
        this.#timer ??= setInterval(() => this.#renewAll(), this.#leaseMs / 3).unref()
        return shared
      }
    }
    return undefined
  }

  /** An operation continues even if its lease cannot be renewed: one too many is better than a truncated list. */
  #renewAll(): void {
    for (const { lease, holder } of this.#shared) {
      this.#inBackground(this.#leases.renew(lease, holder, this.#clock() + this.#leaseMs))
    }
  }

  #release(shared: SharedSlot): void {
    this.#shared.delete(shared)
    if (this.#shared.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    const release = () => this.#leases.release(shared.lease, shared.holder)
    const given = release()
      // Retried in the background if the database is unavailable; the lease also expires by itself.
      .catch(() => this.#inBackground(this.#retry(release)))
      .finally(() => this.#givingBack.delete(shared.lease))
    this.#givingBack.set(shared.lease, given)
    this.#inBackground(given)
  }

  /** A lease that could not be renewed or released becomes free when it expires. */
  #inBackground(work: Promise<unknown>): void {
    this.#background.run(work, 'a slot could not be renewed or released', { slot: this.#name })
  }

  #retry(work: () => Promise<void>): Promise<void> {
    return retry(work, this.#clock() + this.#leaseMs, { clock: this.#clock, pause: this.#pause })
  }
}
