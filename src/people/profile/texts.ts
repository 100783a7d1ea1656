import { isolateBidi, stripBidi } from '../../web/bidi.ts'
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
  done: {
    about: 'Saved.',
    skills: 'Skills saved.',
    job: 'Job saved.',
    country: 'Salary and work rights saved.',
    'job-removed': 'Job removed.',
    'country-removed': 'Country removed.',
  },
  skillAdded: 'Skill added.',
  skillRemoved: (skill: string): Html => html`Removed: ${isolateBidi(skill)}`,
  undo: 'Undo',
  gone: 'This entry was changed or removed in another window. This is your profile now.',
  stale: html`<p><strong>Not saved yet.</strong> This was changed in another window since you opened this page. What you typed here is below.</p>
<p>Save to replace the other version, or <a href="/account" target="_blank">look at the saved version</a> first.</p>`,
  staleEntry: html`<p><strong>Not saved yet.</strong> This entry was changed or removed in another window since you opened this page. What you typed here is below.</p>
<p>Save to add it to your profile, or <a href="/account" target="_blank">look at the saved version</a> first.</p>`,

  parts,
  completeness: (done: number, most: number): string => `${done} of ${most} parts of your profile filled in`,
  completenessWhy:
    'When you apply on another website, we fill in its form from here. Anything missing, you’d have to type in each time:',
  missingParts: (count: number): string => (count === 1 ? '1 part is missing' : `${count} parts are missing`),
  missing: (part: ProfilePart, href: string): Html =>
    html`<a href="${href}">${parts[part].label}</a>, ${parts[part].why}`,
  complete: 'Your profile is complete. We’ll fill in everything we can.',

  save: 'Save',
  cancel: 'Cancel',
  saveHint: 'Saving doesn’t share anything.',
  notGiven: 'Not specified',
  add: (what: string): Html => html`Add<span class="for-readers"> ${what}</span>`,
  edit: (what: string): Html => html`Edit<span class="for-readers"> ${what}</span>`,
  change: (what: string): Html => html`Change<span class="for-readers"> ${what}</span>`,
  remove: (what: string): Html => html`Remove<span class="for-readers"> ${what}</span>`,
  yesRemove: (what: string): Html => html`Yes, remove<span class="for-readers"> ${what}</span>`,

  about: 'About you',
  name: 'Name',
  email: 'Email address',
  firstName: 'First name',
  lastName: 'Last name',
  phone: 'Phone number',
  location: 'Location',
  qualification: 'Highest qualification',
  skills: 'Skills',
  skillsHint: (most: number): string => `One per line, up to ${most}.`,
  noSkills: 'Companies compare skills with what the job needs. Add the ones you’d mention in an interview.',
  addSkill: 'Add a skill',
  addThisSkill: 'Add skill',
  removeSkill: (skill: string): string => `Remove ${stripBidi(skill)}`,

  work: 'Work history',
  noWork:
    'It’s the longest part of most forms. Add your jobs here once, in any order; we show the most recent first.',
  addJob: 'Add a job',
  editJob: 'Edit job',
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

  salary: 'Salary and work rights',
  noSalary: 'Most forms ask for both. Add each country where you’re looking for work.',
  addCountry: 'Add a country',
  country: 'Country',
  chooseCountry: 'Choose a country',
  rightToWork: 'Right to work',
  rightToWorkHint: 'For example: citizen, permanent resident, student visa',
  hasRight: 'You have the right to work there',
  hasWorkingVisa: 'I have the right to work there',
  lowestSalary: 'Minimum salary',
  lowestSalaryHint: 'Enter 0 if you’d rather not say',
  salaryType: 'Pay period',
  salaryTypeHint: 'The period this amount covers',

  resume: 'Resume',
  noResume: 'Upload it once, and share it with one click when you apply.',
  addResume: 'Upload a resume',
  resumes: 'Manage resumes',

  tooLongTitle: 'Your profile is too long',
  tooLong: (kilobytes: number): string =>
    `A profile can hold about ${kilobytes} kB of text, and this one is longer. Nothing was saved.`,
  tooLongHelp:
    'Go back in your browser: what you typed is still there. Shorten some of your achievements, and put the full story in your resume instead.',
  showSaved: 'Show saved profile',
} as const
