import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'
import type { Recipient } from './ports.ts'

const days = (count: number) => (count === 1 ? '1 day' : `${count} days`)

/** Texts of the pages on which candidates download or delete all of their data. */
export const ownDataTexts = {
  title: 'Your data',
  lead: 'Everything in your account is yours. Download it or delete it.',

  downloadTitle: 'Download all my data',
  downloadText:
    'A zip file with everything we hold about you: your account and profile, your resumes, the applications you sent, who can see your profile, and everything you shared. The data is in one JSON file, with your own files beside it.',
  downloadButton: 'Download my data',
  downloadHint: 'We prepare it while you wait. With many files, this can take a while.',
  /** File name of the archive, with the day it was made. */
  archiveName: (day: string) => `my-data-${day}.zip`,

  removeTitle: 'Delete my account',
  removeText:
    'This permanently deletes your account and everything in it. Before you confirm, we show you what stays elsewhere.',
  removeLink: 'Delete my account',

  deletedTitle: 'What is deleted',
  deleted: [
    'your account, your name and your email address',
    'your profile and your resumes',
    'the applications listed in your account, and your sharing history',
    'your consents: everyone you allowed to see your profile loses access immediately',
    'your sign-ins: you are signed out in every browser',
  ],
  deletedAccess: 'your access to the consoles of the companies you work for',

  staysTitle: 'What stays, and why',
  stays: (retentionDays: number): Html =>
    html`Applications belong to the companies you sent them to. ${
      retentionDays === 0
        ? 'Your name, contact details, answers and files are removed from them immediately'
        : html`They stay as they are for ${days(retentionDays)}; then your name, contact details, answers and files are removed`
    }. Only a number, a date and the job reference are left.`,
  staysNothing: 'You haven’t applied for a job here, so there are no applications to keep.',
  staysElsewhere:
    'We can’t delete what others have already received or downloaded. Please ask them to delete it.',
  advertisersLead: 'Companies that have your applications:',
  recipientsLead: 'Websites that have received data from your profile:',
  recipient: ({ clientName, advertiserName }: Recipient): Html =>
    advertiserName === null
      ? isolateBidi(clientName)
      : html`${isolateBidi(clientName)} on behalf of ${isolateBidi(advertiserName)}`,
  more: 'There may be more; your download lists them all.',
  downloadFirst: (path: string): Html =>
    html`This can’t be undone. You may want to <a href="${path}">download your data</a> first.`,

  confirmTitle: 'Confirm deletion',
  password: 'Your password',
  sure: 'Permanently delete my account and everything in it',
  removeButton: 'Delete my account',
  keep: 'Keep my account',
  errorLead: 'Nothing was deleted.',
  wrongPassword: 'The password is wrong.',
  notSure: 'Tick this box to confirm.',
  signedOut:
    'You’re signed out. If you’ve just deleted your account, it’s gone and there is nothing left to do. Otherwise, sign in and send the form again.',

  lastAdminTitle: 'Hand over your work first',
  lastAdmin:
    'You’re the only one who manages what is listed below. Without you, no one could change its settings or invite people, so we can’t delete your account yet. Open its people and make a colleague an admin. If there is no colleague, contact the operator of this service.',
  lastAdminPeople: (path: string, name: string): Html =>
    html`<a href="${path}">People at ${isolateBidi(name)}</a>`,
  lastOperator: html`<a href="/operator/people">Operators of this job board</a>: invite another one first.`,
  lastAdminOnHold: (name: string): Html =>
    html`${isolateBidi(name)} is on hold and its pages are closed. Ask the operator of this service to make someone else an admin.`,

  goodbyeTitle: 'Your account has been deleted',
  goodbye: 'Everything in it is gone, and you’re signed out everywhere.',
  goodbyeApplications: (retentionDays: number): string =>
    retentionDays === 0
      ? 'Personal details in applications you sent are being removed now.'
      : `Personal details in applications you sent will be removed in ${days(retentionDays)}.`,
  goodbyeThanks: (board: string): string =>
    `Thanks for using ${board}. You’re welcome back at any time, with the same email address or another.`,
  goodbyeJobs: 'Browse jobs',
} as const
