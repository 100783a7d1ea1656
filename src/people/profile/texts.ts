import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'
import type { ProfilePart } from './completeness.ts'

/** What is missing, and what it would fill in. */
const parts: Record<ProfilePart, { label: string; why: string }> = {
  phone: { label: 'Phone number', why: 'so that a company can call you' },
  location: { label: 'Location', why: 'so that it is seen how near you are' },
  qualification: { label: 'Highest qualification', why: 'which most forms ask for' },
  skills: { label: 'Skills', why: 'which are compared with those that a job needs' },
  workHistory: { label: 'Work history', why: 'the longest part of most forms' },
  salary: { label: 'Salary and work rights', why: 'so that you need not look them up each time' },
  resume: { label: 'Resume', why: 'which goes along without another upload' },
}

/** The words of the profile. */
export const profileTexts = {
  title: 'Your profile',
  lead: 'This is what you can share when you apply somewhere with Dossier. Nobody sees any of it before you allow it, and you choose each time what to leave out.',
  saved: 'Your profile is saved.',
  stale: html`<p><strong>Nothing was saved yet.</strong> Your profile was changed in another window since you opened this page. Below is what you have typed here.</p>
<p>Save it to replace what was saved there, or <a href="/account" target="_blank">look at what is saved now</a> first.</p>`,

  parts,
  completeness: (done: number, most: number): string =>
    `${done} of ${most} parts of your profile are filled in`,
  completenessWhy:
    'When you apply with Dossier on another website, its form is filled in from here. What is missing you would type there yourself, each time:',
  missing: (part: ProfilePart, href: string): Html =>
    html`<a href="${href}">${parts[part].label}</a>, ${parts[part].why}`,
  complete: 'Your profile is complete: a form that you open with Dossier is filled in as far as it goes.',

  save: 'Save profile',
  saveHint: 'Nothing is shared by saving.',
  notGiven: 'Not given',

  about: 'About you',
  email: (email: string): Html =>
    html`E-mail address: <strong>${theirs(email)}</strong> <a href="/account/security">Change it</a>`,
  firstName: 'First name',
  lastName: 'Last name',
  phone: 'Phone number',
  location: 'Location',
  qualification: 'Highest qualification',
  skills: 'Skills',
  skillsHint: (most: number): string => `One on each line, ${most} at most.`,

  work: 'Work history',
  workHint: 'The newest job comes first when it is saved, in whatever order you list them.',
  addJob: 'Add a job',
  addAnotherJob: 'Add another job',
  jobNumber: (number: number): string => `Job ${number}`,
  jobTitle: 'Job title',
  company: 'Company',
  from: 'From',
  fromHint: 'Year and month, such as 2024-03',
  monthForm: 'YYYY-MM',
  to: 'To',
  toHint: 'Empty while you work there',
  isCurrent: 'I still work there',
  industry: 'Industry',
  achievements: 'What you achieved',
  removeJob: 'Remove this job',

  salary: 'Salary and work rights',
  salaryHint: 'For each country in which you are looking for work.',
  addCountry: 'Add a country',
  addAnotherCountry: 'Add another country',
  countryNumber: (number: number): string => `Country ${number}`,
  country: 'Country',
  chooseCountry: 'Choose a country',
  rightToWork: 'Right to work',
  rightToWorkHint: 'Such as: citizen, permanent resident, student visa',
  hasWorkingVisa: 'I am allowed to work there',
  lowestSalary: 'Lowest salary you would take',
  lowestSalaryHint: '0 if you do not want to say',
  salaryType: 'Salary is',
  salaryTypeHint: 'What the amount is paid for',
  removeCountry: 'Remove this country',

  tooLongTitle: 'Your profile is too long',
  tooLong: (kilobytes: number): string =>
    `All texts of a profile together may have about ${kilobytes} kB, and these have more. Nothing was saved.`,
  tooLongHelp:
    'Go back in your browser, where what you typed is still there, and shorten what you achieved in some jobs. The whole story can go into your resume instead.',
  showSaved: 'Show what is saved',
} as const
