import type { EmploymentType, PayPeriod, Vacancy, Workplace } from './ad-details.ts'
import type { AnswerType } from './questionnaire.ts'

/** The choices in an ad and its questions, in the words of the pages. */

export const workplaceNames: Record<Workplace, string> = {
  onSite: 'On site',
  hybrid: 'Hybrid',
  remote: 'Remote',
}

export const employmentTypeNames: Record<EmploymentType, string> = {
  FULL_TIME: 'Full-time',
  PART_TIME: 'Part-time',
  CONTRACTOR: 'Contract',
  TEMPORARY: 'Temporary',
  INTERN: 'Internship',
  VOLUNTEER: 'Volunteer',
  PER_DIEM: 'By the day',
  OTHER: 'Other',
}

export const payPeriodNames: Record<PayPeriod, string> = {
  hour: 'an hour',
  day: 'a day',
  week: 'a week',
  month: 'a month',
  year: 'a year',
}

export const vacancyNames: Record<Vacancy, string> = {
  existing: 'A position to fill now',
  pool: 'Applications are collected for later positions',
}

export const answerTypeNames: Record<AnswerType, string> = {
  MultipleChoiceOneAnswer: 'Choose one answer',
  MultipleChoiceManyAnswers: 'Choose several answers',
  Text: 'Written answer',
  'True/False': 'Yes or no',
  URLQuestion: 'Web address',
  number: 'Number',
  date: 'Date',
  longText: 'Long text',
  file: 'File',
  statement: 'Statement to read',
}
