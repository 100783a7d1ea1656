import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { demoCandidates } from '../src/demo/world/world.ts'
import { jobSearchText } from '../src/jobs/job-search.ts'
import { allCategories } from '../src/model/categories.ts'
import type { Role } from '../src/model/principal.ts'
import type { Question } from '../src/model/questionnaire.ts'
import { aestDayOf } from '../src/platform/core/time/ms-date.ts'
import type { Schema } from '../src/platform/database/tables.ts'
import { scope } from './authorization-server.ts'
import type { RowWriter } from './row-writer.ts'

/** What pages show beside the applications, in the numbers of a long-time user. */

export const dayMs = 86_400_000
const stepMs = 7_200_000
const numbers = { ads: 300, screens: 30, disclosures: 300, prefills: 100, grants: 20, callDays: 60 }
const titles = 'Barista,Night Shift Supervisor,Registered Nurse,Forklift Driver,Accounts Officer'.split(',')
const places = 'Newcastle NSW,Sydney NSW,Melbourne VIC,Fremantle WA,Hobart TAS'.split(',')

const pick = <T>(values: readonly T[], number: number): T => values[number % values.length] as T
export const serials = (count: number) => Array.from({ length: count }, (_, index) => index)
/** The newest first, none at the same time. */
const timeOf = (now: number, serial: number) => now - serial * stepMs

export interface Person {
  id: string
  email: string
  passwordHash: string
}

export function addPeople(writer: RowWriter, people: readonly Person[], now: number): Promise<void> {
  const [model] = demoCandidates
  return writer.insert(
    'candidates',
    people.map(
      ({ id, email, passwordHash }): Insertable<Schema['candidates']> => ({
        id,
        email,
        email_confirmed_at: now,
        password_hash: passwordHash,
        first_name: model.firstName,
        last_name: model.lastName,
        profile: JSON.stringify(model.profile),
        created_at: now,
      }),
    ),
  )
}

export function addMemberships(
  writer: RowWriter,
  members: readonly { advertiserId: number; candidateId: string; role: Role }[],
  now: number,
): Promise<void> {
  return writer.insert(
    'memberships',
    members.map(
      ({ advertiserId, candidateId, role }): Insertable<Schema['memberships']> => ({
        advertiser_id: advertiserId,
        candidate_id: candidateId,
        role,
        created_at: now,
      }),
    ),
  )
}

/** Links as in emails; the first invitation is this person's own. */
export async function addLinks(
  writer: RowWriter,
  { id, email, passwordHash }: Person,
  advertiserId: number,
  now: number,
): Promise<void> {
  const link = (purpose: 'confirm' | 'reset'): Schema['account_links'] => ({
    hash: randomUUID(),
    purpose,
    candidate_id: id,
    email,
    expires_at: now + dayMs,
    password_hash: purpose === 'confirm' ? passwordHash : null,
    first_name: purpose === 'confirm' ? 'Pat' : null,
    last_name: purpose === 'confirm' ? 'Page' : null,
    continue_to: null,
    browser_mark: null,
  })
  await writer.insert('account_links', [link('confirm'), link('reset')])
  await writer.insert(
    'invitations',
    [email, 'ann@example.org', 'ben@example.org', 'cleo@example.org'].map(
      (invited): Schema['invitations'] => ({
        hash: randomUUID(),
        former_hash: null,
        id: randomUUID(),
        advertiser_id: advertiserId,
        email: invited,
        role: 'recruiter',
        created_at: now,
        expires_at: now + dayMs,
      }),
    ),
  )
}

const questions: Question[] = [
  {
    id: '1',
    type: 'MultipleChoiceOneAnswer',
    text: 'Which of these describes your right to work in Australia?',
    isRequired: true,
    options: [
      { id: '1', text: "I'm an Australian citizen", passes: true },
      { id: '2', text: "I'm a permanent resident and/or NZ citizen", passes: true },
      { id: '3', text: 'I require sponsorship to work for a new employer', passes: false },
    ],
    passingTexts: [],
  },
  {
    id: '2',
    type: 'Text',
    text: 'What would your last employer say about you?',
    isRequired: false,
    options: [],
    passingTexts: [],
  },
]

/** IDs below those that the service assigns: applications of the fill are for the first fifty ads. */
export async function addPostings(
  writer: RowWriter,
  { owner, other }: { owner: number; other: number },
  now: number,
): Promise<{ jobAdId: number; screenId: number; middleAd: number }> {
  const times = { created_at: now, updated_at: now }
  await writer.insert(
    'screens',
    serials(numbers.screens).map((serial): Schema['screens'] => ({
      advertiser_id: owner,
      id: serial + 1,
      name: `Questions ${serial + 1}`,
      questions: JSON.stringify(questions),
      status: 'open',
      ...times,
    })),
  )
  const adOf = (advertiserId: number, id: number): Insertable<Schema['job_ads']> => {
    const ad = { title: `${pick(titles, id)} ${id}`, location: pick(places, id * 3) }
    return {
      advertiser_id: advertiserId,
      id,
      ...ad,
      description: 'We are looking for a person who comes on time and leaves the place tidy.\n\n'.repeat(12),
      reference: `REF-2026-${String(id).padStart(4, '0')}`,
      screen_id: advertiserId === owner ? 1 + (id % numbers.screens) : null,
      closing_date: null,
      status: 'open',
      ...times,
      search_text: jobSearchText(ad, 'Large Advertiser'),
    }
  }
  await writer.insert('job_ads', [
    ...serials(numbers.ads).map(serial => adOf(owner, serial + 1)),
    ...serials(numbers.ads).map(serial => adOf(other, numbers.ads + serial + 1)),
  ])
  return { jobAdId: 1, screenId: 2, middleAd: numbers.ads }
}

/** The candidate's own applications; returns the position half-way through the list. */
export async function addOwnApplications(
  writer: RowWriter,
  candidateId: string,
  { advertiserId, ids }: { advertiserId: number; ids: readonly number[] },
  now: number,
): Promise<{ middle: string }> {
  const rows = ids.map((id, serial): Schema['own_applications'] => ({
    candidate_id: candidateId,
    form_key: randomUUID(),
    advertiser_id: advertiserId,
    application_id: id,
    job_ad_id: 1 + (id % 50),
    job_title: pick(titles, id),
    job_location: pick(places, id),
    advertiser_name: 'Large Advertiser',
    submitted_at: timeOf(now, serial),
  }))
  await writer.insert('own_applications', rows)
  const middle = rows[rows.length >> 1] as Schema['own_applications']
  return { middle: `${middle.submitted_at}.${middle.application_id}` }
}

/** Consents, the applications prefilled through them, and every disclosure. */
export async function addSharing(
  writer: RowWriter,
  candidateId: string,
  { clientId, advertiserId }: { clientId: string; advertiserId: number },
  now: number,
): Promise<{ middle: string }> {
  const owner = { candidate_id: candidateId, client_id: clientId, advertiser_id: advertiserId }
  const grants = serials(numbers.grants).map((serial): Schema['grants'] => ({
    id: randomUUID(),
    ...owner,
    scope,
    released: allCategories,
    filled: allCategories,
    created_at: timeOf(now, serial),
    decided_at: timeOf(now, serial),
    // A new consent of the same kind replaces the previous one.
    withdrawn_at: serial === 0 ? null : now,
    resume_id: null,
  }))
  await writer.insert('grants', grants)
  const grantOf = (serial: number) => ({ grant_id: pick(grants, serial).id })
  const disclosures = serials(numbers.disclosures).map((serial): Schema['disclosures'] => ({
    id: randomUUID(),
    ...owner,
    ...grantOf(serial),
    kind: serial % 2 === 0 ? 'prefill' : 'resume',
    categories: allCategories,
    disclosed_at: timeOf(now, serial),
  }))
  await writer.insert('disclosures', disclosures)
  await writer.insert(
    'prefilled_applications',
    serials(numbers.prefills).map((serial): Schema['prefilled_applications'] => ({
      id: randomUUID(),
      retry_key: randomUUID(),
      ...owner,
      ...grantOf(serial),
      form_url: 'https://ats.example.com/form',
      position_title: pick(titles, serial),
      position_uri: null,
      position_reference: null,
      country_code: 'AU',
      postal_code: '2300',
      created_at: timeOf(now, serial),
      updated_at: timeOf(now, serial),
      completed_at: serial % 2 === 0 ? timeOf(now, serial) : null,
    })),
  )
  const middle = disclosures[disclosures.length >> 1] as Schema['disclosures']
  return { middle: `${middle.disclosed_at}.${middle.id}` }
}

export function addCallDays(writer: RowWriter, advertiserId: number, now: number): Promise<void> {
  return writer.insert(
    'api_call_days',
    serials(numbers.callDays).map((serial): Schema['api_call_days'] => ({
      advertiser_id: advertiserId,
      // Not today, which already has the calls of earlier measurements.
      day: aestDayOf(now - (serial + 1) * dayMs),
      calls: 1_000 + serial,
    })),
  )
}
