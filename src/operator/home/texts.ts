const files = (count: number) => (count === 1 ? '1 file' : `${count} files`)
const emails = (count: number) => (count === 1 ? '1 email' : `${count} emails`)

/** What may need a hand, with the page where it is dealt with. */
export const attentionTexts = {
  deadMail: (count: number) => `${emails(count)} could not be sent`,
  heldMail: (count: number) => `${emails(count)} held after a restore`,
  unjudged: (count: number) => `${files(count)} not scanned yet`,
  failedTasks: (count: number) =>
    count === 1 ? '1 background task failed' : `${count} background tasks failed`,
  stoppedWebhooks: (count: number) => (count === 1 ? '1 webhook stopped' : `${count} webhooks stopped`),
  failingWebhooks: (count: number) => (count === 1 ? '1 webhook fails' : `${count} webhooks fail`),
  withoutAdmin: (count: number) =>
    count === 1 ? '1 company has no admin' : `${count} companies have no admin`,
  clientChanges: (count: number) =>
    count === 1 ? '1 change of a client waits for you' : `${count} changes of clients wait for you`,
} as const

export type AttentionKind = keyof typeof attentionTexts

export const homeTexts = {
  title: 'How the service runs',
  attention: 'Needs attention',
  nothing: 'Nothing needs attention.',
  checks: 'Checklist',
  checksText: 'These are the checks of “dossier doctor”, without those that read every file.',
  checksAll: 'All checks of “dossier doctor”.',
  runAll: 'Run all checks',
  caption: 'Checks of the service',
  what: 'Part',
  state: 'State',
  says: 'Result',
  fine: 'OK',
  wrong: 'Fix this',
  mail: 'Test email',
  mailText: 'Sends an email to a mailbox of yours and shows what the mail server says.',
  noMail: 'There is no mail server. Set SMTP_URL, so that candidates can sign up and reset passwords.',
  address: 'Email address',
  send: 'Send test email',
  notSent: 'No email was sent.',
  sent: 'The mail server accepted the email. Check the mailbox, and its spam folder.',
  refused: (words: string): string => `The mail server did not take the email: ${words}`,
  invalidAddress: 'Enter an email address such as name@example.com.',
  first: {
    title: 'Add the first company',
    text: 'Nothing can be received yet. Add a company, then invite its first admin, who writes job ads and reads applications. On the command line: dossier advertiser add <name>',
    action: 'Add company',
  },
} as const
