import type { EndpointState } from '../../events/webhooks/ports.ts'

export const webhooksTexts = {
  title: 'Webhooks that are behind',
  lead: 'Endpoints that fail, were stopped or have events waiting. Their owners were told; “dossier webhook show <id>” shows the attempts.',
  caption: 'Webhook endpoints that are behind',
  none: 'Every webhook endpoint is up to date.',
  id: 'Endpoint',
  owner: 'Company or agent',
  url: 'Host',
  state: 'State',
  states: {
    new: 'New',
    active: 'Active',
    failing: 'Failing',
    paused: 'Paused',
    stopped: 'Stopped',
  } satisfies Record<EndpointState, string>,
  events: 'Events waiting',
  oldest: 'Oldest',
  next: 'Next attempt',
  nothing: '–',
} as const

export const backupsTexts = {
  title: 'Backups',
  off: 'Backups are not automatic: set BACKUP_URL, or use your own tools and test a restore.',
  place: (place: string): string => `Sets are made in ${place}.`,
  verified: 'Last verified set',
  noneVerified: 'No set has been made yet.',
  verifiedLine: (set: string, place: string): string => `${set} in ${place}, read back after it was written`,
  sets: 'Sets',
  caption: 'Backup sets',
  noSets: 'There are no sets yet.',
  unreadable: 'The place of the backups cannot be read. The checklist on the home page says more.',
  set: 'Set',
  rows: 'Rows',
  files: 'Files',
  state: 'State',
  whole: 'Complete',
  unfinished: 'Never finished',
  make: 'Back up now',
  makeText: 'Runs in the background and may take minutes.',
  notices: { started: 'The backup has been started. Reload the page to see the new set.' },
} as const

export const nodesTexts = {
  title: 'Processes',
  lead: 'Each running process reports to the database every few seconds.',
  caption: 'Running processes',
  none: 'No process has reported in the last minute.',
  id: 'Process',
  release: 'Release',
  seen: 'Last seen',
  restored: 'After a restore',
  never: 'The database has never been restored to an earlier state.',
  setBack: 'The database was restored to an earlier state, noticed at this time:',
  held: (count: number): string =>
    count === 0 ? 'No emails are held.' : `${count} emails are held: see the page “Email”.`,
} as const

export const settingsTexts = {
  title: 'Settings in force',
  lead: 'As this process read them at its start. Secrets are shown as “set”. Change them in the environment, then restart.',
  caption: 'Settings in force',
  name: 'Setting',
  value: 'Value',
  standard: 'Default',
} as const
