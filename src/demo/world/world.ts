import type { OperatorRole, Role } from '../../model/principal.ts'
import { type Choice, emptyProfile, type Profile } from '../../model/profile.ts'

/**
 * The accounts of the demo world. Every value is fixed and published in the quick start, so that commands copied
 * from there work. Because the secrets are public, the service loads none of this outside demo mode.
 */

export interface DemoAdvertiser {
  id: number
  name: string
  status: 'active' | 'hold'
  credential: string
  credentialLabel: string
}

export interface DemoAgent {
  id: number
  name: string
  /** The people who run it; all are admins. */
  people: string[]
  /** The advertisers that authorise this agent. */
  authorisedBy: number[]
}

export interface DemoClient {
  id: string
  secret: string
  name: string
  agentId: number | null
  scopes: string[]
  /** The advertisers it may send applications to. */
  advertiserIds: number[]
  /** Fixed redirect URIs. Each node adds its own when it knows its address. */
  redirectUris: string[]
}

export interface DemoCandidate {
  id: string
  email: string
  firstName: string
  lastName: string
  password: string
  /** Text beside the account on the front page. */
  about: string
  confirmedAt: string
  profile: Profile
  /** Name in src/demo/world/files. */
  resumeAsset?: string
  resumeFileName?: string
}

/** The members of each advertiser. */
export interface DemoMember {
  advertiserId: number
  candidateId: string
  role: Role
}

export const harbourId = 10000001
export const southernId = 10000002
export const dryDockId = 10000003

export const maryId = '0f5c2d9e-6b41-4c8a-9d17-3e2a5b80c641'
export const tomId = '7a1e93b4-25d0-4f6c-8b3a-c94d1f07e582'
export const raeId = '3c9b7e15-84f2-4d0b-a6c5-71e8d2f943ab'
export const rexId = 'b28d4f60-9e37-4a1c-8f52-05c6e7a1d93e'
export const noraId = 'b28d4f60-9e37-4a1c-8f52-05c6e7a1d93f'
export const omarId = 'b28d4f60-9e37-4a1c-8f52-05c6e7a1d940'

export const demoAdvertisers: [DemoAdvertiser, ...DemoAdvertiser[]] = [
  {
    id: harbourId,
    name: 'Harbour Coffee Roasters',
    status: 'active',
    credential: 'sws_demo_harbour',
    credentialLabel: 'Demo credential of Harbour',
  },
  {
    id: southernId,
    name: 'Southern Cross Logistics',
    status: 'active',
    credential: 'sws_demo_southern',
    credentialLabel: 'Demo credential of Southern Cross',
  },
  {
    id: dryDockId,
    name: 'Dry Dock Hospitality',
    status: 'hold',
    credential: 'sws_demo_drydock',
    credentialLabel: 'Demo credential of Dry Dock',
  },
]

// Authorised only by Harbour, so that the refusal for another advertiser can be tried.
export const demoAgents: [DemoAgent] = [
  { id: 20000001, name: 'Northwind ATS', people: [noraId], authorisedBy: [harbourId] },
]

/** Fixed, so that the examples of the reference work. */
export const demoWebhookId = '5d0c6f0a-3b6e-4c8e-9a51-7e2f4b1d8c90'

export const demoClients: [DemoClient, DemoClient] = [
  {
    id: 'demo-ats',
    secret: 'demo-ats-secret',
    name: 'Northwind ATS',
    agentId: 20000001,
    scopes: ['r_profile_apply', 'r_applications', 'w_progress', 'm_webhooks'],
    advertiserIds: [],
    redirectUris: ['http://127.0.0.1:9090/callback'],
  },
  // A job board with its own pages. It may not send to Dry Dock, so that this refusal can be tried.
  {
    id: 'demo-board',
    secret: 'demo-board-secret',
    name: 'Pelican Jobs',
    agentId: null,
    scopes: ['w_applications'],
    advertiserIds: [harbourId, southernId],
    redirectUris: [],
  },
]

const hospitality: Choice = { id: '12', description: 'Hospitality and Tourism' }

export const demoCandidates: [DemoCandidate, ...DemoCandidate[]] = [
  {
    id: maryId,
    email: 'mary@example.com',
    firstName: 'Mary',
    lastName: 'Nguyen',
    password: 'demo-password',
    about: 'has a profile and a resume',
    confirmedAt: '2026-09-21T18:42:10.000+10:00',
    profile: {
      phoneNumber: '0491 570 006',
      currentLocation: { id: '1017', description: 'Newcastle, Maitland and Hunter NSW' },
      highestQualification: { id: '3', description: 'Certificate III' },
      skills: [
        'Espresso and dialling in',
        'Batch brew and pour over',
        'Latte art',
        'Barista training',
        'Rostering',
        'Ordering and stocktake',
        'Food safety supervision',
      ],
      salaryAndVisaByCountry: {
        AU: {
          description: 'Australian citizen',
          hasWorkingVisa: true,
          minimumSalaryValue: 68000,
          salaryType: 'Annual',
        },
      },
      workHistory: [
        {
          jobTitle: 'Barista, morning shift lead',
          companyName: 'Dock Espresso',
          industry: hospitality,
          achievements:
            'Lead a team of four; recipe cards brought remakes from about eleven a shift to four.',
          from: '2025-04',
          to: null,
        },
        {
          jobTitle: 'Barista',
          companyName: 'Little Quay Cafe',
          industry: hospitality,
          achievements: 'Ran the bar of a 60-seat waterfront cafe; weekly orders within a $4,200 budget.',
          from: '2022-02',
          to: '2025-03',
        },
        {
          jobTitle: 'Bakery and counter assistant',
          companyName: 'Saltbush Bakery',
          industry: null,
          achievements: 'Opened the shop four mornings a week.',
          from: '2020-11',
          to: '2022-01',
        },
      ],
    },
    resumeAsset: 'mary-nguyen-resume.pdf',
    resumeFileName: 'Mary Nguyen - Resume.pdf',
  },
  {
    // Only a name and an email address, to show a prefill of an empty profile.
    id: tomId,
    email: 'tom@example.com',
    firstName: 'Tom',
    lastName: 'Walker',
    password: 'demo-password',
    about: 'has an empty account',
    confirmedAt: '2026-09-28T07:15:33.000+10:00',
    profile: emptyProfile,
  },
  // Members have an ordinary account and a role at an advertiser.
  {
    id: raeId,
    email: 'rae@example.com',
    firstName: 'Rae',
    lastName: 'Lindqvist',
    password: 'demo-password',
    about: 'admin of two companies',
    confirmedAt: '2026-09-02T08:30:00.000+10:00',
    profile: emptyProfile,
  },
  {
    id: rexId,
    email: 'rex@example.com',
    firstName: 'Rex',
    lastName: 'Okafor',
    password: 'demo-password',
    about: 'recruiter at Harbour',
    confirmedAt: '2026-09-03T11:05:00.000+10:00',
    profile: emptyProfile,
  },
  {
    id: noraId,
    email: 'nora@example.com',
    firstName: 'Nora',
    lastName: 'Lindgren',
    password: 'demo-password',
    about: 'runs Northwind ATS, an agent',
    confirmedAt: '2026-09-04T09:15:00.000+10:00',
    profile: emptyProfile,
  },
  {
    id: omarId,
    email: 'omar@example.com',
    firstName: 'Omar',
    lastName: 'Haddad',
    password: 'demo-password',
    about: 'operator of this board',
    confirmedAt: '2026-09-01T07:00:00.000+10:00',
    profile: emptyProfile,
  },
]

/** The people who run the board. */
export const demoOperators: { candidateId: string; role: OperatorRole }[] = [
  { candidateId: omarId, role: 'operator' },
]

// Rae belongs to two advertisers, so that switching between them can be tried.
export const demoMembers: DemoMember[] = [
  { advertiserId: harbourId, candidateId: raeId, role: 'admin' },
  { advertiserId: harbourId, candidateId: rexId, role: 'recruiter' },
  { advertiserId: southernId, candidateId: raeId, role: 'admin' },
]
