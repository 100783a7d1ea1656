import { createHash } from 'node:crypto'
import type { ApplicationDraft, ApplicationFile, QuestionnaireResult } from '../src/model/application.ts'

/** Applications that look like those of a job board, the same ones in every run. */

// Nearly every page of a hundred has a name beyond Latin-1, and such pages cost more to turn into text.
const firstNames =
  'Olivia Noah Amelia Jack Isla William Mia Henry Grace Leo Priya Ahmed Yuki Chloé Søren 美咲'
const lastNames = "Nguyễn Smith Walker Singh O'Brien Kowalczyk Tanaka Haddad Fernández Taylor Chen Ivanova"
const jobTitles = 'Head Barista,Night Shift Supervisor,Registered Nurse,Forklift Driver,Accounts Officer'
const companies = 'Harbour Coffee Roasters,Blue Gum & Sons,Southern Cross Logistics,City Hospital'
const names = { first: firstNames.split(' '), last: lastNames.split(' ') }
const work = { titles: jobTitles.split(','), companies: companies.split(',') }

const fileKinds = [
  ['resume', 'resume.pdf', 'application/pdf'],
  [
    'coverLetter',
    'cover letter.docx',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ],
  ['selectionCriteria', 'selection criteria.rtf', 'application/rtf'],
] as const

const pick = <T>(values: readonly T[], number: number): T => values[number % values.length] as T

/** Four in five have all three files and a screen, the others a resume and perhaps a letter. */
export function believableDraft(serial: number, uploadedAt: number): ApplicationDraft {
  const firstName = pick(names.first, serial * 7)
  const lastName = pick(names.last, serial * 11 + 3)
  const hash = createHash('sha256').update(String(serial)).digest('hex')
  const isFull = serial % 5 !== 4
  const fileCount = isFull ? 3 : 1 + (serial % 2)
  const files = fileKinds.slice(0, fileCount).map(
    ([type, fileName, contentType], index): ApplicationFile => ({
      type,
      fileName: `${firstName} ${lastName} ${fileName}`,
      contentType,
      blob: `20260101/00/${serial}-${index}`,
      // Reversed: as different as real hashes, without the time to compute three.
      sha256: hash.slice(index * 16) + hash.slice(0, index * 16),
      size: 20_000 + ((serial * 7919 + index * 104_729) % 900_000),
      scan: 'clean',
      uploadedAt,
    }),
  )
  return {
    jobSeekerId: `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-9${hash.slice(17, 20)}-${hash.slice(20, 32)}`,
    contact: {
      email: `${lastName}.${serial}@example.com`.toLowerCase().replace(/[^a-z0-9.@]/g, ''),
      firstName,
      lastName,
      phone: serial % 9 === 0 ? '' : `04${String(10_000_000 + ((serial * 6151) % 89_999_999))}`,
    },
    ...(serial % 10 === 0 ? {} : { jobReference: `REF-2026-${String(serial % 400).padStart(4, '0')}` }),
    files,
    primaryJobSeekingInfo: {
      jobTitle: pick(work.titles, serial),
      companyName: pick(work.companies, serial * 3),
      timeInRoleMonths: serial % 120,
      isNewToWorkForce: false,
    },
    ...(isFull ? { screen: pick(screens, serial) } : {}),
  }
}

const screens: QuestionnaireResult[] = [true, false].map((successful, index) => ({
  id: String(7001 + index),
  name: 'Warehouse and drivers',
  successful,
  questions: [
    {
      id: '1',
      type: 'MultipleChoiceOneAnswer',
      text: 'Which of these describes your right to work in Australia?',
      answers: [
        { id: '1', text: "I'm an Australian citizen", selected: successful },
        { id: '2', text: "I'm a permanent resident and/or NZ citizen", selected: false },
        { id: '3', text: 'I require sponsorship to work for a new employer', selected: !successful },
      ],
    },
    {
      id: '2',
      type: 'MultipleChoiceManyAnswers',
      text: 'Which licences do you hold & drive with?',
      answers: [
        { id: '1', text: 'Car (C)', selected: true },
        { id: '2', text: 'Heavy rigid (HR)', selected: successful },
        { id: '3', text: 'Forklift (LF)', selected: true },
      ],
    },
    {
      id: '3',
      type: 'Text',
      text: 'What would your last employer say about you?',
      answers: [{ id: '1', text: 'That I come on time and leave the place tidy.', selected: true }],
    },
  ],
}))
