import { type Html, html } from '../../web/html.ts'

/** Texts of the application form. Field errors are in form.ts, beside the checks that raise them. */
export const applyTexts = {
  title: (adTitle: string) => `Apply: ${adTitle}`,
  at: (ad: Html, advertiser: Html, location: Html) =>
    html`${ad} at <strong>${advertiser}</strong>, ${location}`,

  nothingSent: 'Not sent yet.',
  newSession:
    'You’ve signed in again since you opened this form. Everything you typed is still here. Please send it again.',
  newQuestions:
    'The company has changed its questions since you opened this page. Please check the new questions below, then send the form again.',
  newPeriod:
    'The company has changed how long it keeps applications since you opened this page. You’ll find the period above the button. If you agree, please send the form again.',
  noQuestions:
    'The company has removed its questions since you opened this page. Please send the form again without them.',
  lostFiles:
    'Browsers don’t keep chosen files when a form is shown again. If you chose any, please choose them again below. Everything else is still here.',
  applied: (on: Html): Html =>
    html`You applied for this job on ${on}. You can apply again; the company will see both applications.`,
  withdrawn: (on: Html | false): Html =>
    html`You withdrew your application for this job${on && html` on ${on}`}. You can apply again.`,
  seeSent: 'See what you sent',
  required: (star: Html) =>
    html`Fields marked with ${star}<span class="for-readers">a star</span> are required.`,

  contact: 'Contact details',
  contactHint: 'From your profile. Changes here apply only to this application.',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email address',
  phone: 'Phone',

  work: 'Your current or latest job',
  workQuestion: 'Include it in your application?',
  workNone: 'Don’t include it',
  workJob: 'Include this job',
  workNew: 'I’m new to the workforce',
  jobTitle: 'Job title',
  company: 'Company',
  months: 'Months in this job',

  questions: (advertiser: Html) => html`Questions from ${advertiser}`,
  question: (number: number) => `Question ${number}`,
  urlHint: 'A link, for example https://example.com/me',
  tickAll: 'Select all that apply.',

  documents: 'Documents',
  kinds: (maxSize: string) => `PDF, Word (doc or docx), RTF or plain text, up to ${maxSize}.`,
  tooLarge: (maxSize: string) => `The file must be ${maxSize} or smaller.`,
  resume: 'Resume',
  noResume: 'No resume',
  firstUpload: 'Upload a resume',
  anotherUpload: 'Upload another resume',
  keepResume: 'Save it to my resumes',
  notKept: (max: number) =>
    `You already have ${max} resumes, the maximum, so this one will be used for this application only.`,
  resumeFile: 'Resume file',
  resumeFacts: (size: string, on: Html) => html`${size}, uploaded on ${on}`,
  infected: 'A virus was found in this file, so it can’t be sent.',
  isDefault: 'Default',
  coverLetter: 'Cover letter',
  letterOptional: 'Type or paste your letter (optional)',
  letterHint:
    'It’s sent as a text file. If you choose a file under Documents as well, we send that file and not this text.',
  letterName: 'cover-letter.txt',
  coverLetterOptional: 'Cover letter file (optional)',
  criteria: 'Selection criteria',
  criteriaOptional: 'Answers to selection criteria (optional)',

  goesTo: (advertiser: Html, hasQuestions: boolean) =>
    html`We’ll send ${advertiser} your contact details, ${hasQuestions && 'your answers, '}the job details you chose to include, and the documents you selected. You can see what you sent under <em>Applications</em>.`,
  keeps: (advertiser: Html, months: number | null) =>
    months === null
      ? html`${advertiser} hasn’t set how long it keeps applications. You can withdraw yours at any time.`
      : html`${advertiser} keeps your application for ${months} ${months === 1 ? 'month' : 'months'}. You can withdraw it at any time.`,
  send: 'Send application',
  cancel: 'Cancel',

  /** Shown by the script, which fills in the {names} in braces. */
  script: {
    count: '{length} of {most} characters',
    sending: 'Sending your application. Please keep this page open.',
    progress: 'Upload progress',
    sent: '{loaded} of {total} MB',
    allSent: 'Uploaded. We’re checking your application.',
    stillHere: 'Everything you entered is still here.',
    lost: 'The connection was lost before we got a response.',
    notTaken: 'We couldn’t accept the form.',
    sendAgain: 'Please send it again. You won’t apply twice.',
    signedOut: 'You’re no longer signed in. {link}, then come back and send the form.',
    signInAgain: 'Sign in again in another tab',
  },

  noAd: {
    title: 'Job not found',
    text: 'The link may be mistyped, or the company may have removed the job.',
    closedTitle: 'Applications have closed',
    closed: (advertiser: Html, ad: Html) =>
      html`${advertiser} has closed <strong>${ad}</strong>, or its closing date has passed.`,
    jobs: 'See open jobs',
    applications: 'See your applications',
  },
}
