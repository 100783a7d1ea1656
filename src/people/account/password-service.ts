import type { Clock } from '../../core/clock.ts'
import { sha256Hex } from '../../core/hashing.ts'
import { isPassword, simulatePasswordCheck } from '../../core/password.ts'
import type { Account, AccountStore, FailureStore } from './ports.ts'
import { type DelayRule, type Failures, waitMs, withAnother } from './sign-in-delay.ts'

/** Where an attempt comes from. */
export interface Caller {
  /** The network address, or the part of it that is counted as one. */
  address: string
  /** What the browser's cookie says, if it has one. */
  browser: string | undefined
}

export interface Attempt extends Caller {
  email: string
  password: string
}

export type Checked =
  | { outcome: 'right'; account: Account }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

export interface SignInLimits {
  passwordLength: number
  signInDelaySeconds: number
  signInFreeFailures: number
  signInFreeFailuresPerAddress: number
  signInFailuresForgottenSeconds: number
}

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

/**
 * The one place where passwords are checked, and guessing is slowed down. Failures are counted for the account
 * and for the address. A browser that has signed in to the account before has a count of its own instead, so
 * that the guessing of others does not keep the owner waiting: the row that counts is also what makes it known.
 */
export function createPasswordCheck(deps: {
  accounts: AccountStore
  failures: FailureStore
  clock: Clock
  limits: SignInLimits
}) {
  const { accounts, failures, clock, limits } = deps
  const mostSeconds = limits.signInDelaySeconds
  const accountRule: DelayRule = {
    free: limits.signInFreeFailures,
    mostSeconds,
    forgottenAfterSeconds: limits.signInFailuresForgottenSeconds,
  }
  const addressRule: DelayRule = {
    free: limits.signInFreeFailuresPerAddress,
    mostSeconds,
    forgottenAfterSeconds: mostSeconds,
  }

  async function countersOf({ email, address, browser }: Attempt): Promise<Counter[]> {
    const key = browserKey(email, browser ?? '')
    if (browser !== undefined && (await failures.find(key)) !== undefined) {
      return [{ kind: 'browser', key, rule: accountRule }]
    }
    return [
      { kind: 'address', key: `address:${sha256Hex(address)}`, rule: addressRule },
      { kind: 'account', key: `account:${sha256Hex(email)}`, rule: accountRule },
    ]
  }

  async function longestWaitMs(counters: readonly Counter[]): Promise<number> {
    const found = await Promise.all(counters.map(({ key }) => failures.find(key)))
    const now = clock()
    return Math.max(...counters.map(({ rule }, index) => waitMs(found[index], now, rule)))
  }

  /**
   * Counted as a failure before the password is looked at, and taken back when it is right: however many
   * attempts come at once, on however many nodes, no more of them are looked at than the rule allows.
   */
  async function count({ kind, key, rule }: Counter): Promise<Counted | { waitMs: number }> {
    for (;;) {
      const before = await failures.find(key)
      const now = clock()
      const wait = waitMs(before, now, rule)
      if (wait > 0) return { waitMs: wait }
      const after = withAnother(before, now, rule)
      // An overtaken attempt looks again; each time around another attempt was counted, so it ends in a wait.
      if (await failures.replace(key, before, after)) return { kind, key, before, after }
    }
  }

  /** Restores the time of the last failure, too, so that the wait is not renewed, unless others have counted since. */
  async function takeBack({ key, before, after }: Counted): Promise<void> {
    if (before === undefined || !(await failures.replace(key, after, before))) await failures.takeBack(key)
  }

  async function forgive(counted: Counted): Promise<void> {
    const { kind, key } = counted
    if (kind === 'account') await failures.remove(key)
    // A right password for one account says nothing about what else the address has tried.
    else if (kind === 'address') await takeBack(counted)
    else await failures.set(key, { failures: 0, lastFailedAt: clock() })
  }

  return {
    /**
     * An account that does not exist takes the same steps and the same time as a wrong password. `expected` is a
     * password hash to compare with instead of the account's own.
     */
    async check(attempt: Attempt, expected?: string): Promise<Checked> {
      const counters = await countersOf(attempt)
      const waitingMs = await longestWaitMs(counters)
      if (waitingMs > 0) return waitFor(waitingMs)
      const counted: Counted[] = []
      for (const counter of counters) {
        const result = await count(counter)
        if ('key' in result) {
          counted.push(result)
          continue
        }
        for (const each of counted) await takeBack(each)
        return waitFor(result.waitMs)
      }
      const account = await accounts.findByEmail(attempt.email)
      // Twice as many code units as characters at the most; what is longer is nobody's password.
      const password = attempt.password.length > limits.passwordLength * 2 ? '' : attempt.password
      const isRight =
        account === undefined
          ? await simulatePasswordCheck(password)
          : await isPassword(password, expected ?? account.passwordHash)
      // Whoever signs up with somebody's address knows a password for it. If that one were told to be right,
      // it would tell that the address had no account before.
      const isUnconfirmed = expected === undefined && account?.emailConfirmedAt === null
      if (account === undefined || !isRight || isUnconfirmed) return { outcome: 'wrong' }
      for (const each of counted) await forgive(each)
      return { outcome: 'right', account }
    },

    /** From now on this browser has its own count for this account. */
    async trustBrowser(email: string, browser: string): Promise<void> {
      await failures.set(browserKey(email, browser), { failures: 0, lastFailedAt: clock() })
    },

    /** The account is gone: nothing is counted for it any more. Other browsers' counts lapse by themselves. */
    async forget(email: string, browser: string | undefined): Promise<void> {
      await failures.remove(`account:${sha256Hex(email)}`)
      if (browser !== undefined) await failures.remove(browserKey(email, browser))
    },

    /** Whoever has proved to be the owner in another way need not wait for what others have done. */
    async forgiveAccount(email: string): Promise<void> {
      await failures.remove(`account:${sha256Hex(email)}`)
    },
  }
}

interface Counter {
  kind: 'account' | 'address' | 'browser'
  key: string
  rule: DelayRule
}

interface Counted extends Pick<Counter, 'kind' | 'key'> {
  before: Failures | undefined
  after: Failures
}

function browserKey(email: string, browser: string): string {
  return `browser:${sha256Hex(JSON.stringify([email, browser]))}`
}

function waitFor(ms: number): Checked {
  return { outcome: 'wait', seconds: Math.ceil(ms / 1000) }
}
