import { type DemoApplication, file } from './demo-application.ts'
import { rubyDriver, viktorDriver } from './questionnaires.ts'
import { southernId, tomId } from './world.ts'

/** Dated between those of Harbour, so that both advertisers' IDs have gaps. */
export const southernApplications: DemoApplication[] = [
  // Tom also applied to Harbour: one candidate, two advertisers, neither of whom may see the other's application.
  {
    advertiserId: southernId,
    submittedAt: '2026-10-05T20:08:19.000+10:00',
    jobSeekerId: tomId,
    contact: { email: 'tom@example.com', firstName: 'Tom', lastName: 'Walker', phone: '' },
    jobReference: 'SCL-2201',
    files: [file('coverLetter', 'tom-walker-cover-letter.txt', 'cover letter.txt')],
  },
  {
    advertiserId: southernId,
    submittedAt: '2026-10-16T05:22:40.000+10:00',
    jobSeekerId: '86d1c7e4-39fb-4b60-95ac-e40f7a2d18b3',
    contact: {
      email: 'ruby.castellano@example.com',
      firstName: 'Ruby',
      lastName: 'Castellano',
      phone: '08 5550 1207',
    },
    jobReference: 'SCL-2188',
    files: [file('resume', 'ruby-castellano-resume.pdf', 'Ruby Castellano HR driver.pdf')],
    primaryJobSeekingInfo: {
      jobTitle: 'HR driver',
      companyName: 'Gulf Fresh Distribution',
      timeInRoleMonths: 63,
      isNewToWorkForce: false,
    },
    screen: rubyDriver,
  },
  {
    advertiserId: southernId,
    submittedAt: '2026-10-29T22:47:03.000+10:00',
    jobSeekerId: '2e5b90fa-d7c3-4814-b06d-7c8a1f639ed0',
    contact: {
      email: 'viktor.dimitrov@example.org',
      firstName: 'Viktor',
      lastName: 'Dimitrov',
      phone: '08 7010 4483',
    },
    jobReference: 'SCL-2188',
    files: [file('resume', 'viktor-dimitrov-resume.rtf', 'CV Dimitrov.rtf')],
    primaryJobSeekingInfo: {
      jobTitle: 'Van driver',
      companyName: 'Torrens Parcel Express',
      timeInRoleMonths: 27,
      isNewToWorkForce: false,
    },
    screen: viktorDriver,
  },
  // No job reference and no file.
  {
    advertiserId: southernId,
    submittedAt: '2026-11-11T10:36:28.000+10:00',
    jobSeekerId: 'bc03f8d6-615e-4a97-8c4f-d92b7e10a45f',
    contact: {
      email: 'meiling.koh@example.net',
      firstName: 'Mei Ling',
      lastName: 'Koh',
      phone: '08 7010 5561',
    },
    files: [],
    primaryJobSeekingInfo: {
      jobTitle: 'Fleet scheduler',
      companyName: 'Outer Harbor Freight',
      timeInRoleMonths: 8,
      isNewToWorkForce: false,
    },
  },
]
