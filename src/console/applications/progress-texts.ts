import type { ApplicationStatus, ChosenStatus } from '../../model/application-status.ts'
import { statusLabels } from '../../model/application-status.ts'
import { type Html, html } from '../../web/html.ts'

export const progressTexts = {
  title: 'Status',
  /** Buttons that set a status. */
  set: {
    new: 'Mark as new',
    seen: 'Mark as seen',
    shortlisted: 'Shortlist',
    'not-suitable': 'Mark as not suitable',
    hired: 'Mark as hired',
  } satisfies Record<ChosenStatus, string>,
  statusButtons: 'Change status',
  note: 'Note for your team',
  addNote: 'Add note',
  tell: 'Tell the candidate by email',
  withdrawn: 'The candidate has withdrawn this application. You can still add notes.',

  changed: (former: ApplicationStatus, status: ApplicationStatus) =>
    `Status changed from ${statusLabels[former]} to ${statusLabels[status]}.`,
  told: 'We’re emailing the candidate.',
  undo: (former: ApplicationStatus) => `Change back to ${statusLabels[former]}`,
  noteAdded: 'Note added.',
  stale: (who: Html | string, status: ApplicationStatus) =>
    html`<p><strong>Nothing was saved.</strong> While this page was open, ${who} changed the status to ${statusLabels[status]}. Check it, then choose again. Your note is still here.</p>`,
  staleWithdrawn: html`<p><strong>Nothing was saved.</strong> The candidate has withdrawn this application in the meantime. Your note is still here.</p>`,
  notSaved: 'The note wasn’t saved.',

  history: 'Notes and history',
  sent: 'The candidate sent the application',
  erased: 'The personal data was erased',
  scanned: {
    clean: (file: string) => `The virus scanner found nothing in the ${file}`,
    infected: (file: string) => `The virus scanner found malware in the ${file}`,
  },
  collected: {
    agent: (name: Html): Html => html`${name} collected it for you`,
    company: (name: Html): Html => html`Your program collected it with the credential “${name}”`,
  },
  collectedByUnknown: {
    agent: 'A former agent collected it for you',
    company: 'Your program collected it with a former credential',
  },
  olderLeftOut: (count: number) => `Only the newest ${count} entries are shown.`,
  you: 'You',
  formerColleague: 'A former colleague',
  candidate: 'The candidate',
  service: 'This service',
  did: {
    status: (former: ApplicationStatus | null, status: ApplicationStatus | null) =>
      former === null || status === null
        ? 'changed the status'
        : `changed the status from ${statusLabels[former]} to ${statusLabels[status]}`,
    note: () => 'wrote a note',
    withdrawn: () => 'withdrew the application',
    document: () => 'replaced a document',
    hold: () => 'put a hold on the application',
    release: () => 'released the hold',
  },
} as const
