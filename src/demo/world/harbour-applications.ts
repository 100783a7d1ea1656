import { type DemoApplication, file } from './demo-application.ts'
import {
  arohaWholesale,
  isabellaWholesale,
  maryHeadBarista,
  misakiHeadBarista,
  priyaHeadBarista,
} from './questionnaires.ts'
import { harbourId, maryId, tomId } from './world.ts'

/** Ordered by date, which is also the order of their IDs. */
export const harbourApplications: DemoApplication[] = [
  // All four kinds of attachment.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-01T09:12:00.000+10:00',
    jobSeekerId: maryId,
    contact: { email: 'mary@example.com', firstName: 'Mary', lastName: 'Nguyen', phone: '0491 570 006' },
    jobReference: 'HCR-7',
    files: [
      file('resume', 'mary-nguyen-resume.pdf', 'Mary Nguyen - Resume.pdf'),
      file('coverLetter', 'mary-nguyen-cover-letter.docx', 'Mary Nguyen - Cover letter.docx'),
      file('selectionCriteria', 'mary-nguyen-selection-criteria.rtf', 'Mary Nguyen - Selection criteria.rtf'),
    ],
    primaryJobSeekingInfo: {
      jobTitle: 'Barista',
      companyName: 'Dock Espresso',
      timeInRoleMonths: 18,
      isNewToWorkForce: false,
    },
    screen: maryHeadBarista,
  },
  // Only a name and an email address.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-02T14:37:21.000+10:00',
    jobSeekerId: tomId,
    contact: { email: 'tom@example.com', firstName: 'Tom', lastName: 'Walker', phone: '' },
    jobReference: 'HCR-8',
    files: [],
  },
  // An apostrophe in the name.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-05T07:58:04.000+10:00',
    jobSeekerId: '3c8f1a72-9e54-4d06-b1c3-58a7e0d29f16',
    contact: {
      email: 'liam.oconnor@example.net',
      firstName: 'Liam',
      lastName: "O'Connor",
      phone: '0491 570 156',
    },
    jobReference: 'HCR-9',
    files: [file('resume', 'liam-oconnor-resume.pdf', "Liam O'Connor resume.pdf")],
    primaryJobSeekingInfo: {
      jobTitle: 'Production brewer',
      companyName: 'Tidewater Brewing Co.',
      timeInRoleMonths: 51,
      isNewToWorkForce: false,
    },
  },
  // A failed questionnaire, delivered like any other application.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-07T21:04:48.000+10:00',
    jobSeekerId: 'b5d7406e-18fa-4b29-a6e1-07c93f52d8b4',
    contact: {
      email: 'priya.raman@example.com',
      firstName: 'Priya',
      lastName: 'Raman',
      phone: '02 5550 0142',
    },
    jobReference: 'HCR-7',
    files: [file('resume', 'priya-raman-resume.docx', 'Priya_Raman_Resume.docx')],
    primaryJobSeekingInfo: {
      jobTitle: 'Waiter and barista',
      companyName: 'The Orchard Room',
      timeInRoleMonths: 15,
      isNewToWorkForce: false,
    },
    screen: priyaHeadBarista,
  },
  // New to the workforce.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-09T12:20:00.000+10:00',
    jobSeekerId: '91e24bc8-7d3f-4a15-8f60-d2b6a95c037e',
    contact: {
      email: 'jack.petersen@example.com',
      firstName: 'Jack',
      lastName: 'Petersen',
      phone: '0491 570 157',
    },
    jobReference: 'HCR-8',
    files: [file('resume', 'jack-petersen-resume.txt', 'resume.txt')],
    primaryJobSeekingInfo: { isNewToWorkForce: true },
  },
  // A name and a file name in Japanese script; a time in role without title and company.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-13T16:45:39.250+10:00',
    jobSeekerId: 'e06a85f3-c2b7-4e91-9a4d-61f8027bd53c',
    contact: {
      email: 'misaki.tanaka@example.com',
      firstName: '美咲',
      lastName: '田中',
      phone: '0491 570 158',
    },
    jobReference: 'HCR-7',
    files: [file('resume', 'tanaka-misaki-resume.pdf', '履歴書_田中美咲.pdf')],
    primaryJobSeekingInfo: { timeInRoleMonths: 17, isNewToWorkForce: false },
    screen: misakiHeadBarista,
  },
  // An infected resume. The asset is harmless; what matters is the verdict, which empties the attachment.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-15T10:31:12.000+10:00',
    jobSeekerId: '4f92d0a7-63be-4c58-b7d4-9a1e8c36f205',
    contact: {
      email: 'chloe.a@example.net',
      firstName: 'Chloe',
      lastName: 'Abernethy',
      phone: '0491 570 159',
    },
    jobReference: 'HCR-9',
    files: [file('resume', 'chloe-abernethy-resume.rtf', 'Chloe Abernethy CV.rtf', 'infected')],
    primaryJobSeekingInfo: {
      jobTitle: 'Packing room assistant',
      companyName: 'Sandbar Granola',
      timeInRoleMonths: 26,
      isNewToWorkForce: false,
    },
  },
  // An unscanned file; a phone number in international format.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-19T08:15:55.000+10:00',
    jobSeekerId: 'd83b6f14-0ac9-4725-8e5b-f47c21a0963d',
    contact: {
      email: 'ahmed.haddad@example.org',
      firstName: 'Ahmed',
      lastName: 'Haddad',
      phone: '+61 491 570 110',
    },
    jobReference: 'HCR-11',
    files: [file('resume', 'ahmed-haddad-resume.docx', 'Ahmed Haddad - Dispatch.docx', 'unscanned')],
    primaryJobSeekingInfo: {
      jobTitle: 'Dispatch team member',
      companyName: 'Blue Wren Pantry Supplies',
      timeInRoleMonths: 49,
      isNewToWorkForce: false,
    },
  },
  // No job reference; a file name with the characters that separate header parameters.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-21T19:49:30.000+10:00',
    jobSeekerId: '62c5e19d-f478-4b03-a2d9-8b0f7e64c1a5',
    contact: {
      email: 'grace.whitfield@example.org',
      firstName: 'Grace',
      lastName: 'Whitfield',
      phone: '02 7010 0316',
    },
    files: [
      file('resume', 'grace-whitfield-resume.pdf', 'Whitfield, Grace; CV (final).pdf'),
      file('coverLetter', 'grace-whitfield-cover-letter.txt', 'letter.txt'),
    ],
    primaryJobSeekingInfo: {
      jobTitle: 'Venue manager',
      companyName: 'Foreshore Kitchen',
      timeInRoleMonths: 38,
      isNewToWorkForce: false,
    },
  },
  // Accents in name and file name; a title and a company, but no time in role.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-23T11:02:17.000+10:00',
    jobSeekerId: 'a917d3c0-5e82-4f4b-9c06-3d5eb1284f79',
    contact: {
      email: 'zoe.brennan@example.net',
      firstName: 'Zoë',
      lastName: 'Brennan',
      phone: '03 5550 0187',
    },
    jobReference: 'HCR-8',
    files: [file('resume', 'zoe-brennan-resume.docx', 'Zoë Brennan – résumé.docx')],
    primaryJobSeekingInfo: {
      jobTitle: 'Pastry cook',
      companyName: 'Maison Fénelon',
      isNewToWorkForce: false,
    },
  },
  // No phone, no files, and only the job title filled in.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-27T15:26:08.000+10:00',
    jobSeekerId: '1d40b8e6-a35f-4c97-8612-e7c9054fa2bd',
    contact: { email: 'samuel.taufa@example.com', firstName: 'Samuel', lastName: 'Taufa', phone: '' },
    jobReference: 'HCR-11',
    files: [],
    primaryJobSeekingInfo: { jobTitle: 'Forklift driver', isNewToWorkForce: false },
  },
  // A questionnaire without files.
  {
    advertiserId: harbourId,
    submittedAt: '2026-10-30T06:40:51.000+10:00',
    jobSeekerId: 'f7625c3b-8d19-4ea0-b54f-20d8e6a97c13',
    contact: {
      email: 'isabella.rossi@example.net',
      firstName: 'Isabella',
      lastName: 'Rossi',
      phone: '02 5550 4471',
    },
    jobReference: 'HCR-12',
    files: [],
    primaryJobSeekingInfo: {
      jobTitle: 'Business development manager',
      companyName: 'Rossi & Daughters Foods',
      timeInRoleMonths: 64,
      isNewToWorkForce: false,
    },
    screen: isabellaWholesale,
  },
  // Selection criteria without a cover letter; no job-seeking information.
  {
    advertiserId: harbourId,
    submittedAt: '2026-11-03T13:13:26.000+10:00',
    jobSeekerId: '58ae07f1-b6c4-4d3d-9f28-c1b09d75e64a',
    contact: {
      email: 'd.kowalczyk@example.net',
      firstName: 'Daniel',
      lastName: 'Kowalczyk',
      phone: '02 7010 2290',
    },
    jobReference: 'HCR-9',
    files: [
      file('resume', 'daniel-kowalczyk-resume.pdf', 'Kowalczyk_Daniel_Resume.pdf'),
      file('selectionCriteria', 'daniel-kowalczyk-selection-criteria.docx', 'Kowalczyk_Daniel_Criteria.docx'),
    ],
  },
  // Mary a second time: the same person, another job, and a month more in her role.
  {
    advertiserId: harbourId,
    submittedAt: '2026-11-06T17:55:43.000+10:00',
    jobSeekerId: maryId,
    contact: { email: 'mary@example.com', firstName: 'Mary', lastName: 'Nguyen', phone: '0491 570 006' },
    jobReference: 'HCR-15',
    files: [
      file('resume', 'mary-nguyen-resume.pdf', 'Mary Nguyen - Resume.pdf'),
      file('coverLetter', 'mary-nguyen-trainer-letter.pdf', 'Mary Nguyen - Wholesale trainer.pdf'),
    ],
    primaryJobSeekingInfo: {
      jobTitle: 'Barista',
      companyName: 'Dock Espresso',
      timeInRoleMonths: 19,
      isNewToWorkForce: false,
    },
  },
  // A failed questionnaire with an unanswered question.
  {
    advertiserId: harbourId,
    submittedAt: '2026-11-10T09:00:00.000+10:00',
    jobSeekerId: 'c2f4a69b-70d8-4153-a8be-5f16e3d0927c',
    contact: {
      email: 'aroha.parata@example.com',
      firstName: 'Aroha',
      lastName: 'Parata',
      phone: '07 5550 6128',
    },
    jobReference: 'HCR-12',
    files: [file('resume', 'aroha-parata-resume.rtf', 'aroha parata resume.rtf')],
    primaryJobSeekingInfo: {
      jobTitle: 'Territory representative',
      companyName: 'Kestrel Foodservice',
      timeInRoleMonths: 41,
      isNewToWorkForce: false,
    },
    screen: arohaWholesale,
  },
  // Cyrillic script in name and file name, and UTF-8 in the file itself.
  {
    advertiserId: harbourId,
    submittedAt: '2026-11-13T18:20:34.500+10:00',
    jobSeekerId: '0b79e5d2-4c16-4fa8-8d37-96ea1b53f08e',
    contact: {
      email: 'olena.shevchenko@example.org',
      firstName: 'Олена',
      lastName: 'Шевченко',
      phone: '02 5550 0933',
    },
    jobReference: 'HCR-16',
    files: [file('resume', 'olena-shevchenko-resume.txt', 'Резюме Олена Шевченко.txt')],
    primaryJobSeekingInfo: {
      jobTitle: 'Accounts assistant',
      companyName: 'Marina Bakehouse Group',
      timeInRoleMonths: 33,
      isNewToWorkForce: false,
    },
  },
]
