import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'
import type { Recipient } from './ports.ts'

const days = (count: number) => (count === 1 ? '1 day' : `${count} days`)

/** The words of the pages about all of somebody's data: taking it along, and deleting it. */
export const ownDataTexts = {
  title: 'Your data',
  lead: 'What is in your account is yours: take it along, or delete it.',

  downloadTitle: 'Download all my data',
  downloadText:
    'A zip archive with everything that we hold about you: your account and profile, your resumes, the applications that you sent, who may ask for your profile and everything that was shared. All of it is in one JSON file, with your files beside it.',
  downloadButton: 'Download',
  downloadHint: 'It is made while you wait. With many files it may take a while.',
  /** The name of the archive, by the day it was made. */
  archiveName: (day: string) => `dossier-${day}.zip`,

  removeTitle: 'Delete my account',
  removeText:
    'Your account goes with everything in it, at once and for good. You are told what stays elsewhere before anything is deleted.',
  removeLink: 'Delete my account',

  goesTitle: 'What is deleted',
  goes: [
    'your account, your name and your e-mail address',
    'your profile and your resumes',
    'the applications that you see in your account, and the list of what was shared',
    'your consents: whoever could ask for your profile loses access at once',
    'your sign-ins: you are signed out in every browser',
  ],
  goesWork: 'your access to the consoles of the advertisers that you work for',

  staysTitle: 'What stays, and why',
  stays: (retentionDays: number): Html =>
    html`Applications that you have made belong to the advertisers that you sent them to. ${
      retentionDays === 0
        ? 'Your name, your addresses, your answers and your files are removed from them at once'
        : html`The applications stay as they are for ${days(retentionDays)}; then your name, your addresses, your answers and your files are removed from them`
    }, and only a number, a date and the reference of the job are left.`,
  staysNothing: 'You have made no applications here, so none stay.',
  staysElsewhere:
    'What others have received or downloaded before is in their hands. We cannot delete it there; ask them to.',
  advertisersLead: 'Advertisers with applications of yours:',
  recipientsLead: 'Websites that have received data from your profile:',
  recipient: ({ clientName, advertiserName }: Recipient): Html =>
    advertiserName === null
      ? theirs(clientName)
      : html`${theirs(clientName)} on behalf of ${theirs(advertiserName)}`,
  more: 'There may be more; the download lists all of them.',
  downloadFirst: (path: string): Html =>
    html`This cannot be undone. You may want to <a href="${path}">download your data</a> first.`,

  confirmTitle: 'Delete it',
  password: 'Your password',
  sure: 'Delete my account and everything in it, for good',
  removeButton: 'Delete my account',
  keep: 'Keep my account',
  errorLead: 'Nothing was deleted.',
  wrongPassword: 'The password is wrong.',
  notSure: 'Tick this box to say that you want it.',
  signedOut:
    'You are signed out. If you have just deleted your account, it is gone, and there is nothing left to do. If not, sign in, and you can send the form again.',

  lastAdminTitle: 'First hand over your work',
  lastAdmin:
    'You are the only admin of the advertisers below. Without you nobody could manage their ads, people and API access, so your account cannot be deleted yet. Make a colleague an admin under People; if there is nobody, ask the operator of this service.',
  lastAdminPeople: (path: string, name: string): Html =>
    html`<a href="${path}">People of ${theirs(name)}</a>`,
  lastAdminOnHold: (name: string): Html =>
    html`${theirs(name)} is on hold at present, and its pages are closed: ask the operator of this service to make somebody else an admin.`,

  goodbyeTitle: 'Your account is deleted',
  goodbye: 'Everything in it is gone, and you are signed out everywhere.',
  goodbyeApplications: (retentionDays: number): string =>
    retentionDays === 0
      ? 'What is personal in applications that you have made is being removed now.'
      : `What is personal in applications that you have made is removed ${days(retentionDays)} from now.`,
  goodbyeThanks:
    'Thank you for having been here. You are welcome back at any time, with the same address or another.',
  goodbyeJobs: 'Look at jobs',
} as const
