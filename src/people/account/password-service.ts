import type { Clock } from '../../platform/core/clock.ts'
import { sha256Hex } from '../../platform/core/hashing.ts'
import { isPassword, simulatePasswordCheck } from '../../platform/core/password.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import type { AccountStore } from './account-store.ts'
import type { Account } from './records.ts'
import { passwordLength } from './rules.ts'
import type { FailureStore } from './session-store.ts'
import {
  accountKey,
  type DelayRule,
  type Failures,
  signInFailuresForgottenSeconds,
  waitMs,
  withAnother,
} from './sign-in-delay.ts'

/** Limit: Wrong passwords for one account before delays begin: people mistype and try old passwords. */
export const signInFreeFailures = 5

/** Limit: Wrong passwords from one network address before delays begin: a whole office or campus may share it. */
export const signInFreeFailuresPerAddress = 30
/** Limit: The longest delay after wrong passwords: no one is locked out permanently. */
const signInDelaySeconds = 900

/** The origin of an attempt. */
export interface Caller {
  /** The network address, or the prefix that counts as one address. */
  address: string
  /** The value of the browser's cookie, if any. */
  browser: string | undefined
}

/** The address whose secret is guessed, and the origin of the guess. */
export type Guess = Caller & { email: string }

export interface Attempt extends Guess {
  password: string
}

export type Checked =
  | { outcome: 'right'; account: Account }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

type Guarded<T> =
  /** `failures`: wrong guesses before this one. */
  | { outcome: 'right'; value: T; isLast: boolean; failures: number }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

/**
 * Checks passwords and slows down guessing; no other code does. Failures are counted per account and per network
 * address. A browser that has signed in to the account before has its own count instead, so that guesses by others do
 * not delay the owner; the row with that count also marks the browser as known.
 */
export function createPasswordCheck(deps: { accounts: AccountStore; failures: FailureStore; clock: Clock }) {
  const { accounts, failures, clock } = deps
  const maxSeconds = signInDelaySeconds
  const accountRule: DelayRule = {
    free: signInFreeFailures,
    maxSeconds,
    forgottenAfterSeconds: signInFailuresForgottenSeconds,
  }
  const addressRule: DelayRule = {
    free: signInFreeFailuresPerAddress,
    maxSeconds,
    forgottenAfterSeconds: maxSeconds,
  }

  async function countersOf({ email, address, browser }: Guess): Promise<Counter[]> {
    const key = browserKey(email, browser ?? '')
    if (browser !== undefined && (await failures.find(key)) !== undefined) {
      return [{ kind: 'browser', key, rule: accountRule }]
    }
    return [
      { kind: 'address', key: `address:${sha256Hex(address)}`, rule: addressRule },
      { kind: 'account', key: accountKey(email), rule: accountRule },
    ]
  }

  async function longestWaitMs(counters: readonly Counter[]): Promise<number> {
    const found = await Promise.all(counters.map(({ key }) => failures.find(key)))
    const now = clock()
    return Math.max(...counters.map(({ rule }, index) => waitMs(found[index], now, rule)))
  }

  /**
   * Counts an attempt as a failure before the password is checked; a right password takes the count back. So however
   * many attempts arrive at once, on however many nodes, no more are checked than the rule allows.
   */
  async function count({ kind, key, rule }: Counter): Promise<Counted | { waitMs: number }> {
    for (;;) {
      const before = await failures.find(key)
      const now = clock()
      const wait = waitMs(before, now, rule)
      if (wait > 0) return { waitMs: wait }
      const after = withAnother(before, now, rule)
      // Retry if another attempt was counted in between. Each retry sees a higher count, so the loop ends in a wait.
      if (await failures.replace(key, before, after)) return { kind, key, before, after }
    }
  }

  /** Also restores the time of the last failure, unless others have counted since, so that the wait does not restart. */
  async function takeBack({ key, before, after }: Counted): Promise<void> {
    if (before === undefined || !(await failures.replace(key, after, before))) await failures.takeBack(key)
  }

  async function forgive(counted: Counted): Promise<void> {
    const { kind, key } = counted
    if (kind === 'account') await failures.remove(key)
    // A right password for one account does not excuse other attempts from the same address.
    else if (kind === 'address') await takeBack(counted)
    else await failures.set(key, { failures: 0, lastFailedAt: clock() })
  }

  /**
   * Checks a guess of any kind, unless there were too many. A right guess that is not the last step takes back its own
   * count and leaves the others: otherwise a person who knows the password could guess codes without end.
   */
  async function guard<T>(
    guess: Guess,
    verify: (failures: number) => Promise<{ value: T; isLast: boolean } | undefined>,
  ): Promise<Guarded<T>> {
    const counters = await countersOf(guess)
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
    const failures = (counted.find(({ kind }) => kind !== 'address')?.after.failures ?? 1) - 1
    const verified = await verify(failures).catch(async error => {
      // Nothing was checked, for example because too many people sign in at once, so count no failure.
      await Promise.allSettled(counted.map(takeBack))
      throw error
    })
    if (verified === undefined) return { outcome: 'wrong' }
    for (const each of counted) await (verified.isLast ? forgive(each) : takeBack(each))
    return { outcome: 'right', failures, ...verified }
  }

  async function accountWith(attempt: Attempt, expected?: string): Promise<Account | undefined> {
    const account = await accounts.findByEmail(attempt.email)
    // A character has at most two code units, so no password can be longer.
    const password = attempt.password.length > passwordLength * 2 ? '' : attempt.password
    const isRight =
      account === undefined
        ? await simulatePasswordCheck(password)
        : await isPassword(password, expected ?? account.passwordHash)
    // A stranger who signs up with another person's address knows the password they typed. If it were accepted here,
    // it would reveal that the address had no account before.
    const isUnconfirmed = expected === undefined && account?.emailConfirmedAt === null
    return account === undefined || !isRight || isUnconfirmed ? undefined : account
  }

  return {
    guard,

    /** Checks a password at sign-in, where a second step may follow: then `isLast` is false. */
    begin: (attempt: Attempt, hasMore: (candidateId: string) => Promise<boolean>) =>
      guard(attempt, async () => {
        const account = await accountWith(attempt)
        return account && { value: account, isLast: !(await hasMore(account.candidateId)) }
      }),

    /**
     * Checks a password. An unknown account takes the same steps and the same time as a wrong password. `expected` is
     * a password hash to compare with instead of the account's own.
     */
    async check(attempt: Attempt, expected?: string): Promise<Checked> {
      const checked = await guard(attempt, async () => {
        const account = await accountWith(attempt, expected)
        return account && { value: account, isLast: true }
      })
      return checked.outcome === 'right' ? { outcome: 'right', account: checked.value } : checked
    },

    /** Counts a wrong code after the right password; the owner is notified of every fifth. */
    countWrongCode: (email: string, mails: readonly NewDelivery[]): Promise<void> =>
      failures.countAndNotify(codesKey(email), {
        now: clock(),
        forgottenBefore: clock() - signInFailuresForgottenSeconds * 1000,
        every: signInFreeFailures,
        mails,
      }),

    forgetWrongCodes: (email: string): Promise<void> => failures.remove(codesKey(email)),

    /** Whether the browser has signed in to the account before. */
    isKnownBrowser: async (email: string, browser: string | undefined): Promise<boolean> =>
      browser !== undefined && (await failures.find(browserKey(email, browser))) !== undefined,

    /** Gives this browser its own count for this account. */
    async trustBrowser(email: string, browser: string): Promise<void> {
      await failures.set(browserKey(email, browser), { failures: 0, lastFailedAt: clock() })
    },

    /** Removes the counts of a deleted account. The counts of other browsers expire. */
    async forget(email: string, browser: string | undefined): Promise<void> {
      await failures.remove(accountKey(email))
      await failures.remove(codesKey(email))
      if (browser !== undefined) await failures.remove(browserKey(email, browser))
    },

    /** Resets the account's count when the owner has proved their identity in another way. */
    async forgiveAccount(email: string): Promise<void> {
      await failures.remove(accountKey(email))
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

const codesKey = (email: string) => `codes:${sha256Hex(email)}`

/** The key of a browser that the account knows. */
export function browserKey(email: string, browser: string): string {
  return `browser:${sha256Hex(JSON.stringify([email, browser]))}`
}

function waitFor(ms: number): { outcome: 'wait'; seconds: number } {
  return { outcome: 'wait', seconds: Math.ceil(ms / 1000) }
}
