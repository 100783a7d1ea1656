import { type Html, html } from '../../web/html.ts'

/** The form to apply. What is said about single fields is in apply-form.ts, beside the rules that say it. */
export const applyTexts = {
  title: (adTitle: string) => `Apply: ${adTitle}`,
  at: (ad: Html, advertiser: Html, location: Html) =>
    html`${ad} at <strong>${advertiser}</strong>, ${location}`,

  nothingSent: 'Nothing was sent yet.',
  newSession:
    'You have signed in again since you opened this form. What you typed is still here: please send it again.',
  newQuestions:
    'The advertiser has changed the questions since you opened this page. They are shown as they are now: please look through them, and send the form again.',
  noQuestions:
    'The advertiser has taken away the questions since you opened this page. Please send the form again without them.',
  lostFiles:
    'Browsers forget chosen files when a form comes back. If you had chosen any, please choose them again below; everything else is still here.',
  applied: (on: Html, link: (label: string) => Html) =>
    html`You applied for this job on ${on}. You can apply again: the advertiser gets both. ${link('See what you sent')}`,
  required: (star: Html) =>
    html`Fields marked with ${star}<span class="for-readers">a star</span> are required.`,

  contact: 'Contact details',
  contactHint: 'From your profile. What you change here changes this application alone.',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail address',
  phone: 'Phone',

  work: 'Your current or latest job',
  workQuestion: 'Tell the advertiser about it?',
  workNone: 'Leave it out',
  workJob: 'Include what stands below',
  workNew: 'I am new to the workforce',
  jobTitle: 'Job title',
  company: 'Company',
  months: 'Months in this job',

  questions: (advertiser: Html) => html`Questions from ${advertiser}`,
  question: (number: number) => `Question ${number}`,
  urlHint: 'The address of a page, for example https://example.com/me',
  tickAll: 'Tick all that apply.',

  documents: 'Documents',
  kinds: (most: string) => `PDF, Word (doc or docx), RTF or plain text, ${most} at most.`,
  tooLarge: (most: string) => `The file may have ${most} at most.`,
  resume: 'Resume',
  noResume: 'Send no resume',
  firstUpload: 'Upload a resume',
  anotherUpload: 'Upload another',
  keepResume: 'Keep it in my resumes',
  notKept: (most: number) =>
    `You have ${most} resumes, which is the most, so this one is for this application only.`,
  resumeFile: 'Resume file',
  resumeFacts: (size: string, on: Html) => html`${size}, uploaded on ${on}`,
  infected: 'A virus was found in this file: it cannot be sent.',
  isDefault: 'Default',
  coverLetter: 'Cover letter',
  coverLetterOptional: 'Cover letter (optional)',
  criteria: 'Selection criteria',
  criteriaOptional: 'Answers to selection criteria (optional)',

  goesTo: (advertiser: Html, hasQuestions: boolean) =>
    html`This goes to ${advertiser}: your contact details, ${hasQuestions && 'your answers, '}what you chose to tell about your current or latest job, and the documents you chose. You can look at what you sent under <em>Applications</em>.`,
  send: 'Send application',
  cancel: 'Cancel',

  /** Said by the script; {names} in braces are filled in there. */
  script: {
    count: '{length} of {most} characters',
    sending: 'Sending your application. Please keep this page open.',
    progress: 'How much has been sent',
    sent: '{loaded} of {total} MB',
    allSent: 'All {total} MB are there, and are being checked.',
    stillHere: 'Everything you entered is still here.',
    lost: 'The connection was lost before we had an answer.',
    notTaken: 'We could not take the form.',
    sendAgain: 'Please send it again. However often you do, there will be one application.',
    signedOut: 'You are no longer signed in. {link}, then come back and send it.',
    signInAgain: 'Sign in again in another tab',
  },

  noAd: {
    title: 'There is no such job',
    text: 'The address may be mistyped, or the advertiser has taken the ad away.',
    closedTitle: 'This job takes no more applications',
    closed: (advertiser: Html, ad: Html) =>
      html`${advertiser} has closed <strong>${ad}</strong>, or its closing date has passed.`,
    jobs: 'Look at the open jobs',
    applications: 'Your applications',
  },
}
