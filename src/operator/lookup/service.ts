import { type Act, reasonRules } from '../../platform/audit/acts.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { isAnyAddress, mailboxOf } from '../../platform/core/email.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { textFault } from '../../platform/core/text.ts'
import type { BoardStore, FoundPerson } from '../board-store.ts'
import type { ErasedPerson } from './erased-texts.ts'

export type Looked<T> = { outcome: 'done'; result: T } | { outcome: 'invalid'; errors: FieldError[] }

export type PersonLookup = ReturnType<typeof createPersonLookup>

/** Joins the lines of a reason: a command can pass several. */
const onOneLine = (reason: string) => reason.trim().replaceAll(/\s+/g, ' ')

/**
 * The operator's only lookup of a person, for erasure requests: by the exact address, for a reason that is recorded
 * before anything is shown.
 */
export function createPersonLookup(deps: {
  board: Pick<BoardStore, 'findPerson' | 'record'>
  eraseApplication(advertiserId: number, applicationId: number): Promise<unknown>
  /** Deletes the account; its applications are erased immediately. */
  deleteAccount(candidateId: string): Promise<'deleted' | 'last-admin' | 'none'>
  /** Removes every second factor, ends the sessions and notifies the owner; false if there is none. */
  resetFactors(candidateId: string, reason: string): Promise<boolean>
  /** Removes the address from reports of jobs; returns the number of reports. */
  forgetReporter(email: string): Promise<number>
  /** Removes the bytes of the files. */
  cleanUp(): void
  clock: Clock
}) {
  const { board } = deps

  function faultsIn(email: string, reason: string): FieldError[] {
    return [
      // Applications may contain addresses that no account can have.
      ...(isAnyAddress(email)
        ? []
        : [
            {
              field: 'email',
              code: 'not-an-email',
              message: 'Enter an email address such as name@example.com.',
            },
          ]),
      ...(textFault(reason, reasonRules) === undefined
        ? []
        : [
            {
              field: 'reason',
              code: 'malformed',
              message: 'Enter a reason: one line of at most 200 characters.',
            },
          ]),
    ]
  }

  const targetOf = ({ account }: FoundPerson): Act['target'] =>
    account === undefined ? 'board:lookup' : `person:${account.candidateId}`

  async function find(typed: string, typedReason: string): Promise<Looked<FoundPerson>> {
    const [email, reason] = [mailboxOf(typed), onOneLine(typedReason)]
    const errors = faultsIn(email, reason)
    if (errors.length > 0) return { outcome: 'invalid', errors }
    const found = await board.findPerson(email)
    await board.record({
      action: 'person.look-up',
      scope: 'board',
      target: targetOf(found),
      after: {
        reason,
        found: found.applications.length + found.reports + Number(found.account !== undefined),
      },
    })
    return { outcome: 'done', result: found }
  }

  return {
    find,

    /** Removes the factors of a person who has lost them all, or whose account was taken over. */
    async resetFactors(typed: string, typedReason: string): Promise<Looked<'reset' | 'none'>> {
      const looked = await find(typed, typedReason)
      if (looked.outcome === 'invalid') return looked
      const { account } = looked.result
      const isReset =
        account !== undefined && (await deps.resetFactors(account.candidateId, onOneLine(typedReason)))
      return { outcome: 'done', result: isReset ? 'reset' : 'none' }
    },

    async erase(typed: string, typedReason: string): Promise<Looked<ErasedPerson>> {
      const looked = await find(typed, typedReason)
      if (looked.outcome === 'invalid') return looked
      const { account, applications } = looked.result
      const free = applications.filter(({ isOnHold }) => !isOnHold)
      // First, so that an interrupted erasure is on record.
      await board.record({
        action: 'person.erase',
        scope: 'board',
        target: targetOf(looked.result),
        after: { reason: onOneLine(typedReason), applications: free.length },
      })
      const reports = await deps.forgetReporter(mailboxOf(typed))
      for (const { advertiserId, applicationId } of free)
        await deps.eraseApplication(advertiserId, applicationId)
      const ended =
        account === undefined
          ? 'none'
          : account.isOperator
            ? 'operator'
            : await deps.deleteAccount(account.candidateId)
      deps.cleanUp()
      const onHold = applications.length - free.length
      return { outcome: 'done', result: { applications: free.length, onHold, account: ended, reports } }
    },
  }
}
