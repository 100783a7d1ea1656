/** The result of an erasure. */
export interface ErasedPerson {
  applications: number
  /** Applications on hold for a dispute stay. */
  onHold: number
  /** Why an account stays: it is a company's only admin, or an operator's. */
  account: 'none' | 'deleted' | 'last-admin' | 'operator'
  /** Reports of jobs that had the address, which is removed from them. */
  reports: number
}

export const applicationCount = (count: number) => (count === 1 ? '1 application' : `${count} applications`)

export const reportCount = (count: number) => (count === 1 ? '1 report of a job' : `${count} reports of jobs`)

/** Shared by the page and the command. */
export function describeErased({ applications, onHold, account, reports }: ErasedPerson): string {
  const left = {
    none: 'There was no account.',
    deleted: 'The account was deleted.',
    'last-admin':
      'The account stayed: it’s the last admin of a company or an agent. Invite another admin first.',
    operator: 'The account stayed: it’s an operator’s. Remove the operator first.',
  }[account]
  const held = onHold > 0 ? ` ${applicationCount(onHold)} on hold stayed: release them first.` : ''
  const reported = reports > 0 ? ` The address was removed from ${reportCount(reports)}.` : ''
  return `Erased ${applicationCount(applications)}.${held}${reported} ${left}`
}
