import type { OperatorRole } from '../../../model/principal.ts'
import { type Choice, emptyProfile } from '../../../model/profile.ts'
import type { DemoAdvertiser, DemoCandidate, DemoMember } from '../world.ts'
import { demoAdvertisers, demoCandidates, noraId } from '../world.ts'

/**
 * The accounts of the board in Berlin. IDs, credentials and clients are those of the board in Australia, so that the
 * examples of the documentation work with both.
 */

const named = (index: number, name: string, credentialLabel: string): DemoAdvertiser => ({
  ...(demoAdvertisers[index] ?? demoAdvertisers[0]),
  name,
  credentialLabel,
})

export const westhafen = named(0, 'Westhafen Kaffee', 'Demo credential of Westhafen')
export const suedkreuz = named(1, 'Südkreuz Logistik', 'Demo credential of Südkreuz')
export const trockendock = named(2, 'Trockendock Gastronomie', 'Demo credential of Trockendock')

export const milaId = '5be1f0c4-7a92-4d3e-9c68-20f4d7a1b356'
export const jonasId = 'c94a7d12-3e85-4fb0-8d27-61b0e5f9a804'
export const gretaId = '18f6c3a9-b570-4e2d-a1c4-97d03be8526f'
export const emilId = '7d20b8e5-46f1-4c9a-b3e7-f8a15c6d0921'
const okanId = 'e3a95d7c-0b68-4f14-92ad-4c7f1b80e6d5'

const cafes: Choice = { id: 'gastro', description: 'Hotels, restaurants and cafes' }

const account = (
  id: string,
  email: string,
  name: readonly [firstName: string, lastName: string],
  about: string,
): DemoCandidate => ({
  id,
  email,
  firstName: name[0],
  lastName: name[1],
  password: 'demo-password',
  about,
  confirmedAt: '2026-09-01T09:00:00.000+02:00',
  profile: emptyProfile,
})

const nora = demoCandidates.filter(({ id }) => id === noraId)

export const people: [DemoCandidate, ...DemoCandidate[]] = [
  {
    ...account(milaId, 'mila@example.com', ['Mila', 'Brandt'], 'has a profile and a resume'),
    profile: {
      phoneNumber: '030 23125 014',
      currentLocation: { id: 'de-be-nk', description: 'Berlin Neukölln' },
      highestQualification: { id: 'de-ausb', description: 'Vocational training (Ausbildung)' },
      skills: [
        'Espresso and dialling in',
        'Batch brew',
        'Latte art',
        'Barista training',
        'Rosters',
        'Polish (A2)',
      ],
      salaryAndVisaByCountry: {
        DE: {
          description: 'Citizen of the European Union',
          hasWorkingVisa: true,
          minimumSalaryValue: 2900,
          salaryType: 'Monthly',
        },
      },
      workHistory: [
        {
          jobTitle: 'Barista and shift lead',
          companyName: 'Kanalkaffee',
          industry: cafes,
          achievements: 'Lead a team of four; recipe cards brought remakes from eleven a shift to four.',
          from: '2025-04',
          to: null,
        },
        {
          jobTitle: 'Barista',
          companyName: 'Café Brücke',
          industry: cafes,
          achievements: 'Ran the bar of a cafe with 60 seats; ordered within €2,600 a week.',
          from: '2022-03',
          to: '2025-03',
        },
      ],
    },
    resumeAsset: 'mila-brandt-resume.pdf',
    resumeFileName: 'Mila Brandt - Lebenslauf.pdf',
  },
  account(jonasId, 'jonas@example.com', ['Jonas', 'Keller'], 'has an empty account'),
  account(gretaId, 'greta@example.com', ['Greta', 'Lindner'], 'admin of two companies'),
  account(emilId, 'emil@example.com', ['Emil', 'Vogt'], 'recruiter at Westhafen'),
  ...nora,
  account(okanId, 'okan@example.com', ['Okan', 'Yıldız'], 'operator of this board'),
]

export const operators: { candidateId: string; role: OperatorRole }[] = [
  { candidateId: okanId, role: 'operator' },
]

export const members: DemoMember[] = [
  { advertiserId: westhafen.id, candidateId: gretaId, role: 'admin' },
  { advertiserId: westhafen.id, candidateId: emilId, role: 'recruiter' },
  { advertiserId: suedkreuz.id, candidateId: gretaId, role: 'admin' },
]
