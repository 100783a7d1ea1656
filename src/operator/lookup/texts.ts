import type { ErasedPerson } from './ports.ts'

const applications = (count: number) => (count === 1 ? '1 application' : `${count} applications`)

export const lookupTexts = {
  title: 'Look up a person',
  lead: 'For a request to erase data. You see IDs and counts, nothing that the person wrote. Each look-up goes into the audit log with its reason.',
  email: 'Exact email address',
  reason: 'Reason',
  reasonHint: 'For the audit log, without names: for instance “erasure request 2026-114”.',
  look: 'Look up person',
  notAnEmail: 'Enter an email address such as name@example.com.',
  noReason: 'Enter a reason of 3 to 200 letters, digits, spaces, dots, colons, slashes and hyphens.',
  nothingDone: 'Nothing was looked up.',
  none: 'Nothing is stored about this address.',
  found: 'What is stored',
  account: 'Account',
  noAccount: 'None',
  since: 'Created',
  confirmed: 'Address confirmed',
  yes: 'Yes',
  no: 'No',
  resumes: 'Resumes',
  consents: 'Consents in force',
  companies: 'Companies that the person works for',
  isOperator: 'Operator',
  caption: 'Applications with this address',
  company: 'Company',
  application: 'Application',
  sent: 'Sent',
  status: 'Status',
  hold: 'On hold',
  erase: 'Erase all of it',
  eraseText: (count: number, hasAccount: boolean): string =>
    `Erases ${applications(count)}${hasAccount ? ' and deletes the account' : ''} at once. It can’t be undone. Applications on hold stay; IDs, dates and references stay as with every erasure.`,
  erased: ({ applications: count, onHold, account }: ErasedPerson): string =>
    [
      `Erased ${applications(count)}.`,
      ...(onHold > 0 ? [`${applications(onHold)} on hold stayed: release them first.`] : []),
      {
        none: 'There was no account.',
        deleted: 'The account was deleted.',
        'last-admin':
          'The account stayed: it’s the last admin of a company or an agent. Invite another admin first.',
        operator: 'The account stayed: it’s an operator’s. Remove the operator first.',
      }[account],
    ].join(' '),
} as const
