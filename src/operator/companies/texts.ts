import { type Html, html } from '../../web/html.ts'

export const companiesTexts = {
  title: 'Companies',
  caption: 'Companies on this job board',
  none: { title: 'No companies yet', text: 'Add the first one below, then invite its first admin.' },
  id: 'ID',
  name: 'Name',
  state: 'State',
  active: 'Active',
  onHold: 'On hold',
  noAdmin: 'No admin',
  people: 'People',
  applications: 'Applications',
  calls: (days: number): string => `API calls in ${days} days`,
  lastActivity: 'Last application',
  never: 'None yet',
  add: 'Add a company',
  addButton: 'Add company',
  nameHint: 'Candidates see it.',
  ownId: 'Your own ID (optional)',
  ownIdHint: 'Leave it empty to get the next free one.',
  timeZone: 'Time zone (optional)',
  timeZoneHint: (standard: string): string => `Such as Europe/London. Otherwise ${standard}.`,
  notAdded: 'No company was added.',
  notANumber: 'The ID must be a positive whole number.',
  all: 'All companies',
  facts: 'Figures',
  since: 'Added',
  hold: 'Put company on hold',
  holdText: 'On hold, API calls and console pages of this company are rejected. No data is lost.',
  release: 'Release company',
  releaseText: 'This company is on hold: its API calls and console pages are rejected.',
  invite: 'Invite the first admin',
  inviteMore: 'Invite an admin',
  inviteText: (isMailOn: boolean): string =>
    isMailOn
      ? 'The invitation is sent by email. The admin invites everyone else.'
      : 'You get a link that works once, only for this address. Send it yourself: there is no mail server.',
  email: 'Email address',
  inviteButton: 'Invite admin',
  notInvited: 'No one was invited.',
  notSent: 'The email could not be sent, so no one was invited. The page “Email” says why.',
  retention: 'Retention period',
  keeps: (months: number | null): string =>
    months === null ? 'Applications are kept without end.' : `Applications are kept for ${inMonths(months)}.`,
  keepsDefault: 'This is the default in RETENTION_MONTHS.',
  change: (months: number, time: Html): Html => html`From ${time} on, they are kept for ${inMonths(months)}.`,
  erases: (count: number): string =>
    count === 1 ? '1 application is erased then.' : `${count} applications are erased then.`,
  months: 'Months after submission',
  monthsHint: (min: number, max: number): string =>
    `From ${min} to ${max} (RETENTION_MONTHS_MIN and _MAX), or empty for the default. A shorter period takes effect after 14 days, and the admins get an email.`,
  setRetention: 'Set retention period',
  takeBack: 'Take back the change',
  notChanged: 'Nothing was changed.',
  done: {
    added: 'The company was added. Invite its first admin below.',
    held: 'The company is on hold.',
    released: 'The company is active again.',
    invited: 'The invitation was sent by email.',
    retention: 'The retention period was changed.',
    'taken-back': 'The change was taken back.',
  },
} as const

function inMonths(months: number): string {
  return months === 1 ? '1 month' : `${months} months`
}
