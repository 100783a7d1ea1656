import { periodInWords } from '../../model/profile-words.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

/** The demo careers page. It plays a third party, so it has its own name. */
export const siteTexts = {
  site: 'Northwind ATS',
  jobsTitle: 'Jobs at Harbour Coffee Roasters',
  company: 'Harbour Coffee Roasters',
  careers: 'Careers',
  allJobs: 'All jobs',
  lead: 'We roast in Carrington and pour in Newcastle: 41 people, three drum roasters, and a harbour outside the window.',
  openJobs: (count: number) => `${count} open jobs`,
  aboutTitle: 'Working with us',
  about: [
    ['Early, not late', 'The roastery closes at 2 pm and the cafe at 3 pm. No one works nights.'],
    ['Paid to learn', 'Cupping every Wednesday, and one course a year of your choice, on us.'],
    ['Coffee, of course', 'A kilo a month to take home, and as much as you can drink at work.'],
  ],
  footer: 'Careers pages for Harbour Coffee Roasters by Northwind ATS, a company made up for this demo.',
  behind: 'Behind this page',
  backToJobs: 'Back to jobs',
  seeJobs: 'See jobs',

  intro: (board: string, email: Html, password: Html) =>
    html`This page plays a third party, Northwind ATS, which runs a company’s careers page. It uses only the public APIs of ${board}. Sign in as ${email} with the password ${password}.`,
  apply: (board: string) => `Apply with ${board}`,
  applyFor: (board: string, title: string) => `Apply with ${board} for ${title}`,
  stepsTitle: 'How it works',
  steps: (board: string) => [
    `Northwind sends your browser to ${board}, where you sign in and choose what to share.`,
    `${board} sends your browser back with a code that works once.`,
    'Northwind exchanges the code for a token, and uses it to fetch your profile and resume.',
    `You check the form and send it. Northwind reports to ${board} that the application is complete.`,
  ],
  stepsShown: 'After each step you see the actual requests and responses here.',

  traceTitle: 'What just happened',
  traceHint:
    'Codes and tokens are shortened to their first eight characters, and the client secret is not shown at all. Do the same in your logs.',
  answer: 'Response',

  hooks: {
    title: 'What Northwind has received',
    link: 'Webhooks',
    lead: 'The board tells Northwind at once when something happens at Harbour Coffee Roasters. These are the last 20 webhooks, newest first.',
    nothing: 'Nothing yet. Apply for one of the jobs, then reload this page.',
    reload: 'Reload',
    behind:
      'Each request is signed. Northwind verifies it with the secret that it got when the endpoint was added, and recognises repetitions by their ID. A second endpoint is broken on purpose: the console shows how its events wait.',
    console: 'See both endpoints in the console (sign in as rae@example.com)',
    notGenuine: 'The signature is not that of the board.',
    broken: 'Broken on purpose.',
  },

  noFlow: {
    title: 'No application in progress',
    text: (minutes: number) =>
      `You haven’t started an application in this browser, or it took longer than ${minutes} minutes.`,
  },
  flow: {
    seeSharing: 'See who has your data',
    startedTitle: (board: string) => `Waiting for ${board}`,
    started: (board: string) => `We sent you to ${board}, and you haven’t come back yet.`,
    declinedTitle: 'You declined. Nothing was shared',
    declined: (board: string) =>
      `${board} told Northwind ATS only that you declined. You can start again from the list of jobs.`,
    failedTitle: 'Something went wrong',
    failed: 'The last step shows the request and the response. Start again from the list of jobs.',
    completedTitle: 'Thanks, your application was sent',
    completed: (board: string, company: string, title: string) =>
      `${company} has your application for ${title}. ${board} lists it as submitted.`,
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
