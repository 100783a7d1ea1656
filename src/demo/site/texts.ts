import { periodInWords } from '../../model/profile-words.ts'
import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

/** The careers page of the demo. It plays a third party, so it names itself. */
export const siteTexts = {
  site: 'Northwind ATS',
  jobsTitle: 'Jobs at Harbour Coffee Roasters',
  backToJobs: 'Back to the jobs',
  seeJobs: 'See the jobs',

  intro: (email: Html, password: Html) =>
    html`This page plays a third party, Northwind ATS, that runs the careers page of an advertiser. It uses the public interfaces of Dossier and nothing else. Sign in as ${email} with the password ${password}.`,
  apply: 'Apply with Dossier',
  applyFor: (title: string) => `Apply with Dossier for ${title}`,
  stepsTitle: 'What will happen',
  steps: [
    'Northwind sends your browser to Dossier, where you sign in and choose what to share.',
    'Dossier sends it back with a code that works once.',
    'Northwind redeems the code for a token, and with it asks for your profile and your resume.',
    'You check the form and send it; Northwind tells Dossier that the application is complete.',
  ],
  stepsShown: 'After each step you see the requests and the answers as they really were.',

  traceTitle: 'What just happened',
  traceHint:
    'Codes and tokens are cut to their first eight characters, and the secret of the client is not shown at all: do the same in your logs.',
  answer: 'The answer',

  noFlow: {
    title: 'No application under way',
    text: (minutes: number) =>
      `This browser has not begun an application here, or it took longer than ${minutes} minutes.`,
  },
  flow: {
    seeSharing: 'See who has your data',
    startedTitle: 'Still at Dossier',
    started: 'Your browser was sent to Dossier and has not come back yet.',
    declinedTitle: 'You declined; nothing was shared',
    declined:
      'Dossier told Northwind ATS that you declined, and nothing else. You can begin again from the list of jobs.',
    failedTitle: 'The application could not go on',
    failed: 'The last step below shows what was asked and what came back. Begin again from the list of jobs.',
    completedTitle: 'Thank you, your application was sent',
    completed: (company: string, title: string) =>
      `${company} has your application for ${title}, and Dossier shows it to you as submitted.`,
  },
  strange: {
    title: 'This answer is not to a question of yours',
    text: html`The <code>state</code> or the <code>iss</code> that came back is not the one that this browser was sent away with. Somebody may have made you open a link with their own code in it, so nothing was done with it.`,
    ways: (minutes: number, link: (label: string) => Html) =>
      html`If you have applied just now, cookies may be switched off, or it took longer than ${minutes} minutes. ${link('Begin again')}.`,
  },

  form: {
    title: (ad: string) => `Apply: ${ad}`,
    lookAgain: 'Please look at these again:',
    lead: (company: string, place: string) =>
      `${company} · ${place}. Filled in from your profile: change what you like, nothing goes back to it.`,
    firstName: 'First name',
    lastName: 'Last name',
    email: 'E-mail address',
    phone: 'Phone',
    location: 'Where you live',
    skills: 'Skills, one on each line',
    letter: 'Why this job? (you may leave it empty)',
    send: 'Send application',
    noFirstName: 'Say your first name.',
    notAnEmail: 'Give an e-mail address, such as mary@example.com.',
  },

  shared: {
    title: 'Also received',
    nothing: 'Not shared, or not filled in.',
    resume: 'Resume',
    file: (name: string, size: number, kind: string) =>
      html`${theirs(name)}, ${size.toLocaleString('en-AU')} bytes, by its first bytes ${kind}.`,
    qualification: 'Highest qualification',
    workHistory: 'Work history',
    job: (job: { jobTitle: string; companyName: string; from: string; to: string | null }) =>
      html`${theirs(job.jobTitle)}, ${theirs(job.companyName)} (${periodInWords(job.from, job.to)})`,
    rights: 'Salary and work rights',
  },
}
