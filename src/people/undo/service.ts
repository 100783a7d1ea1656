import type { Clock } from '../../platform/core/clock.ts'
import { hashPassword } from '../../platform/core/password.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { hashSecret, tokenLength } from '../../platform/core/secrets.ts'
import type { AccountLinks } from '../account/links-service.ts'
import type { PasswordCheck } from '../account/password-service.ts'
import { passwordFault } from '../account/rules.ts'
import { newBrowser } from '../account/service.ts'
import type { OpenUndo, UndoStore } from '../account/undo-store.ts'

export type UndoResult =
  | { outcome: 'undone'; browser: string }
  | { outcome: 'gone' }
  | { outcome: 'invalid'; errors: FieldError[] }

export type Undo = ReturnType<typeof createUndo>

/**
 * Undoes a change by the link in the email about it. The link gives its mailbox no more power than a password reset
 * does, and opens no session: see decision 096.
 */
export function createUndo(deps: {
  store: Pick<UndoStore, 'find' | 'undo'>
  passwords: PasswordCheck
  links: Pick<AccountLinks, 'changeUndoneMails'>
  clock: Clock
}) {
  const { store, passwords, clock } = deps

  return {
    /** Returns the change that a link undoes without using it up, because mail scanners open links too. */
    async find(token: string): Promise<OpenUndo | undefined> {
      return token.length > tokenLength ? undefined : store.find(hashSecret(token), clock())
    },

    async undo(token: string, password: string, browser = newBrowser()): Promise<UndoResult> {
      const change = await this.find(token)
      if (change === undefined || change.isTaken) return { outcome: 'gone' }
      const errors = passwordFault('password', password, change.email)
      if (errors.length > 0) return { outcome: 'invalid', errors }
      const done = await store.undo(hashSecret(token), {
        passwordHash: await hashPassword(password),
        now: clock(),
        mails: deps.links.changeUndoneMails,
      })
      if (done === undefined) return { outcome: 'gone' }
      await passwords.forgiveAccount(done.email)
      await passwords.trustBrowser(done.email, browser)
      return { outcome: 'undone', browser }
    },
  }
}
