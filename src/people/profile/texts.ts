import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'
import type { ProfilePart } from './completeness.ts'

/** Parts that may be missing from a profile, and why each is worth adding. */
const parts: Record<ProfilePart, { label: string; why: string }> = {
  phone: { label: 'Phone number', why: 'so companies can call you' },
  location: { label: 'Location', why: 'so companies can see how close you are' },
  qualification: { label: 'Highest qualification', why: 'which most forms ask for' },
  skills: { label: 'Skills', why: 'which companies compare with what the job needs' },
  workHistory: { label: 'Work history', why: 'the longest part of most forms' },
  salary: { label: 'Salary and work rights', why: 'so you don’t have to look them up each time' },
  resume: { label: 'Resume', why: 'so you don’t have to upload it again' },
}

/** Texts of the profile page. */
export const profileTexts = {
  title: 'Your profile',
  lead: 'This is what you can share when you apply. No one sees it until you say so, and you choose what to leave out each time.',
  saved: 'Profile saved.',
  stale: html`<p><strong>Not saved yet.</strong> Your profile was changed in another window since you opened this page. What you typed here is below.</p>
<p>Save to replace the other version, or <a href="/account" target="_blank">look at the saved version</a> first.</p>`,

  parts,
  completeness: (done: number, most: number): string => `${done} of ${most} parts of your profile filled in`,
  completenessWhy:
    'When you apply on another website, we fill in its form from here. Anything missing, you’d have to type in each time:',
  missing: (part: ProfilePart, href: string): Html =>
    html`<a href="${href}">${parts[part].label}</a>, ${parts[part].why}`,
  complete: 'Your profile is complete. We’ll fill in everything we can.',

  save: 'Save profile',
  saveHint: 'Saving doesn’t share anything.',
  notGiven: 'Not specified',

  about: 'About you',
  email: (email: string): Html =>
    html`Email address: <strong>${isolateBidi(email)}</strong> <a href="/account/security">Change it</a>`,
  firstName: 'First name',
  lastName: 'Last name',
  phone: 'Phone number',
  location: 'Location',
  qualification: 'Highest qualification',
  skills: 'Skills',
  skillsHint: (most: number): string => `One per line, up to ${most}.`,

  work: 'Work history',
  workHint: 'List your jobs in any order. We put the most recent first when you save.',
  addJob: 'Add a job',
  addAnotherJob: 'Add another job',
  jobNumber: (number: number): string => `Job ${number}`,
  jobTitle: 'Job title',
  company: 'Company',
  from: 'From',
  fromHint: 'Year and month, such as 2024-03',
  monthForm: 'YYYY-MM',
  to: 'To',
  toHint: 'Leave empty if you still work there',
  isCurrent: 'I still work there',
  industry: 'Industry',
  achievements: 'What you achieved',
  removeJob: 'Remove this job',

  salary: 'Salary and work rights',
  salaryHint: 'Add each country where you’re looking for work.',
  addCountry: 'Add a country',
  addAnotherCountry: 'Add another country',
  countryNumber: (number: number): string => `Country ${number}`,
  country: 'Country',
  chooseCountry: 'Choose a country',
  rightToWork: 'Right to work',
  rightToWorkHint: 'For example: citizen, permanent resident, student visa',
  hasWorkingVisa: 'I have the right to work there',
  lowestSalary: 'Minimum salary',
  lowestSalaryHint: 'Enter 0 if you’d rather not say',
  salaryType: 'Pay period',
  salaryTypeHint: 'The period this amount covers',
  removeCountry: 'Remove this country',

  tooLongTitle: 'Your profile is too long',
  tooLong: (kilobytes: number): string =>
    `A profile can hold about ${kilobytes} kB of text, and this one is longer. Nothing was saved.`,
  tooLongHelp:
    'Go back in your browser: what you typed is still there. Shorten some of your achievements, and put the full story in your resume instead.',
  showSaved: 'Show saved profile',
} as const
