import { type DemoApplication, file } from '../demo-application.ts'
import { type DemoStep, step } from '../progress.ts'
import { leasAnswers, milasAnswers, paulsAnswers } from './jobs.ts'
import { emilId, gretaId, jonasId, milaId, suedkreuz, westhafen } from './people.ts'

/** Ordered by date, which is also the order of their IDs. */
export const applications: DemoApplication[] = [
  {
    advertiserId: westhafen.id,
    submittedAt: '2026-10-05T08:12:00.000+02:00',
    jobSeekerId: milaId,
    contact: { email: 'mila@example.com', firstName: 'Mila', lastName: 'Brandt', phone: '030 23125 014' },
    jobReference: 'WHK-7',
    files: [file('resume', 'mila-brandt-resume.pdf', 'Mila Brandt - Lebenslauf.pdf')],
    primaryJobSeekingInfo: {
      jobTitle: 'Barista and shift lead',
      companyName: 'Kanalkaffee',
      timeInRoleMonths: 18,
      isNewToWorkForce: false,
    },
    screen: milasAnswers,
  },
  {
    advertiserId: westhafen.id,
    submittedAt: '2026-10-09T21:40:00.000+02:00',
    jobSeekerId: 'a4c07e93-58d1-4b6f-9e20-d35b81f7c64a',
    contact: {
      email: 'aylin.demir@example.net',
      firstName: 'Aylin',
      lastName: 'Demir',
      phone: '030 23125 033',
    },
    jobReference: 'WHK-9',
    files: [
      file('resume', 'aylin-demir-resume.txt', 'Lebenslauf.txt'),
      file('coverLetter', 'aylin-demir-cover-letter.txt', 'Anschreiben.txt'),
    ],
    primaryJobSeekingInfo: {
      jobTitle: 'Production roaster',
      companyName: 'Rösthof Panke',
      timeInRoleMonths: 40,
      isNewToWorkForce: false,
    },
  },
  // A failed questionnaire and no file.
  {
    advertiserId: westhafen.id,
    submittedAt: '2026-10-17T14:03:00.000+02:00',
    jobSeekerId: '61e8b2d5-f304-4a97-bc1d-0e97a5c28f43',
    contact: { email: 'lea.hoffmann@example.com', firstName: 'Lea', lastName: 'Hoffmann', phone: '' },
    jobReference: 'WHK-7',
    files: [],
    primaryJobSeekingInfo: { isNewToWorkForce: true },
    screen: leasAnswers,
  },
  {
    advertiserId: suedkreuz.id,
    submittedAt: '2026-10-23T05:22:00.000+02:00',
    jobSeekerId: 'd70f4ab8-962c-4e15-83ba-5c1e9f20d678',
    contact: {
      email: 'paul.reuter@example.org',
      firstName: 'Paul',
      lastName: 'Reuter',
      phone: '030 23125 027',
    },
    jobReference: 'SKL-2188',
    files: [file('resume', 'paul-reuter-resume.pdf', 'Bewerbung Reuter.pdf')],
    screen: paulsAnswers,
  },
  // After the change of the clock.
  {
    advertiserId: westhafen.id,
    submittedAt: '2026-10-26T09:30:00.000+01:00',
    jobSeekerId: '2f95c61a-d8b7-4c03-ae54-b6f03d817e9c',
    contact: {
      email: 'lukasz.nowak@example.com',
      firstName: 'Łukasz',
      lastName: 'Nowak',
      phone: '0171 3920017',
    },
    jobReference: 'WHK-12',
    files: [file('resume', 'lukasz-nowak-resume.txt', 'CV Łukasz Nowak.txt')],
    primaryJobSeekingInfo: {
      jobTitle: 'Trainer for coffee machines',
      companyName: 'Kawa i Spółka',
      timeInRoleMonths: 52,
      isNewToWorkForce: false,
    },
  },
  {
    advertiserId: suedkreuz.id,
    submittedAt: '2026-11-09T18:15:00.000+01:00',
    jobSeekerId: jonasId,
    contact: { email: 'jonas@example.com', firstName: 'Jonas', lastName: 'Keller', phone: '' },
    jobReference: 'SKL-2201',
    files: [],
  },
]

export const steps: readonly DemoStep[] = [
  step('mila', '2026-10-05T10:10:00+02:00', emilId),
  step('mila', '2026-10-06T09:20:00+02:00', gretaId, {
    to: 'shortlisted',
    note: 'Trial shift on Thursday at 07:00.',
  }),
  step('aylin.demir', '2026-10-12T08:45:00+02:00', emilId),
  step('lea.hoffmann', '2026-10-19T11:00:00+02:00', emilId, {
    to: 'not-suitable',
    note: 'Too little time on the machine. Ask again next year.',
  }),
]
