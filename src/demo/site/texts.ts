import { periodInWords } from '../../model/profile-words.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

/** The demo careers page. It plays a third party, so it has its own name. */
export const siteTexts = {
  site: 'Northwind ATS',
  jobsTitle: 'Jobs at Harbour Coffee Roasters',
  backToJobs: 'Back to jobs',
  seeJobs: 'See jobs',

  intro: (email: Html, password: Html) =>
    html`This page plays a third party, Northwind ATS, which runs a company’s careers page. It uses only Dossier’s public APIs. Sign in as ${email} with the password ${password}.`,
  apply: 'Apply with Dossier',
  applyFor: (title: string) => `Apply with Dossier for ${title}`,
  stepsTitle: 'How it works',
  steps: [
    'Northwind sends your browser to Dossier, where you sign in and choose what to share.',
    'Dossier sends your browser back with a code that works once.',
    'Northwind exchanges the code for a token, and uses it to fetch your profile and resume.',
    'You check the form and send it. Northwind reports to Dossier that the application is complete.',
  ],
  stepsShown: 'After each step you see the actual requests and responses.',

  traceTitle: 'What just happened',
  traceHint:
    'Codes and tokens are shortened to their first eight characters, and the client secret is not shown at all. Do the same in your logs.',
  answer: 'Response',

  noFlow: {
    title: 'No application in progress',
    text: (minutes: number) =>
      `You haven’t started an application in this browser, or it took longer than ${minutes} minutes.`,
  },
  flow: {
    seeSharing: 'See who has your data',
    startedTitle: 'Waiting for Dossier',
    started: 'We sent you to Dossier, and you haven’t come back yet.',
    declinedTitle: 'You declined. Nothing was shared',
    declined: 'Dossier told Northwind ATS only that you declined. You can start again from the list of jobs.',
    failedTitle: 'Something went wrong',
    failed: 'The last step below shows the request and the response. Start again from the list of jobs.',
    completedTitle: 'Thanks, your application was sent',
    completed: (company: string, title: string) =>
      `${company} has your application for ${title}. Dossier lists it as submitted.`,
  },
  strange: {
    title: 'This response is not for this browser',
    text: html`The <code>state</code> or <code>iss</code> in the response is not the one this browser was sent away with. An attacker may have made you open a link with their own code in it, so we ignored it.`,
    ways: (minutes: number, link: (label: string) => Html) =>
      html`If you’ve just applied, cookies may be turned off, or it took longer than ${minutes} minutes. ${link('Start again')}.`,
  },

  form: {
    title: (ad: string) => `Apply: ${ad}`,
    lookAgain: 'Please check the following:',
    lead: (company: string, place: string) =>
      `${company} · ${place}. Filled in from your profile. Changes here don’t affect your profile.`,
    firstName: 'First name',
    lastName: 'Last name',
    email: 'Email address',
    phone: 'Phone',
    location: 'Where you live',
    skills: 'Skills, one per line',
    letter: 'Why this job? (optional)',
    send: 'Send application',
    noFirstName: 'Enter your first name.',
    notAnEmail: 'Enter an email address, such as mary@example.com.',
  },

  shared: {
    title: 'Also received',
    nothing: 'Not shared, or not in the profile.',
    resume: 'Resume',
    file: (name: string, size: number, kind: string) =>
      html`${isolateBidi(name)}, ${size.toLocaleString('en-AU')} bytes, detected as ${kind}.`,
    qualification: 'Highest qualification',
    workHistory: 'Work history',
    job: (job: { jobTitle: string; companyName: string; from: string; to: string | null }) =>
      html`${isolateBidi(job.jobTitle)}, ${isolateBidi(job.companyName)} (${periodInWords(job.from, job.to)})`,
    rights: 'Salary and work rights',
  },
}
