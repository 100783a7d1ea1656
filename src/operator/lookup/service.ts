import type { Clock } from '../../core/clock.ts'
import { isAnyAddress, spellEmail } from '../../core/email.ts'
import type { FieldError } from '../../core/problems.ts'
import type { Act } from '../../model/audit.ts'
import type { BoardStore } from '../ports.ts'
import type { ErasedPerson, Found } from './ports.ts'
import { lookupTexts as texts } from './texts.ts'

export type Looked<T> = { outcome: 'done'; result: T } | { outcome: 'invalid'; errors: FieldError[] }

export type PersonLookup = ReturnType<typeof createPersonLookup>

/** The form of short words in the audit log: no sentence about the person, and no address. */
const reasonForm = /^[\w.:/+ -]{3,200}$/

/**
 * The one look-up of a person by the operator, for erasure requests: by the exact address, for a reason that goes on
 * record before anything is shown.
 */
export function createPersonLookup(deps: {
  board: Pick<BoardStore, 'findPerson' | 'record'>
  eraseApplication(advertiserId: number, applicationId: number): Promise<unknown>
  /** Ends the account; its applications are erased at once. */
  deleteAccount(candidateId: string): Promise<'deleted' | 'last-admin' | 'none'>
  /** Removes the bytes of the files. */
  cleanUp(): void
  clock: Clock
}) {
  const { board } = deps

  function faultsIn(email: string, reason: string): FieldError[] {
    return [
      // Applications bring along addresses that no account can have.
      ...(isAnyAddress(email) ? [] : [{ field: 'email', code: 'not-an-email', message: texts.notAnEmail }]),
      ...(reasonForm.test(reason) ? [] : [{ field: 'reason', code: 'malformed', message: texts.noReason }]),
    ]
  }

  const targetOf = ({ account }: Found): Act['target'] =>
    account === undefined ? 'board:lookup' : `person:${account.candidateId}`

  async function find(typed: string, typedReason: string): Promise<Looked<Found>> {
    const [email, reason] = [spellEmail(typed), typedReason.trim()]
    const errors = faultsIn(email, reason)
    if (errors.length > 0) return { outcome: 'invalid', errors }
    const found = await board.findPerson(email)
    await board.record({
      action: 'person.look-up',
      scope: 'board',
      target: targetOf(found),
      after: { reason, found: found.applications.length + Number(found.account !== undefined) },
    })
    return { outcome: 'done', result: found }
  }

  return {
    find,

    async erase(typed: string, typedReason: string): Promise<Looked<ErasedPerson>> {
      const looked = await find(typed, typedReason)
      if (looked.outcome === 'invalid') return looked
      const { account, applications } = looked.result
      const free = applications.filter(({ isOnHold }) => !isOnHold)
      // First, so that an erasure that is interrupted is on record.
      await board.record({
        action: 'person.erase',
        scope: 'board',
        target: targetOf(looked.result),
        after: { reason: typedReason.trim(), applications: free.length },
      })
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
      return { outcome: 'done', result: { applications: free.length, onHold, account: ended } }
    },
  }
}
