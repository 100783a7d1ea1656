import { sql, type Transaction } from 'kysely'
import { harbourId, maryId } from '../../src/demo/world/world.ts'
import { jobSearchText } from '../../src/jobs/job-search.ts'
import { detailsOf } from '../../src/model/ad-details.ts'
import type { Profile } from '../../src/model/profile.ts'
import { isTyped, type Question } from '../../src/model/questionnaire.ts'
import { renderScreen } from '../../src/model/v1/screen-rendering.ts'
import { screenIn } from '../../src/model/v1/stored-screen.ts'
import { newUuid } from '../../src/platform/core/ids.ts'
import { hashSecret } from '../../src/platform/core/secrets.ts'
import type { Schema } from '../../src/platform/database/tables.ts'
import { renderAgain } from '../../src/schema/writing/render-again.ts'
import { searchTerms } from '../../src/schema/writing/search-terms.ts'
import { uploaded } from '../harness/applications.ts'
import { joinAgent, joinBoard } from '../harness/memberships.ts'
import { addPerson, personSecretHash } from '../harness/person.ts'
import type { Services } from '../harness/services.ts'
import { storesOver } from '../store/stores.ts'
import { hostileEmail, hostileFileName, hostileText, hostileUrl, hostileWord } from './hostile-text.ts'
import { type FreeText, type FreeTextName, freeTexts } from './text-columns.ts'

export interface HostileWorld {
  /** Every inserted text, by its mark. */
  values: Map<string, { column: FreeTextName; texts: Set<string> }>
  /** A candidate with one of everything, who is also an admin of Harbour. The password is the demo's. */
  person: {
    candidateId: string
    email: string
    resumeId: string
    applicationId: number
    endpointId: string
    /** An agent's endpoint. */
    webhookId: string
  }
  invitationToken: string
}

/** As long as every other, and not part of another. */
const markOf = (column: FreeTextName) =>
  `zq${String(Object.keys(freeTexts).indexOf(column) + 10).padStart(3, '0')}zq`

/** The demo world, with a person who has one of everything, and with hostile text wherever text can be. */
export async function makeHostile(services: Services): Promise<HostileWorld> {
  const values: HostileWorld['values'] = new Map()
  const serials = new Map<FreeTextName, number>()

  /** Every third value of a column is of the other kind. */
  function next(column: FreeTextName, ending = '.txt'): string {
    const { max, form, isLong }: FreeText = freeTexts[column]
    const mark = markOf(column)
    const serial = serials.get(column) ?? 0
    serials.set(column, serial + 1)
    const text =
      form === 'email'
        ? hostileEmail(mark, serial)
        : form === 'url'
          ? hostileUrl(mark)
          : form === 'file'
            ? hostileFileName(mark, max, ending)
            : serial % 3 === 2
              ? hostileWord(mark, max)
              : isLong === true
                ? `${hostileText(mark, max)}\n\n${mark} https://evil.example/"><script>alert(3)</script>`
                : hostileText(mark, max)
    const known = values.get(mark) ?? { column, texts: new Set() }
    for (const paragraph of text.split('\n\n')) known.texts.add(paragraph)
    values.set(mark, known)
    return text
  }

  const person = await addEverything(services)
  await services.database.writer.transaction().execute(async trx => {
    for (const column of Object.keys(freeTexts) as FreeTextName[]) {
      // Deeper values are in a document.
      if (column.split('.').length === 2) await replaceColumn(trx, column, next)
    }
    await replaceDocuments(trx, next)
    await makeAgain(trx)
    // Emails that shorten these texts have tests of their own: see src/people/mail/email-messages.test.ts.
    await trx.deleteFrom('deliveries').execute()
  })
  const { email } = await services.database.writer
    .selectFrom('candidates')
    .select('email')
    .where('id', '=', person.candidateId)
    .executeTakeFirstOrThrow()
  return { values, person: { ...person, email }, invitationToken: person.invitationToken }
}

/** The parameters of the emailed link of this purpose. */
export const linkToken = (purpose: 'confirm' | 'reset' | 'undo') => `link-to-${purpose}`

type Next = (column: FreeTextName, ending?: string) => string

/** What the demo does not have: a consent, disclosures, an invitation, an email. */
async function addEverything(services: Services) {
  const { writer } = services.database
  const at = services.clock()
  const stores = storesOver(services.database)
  const clientId = 'demo-ats'
  const report = { advertiserId: harbourId, reason: 'other', details: 'Odd.', email: null } as const
  for (const jobAdId of [31, 33]) await stores.reports.add({ ...report, id: newUuid(), jobAdId }, at)
  await stores.reports.hold(33, 'It is misleading.', at)
  await stores.privacyNotices.add(harbourId, { url: null, content: 'How we use your data.' }, at)
  await stores.clients.addSecret(clientId, personSecretHash, 1, at)
  const person = await addPerson(services, stores, { name: 'eve', advertiserId: harbourId, clientId })
  const { candidateId, applicationId } = person
  const resumeId = newUuid()
  const text = await uploaded(services, { type: 'resume', fileName: 'cv.txt' }, '<script>alert(5)</script>')
  await stores.candidates.addResume(candidateId, { ...text, id: resumeId }, 9)
  const { password_hash, profile } = await writer
    .selectFrom('candidates')
    .select(['password_hash', 'profile'])
    .where('id', '=', maryId)
    .executeTakeFirstOrThrow()
  await writer
    .updateTable('candidates')
    .set({ password_hash, profile, email_confirmed_at: at })
    .where('id', '=', candidateId)
    .execute()
  await writer
    .updateTable('memberships')
    .set({ role: 'admin' })
    .where('candidate_id', '=', candidateId)
    .execute()
  await joinBoard({ writer }, candidateId)
  await writer
    .insertInto('passkeys')
    .values({
      id: 'passkey',
      candidate_id: maryId,
      name: 'A phone',
      rp_id: 'localhost',
      public_key: 'key',
      counter: 1,
      transports: 'usb',
      created_at: at,
      last_used_at: at,
    })
    .execute()
  await joinAgent(services.database, candidateId)
  await services.progress.update(harbourId, applicationId, {
    by: candidateId,
    shown: 'new',
    to: 'hired',
    tells: false,
    note: 'A note',
  })
  const program = { credentialId: 'gone', advertiserId: harbourId, agentId: null, isOnHold: false }
  const stage = { applicationId, state: 'offer', at: new Date(services.clock() + 1000), label: 'A stage' }
  await services.progressReports.report(
    { ...program, version: 0, eventNumber: 0 },
    JSON.parse(JSON.stringify({ entries: [stage] })),
  )
  // The ad that she applied for is one of the demo's, and her files can be opened.
  await writer
    .updateTable('own_applications')
    .set({ job_ad_id: 31 })
    .where('candidate_id', '=', candidateId)
    .execute()
  await writer
    .updateTable('applications')
    .set({ job_ad_id: 31, phone: '1', time_in_role_months: 3 })
    .where('id', '=', applicationId)
    .execute()
  await writer
    .updateTable('prefilled_applications')
    .set({
      position_title: 'a',
      position_uri: 'https://a.example',
      position_reference: 'b',
      postal_code: '1',
    })
    .execute()
  const names = { firstName: 'F', lastName: '', email: '', phone: '', jobTitle: '', company: '', months: '' }
  const typed = { ...names, work: '', resume: '', keepResume: false, coverLetterText: '', answers: [] }
  const letter = { fileName: 'a.txt', contentType: 'text/plain', blob: null, sha256: '', size: 0 }
  await stores.drafts.save(
    candidateId,
    {
      ...{
        id: 'draft',
        version: 0,
        jobAdId: 999,
        jobTitle: 'A job',
        advertiserName: 'A company',
        removed: [],
      },
      content: JSON.stringify(typed),
      files: new Map([['coverLetter', { ...letter, scan: 'infected', uploadedAt: at }]]),
    },
    { now: at, expiresAt: at, max: 9 },
  )
  await stores.outbox.add({
    id: 'mail-1',
    recipient: 'a@b.example',
    subject: 's',
    body: 'b',
    html: '',
    sentAt: at,
  })
  await stores.outbox.add({
    id: 'mail-2',
    recipient: 'a@b.example',
    subject: 's',
    body: 'b',
    html: '',
    sentAt: at,
  })
  await stores.holds.place(harbourId, applicationId, { reason: 'r', placedAt: at, placedBy: candidateId })
  const { endpoint } = await services.webhooks.add(
    { advertiserId: harbourId },
    { url: 'https://receiver.example/hook', types: ['application.created'], description: 'd', scheme: 'v1' },
  )
  const invited = await services
    .invitations({ mailer: undefined, authUrl: () => 'http://localhost' })
    .invite(harbourId, 'new@example.org', 'recruiter')
  if (invited.outcome !== 'link') throw new Error('could not invite')
  await services
    .agentInvitations({ mailer: undefined, authUrl: () => 'http://localhost' })
    .invite(20000001, 'new@example.org', 'reader')
  const invitationToken = new URL(invited.url).hash.slice(1)
  for (const purpose of ['confirm', 'reset'] as const) {
    await stores.accounts.addLink({
      hash: hashSecret(linkToken(purpose)),
      purpose,
      candidateId,
      email: person.email,
      expiresAt: at + 3_600_000,
    })
  }
  await writer.updateTable('account_links').set({ first_name: 'New', last_name: 'Name' }).execute()
  const change = {
    change_id: 'change',
    candidate_id: candidateId,
    kind: 'email',
    email: person.email,
  } as const
  const times = { changed_at: at, expires_at: at + 3_600_000 }
  const hashes = ['change', hashSecret(linkToken('undo'))]
  await writer
    .insertInto('undo_links')
    .values(hashes.map(hash => ({ hash, ...change, ...times })))
    .execute()
  const ofAgent = await services.webhooks.add(
    { agentId: 20000001 },
    { types: ['application.created'], description: 'D', scheme: 'v1', url: 'https://receiver.example/agent' },
  )
  return {
    candidateId,
    resumeId,
    applicationId,
    endpointId: endpoint.id,
    webhookId: ofAgent.endpoint.id,
    invitationToken,
  }
}

/** In every row in which it is not empty. */
async function replaceColumn(trx: Transaction<Schema>, name: FreeTextName, next: Next): Promise<void> {
  const [table = '', column = ''] = name.split('.')
  const { rows: keys } = await sql<{
    name: string
  }>`select name from pragma_table_info(${table}) where pk > 0`.execute(trx)
  const { rows } = await sql<
    Record<string, unknown>
  >`select * from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(trx)
  for (const row of rows) {
    const where = keys.map(key => sql`${sql.ref(key.name)} = ${row[key.name]}`)
    const ending = /\.\w+$/.exec(String(row[column]))?.[0]
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${next(name, ending)} where ${sql.join(where, sql` and `)}`.execute(
      trx,
    )
  }
}

async function replaceDocuments(trx: Transaction<Schema>, next: Next): Promise<void> {
  for (const { id, profile } of await trx.selectFrom('candidates').select(['id', 'profile']).execute()) {
    const hostile = JSON.stringify(hostileProfile(JSON.parse(profile), next))
    await trx.updateTable('candidates').set({ profile: hostile }).where('id', '=', id).execute()
  }
  for (const { id, details } of await trx.selectFrom('job_ads').select(['id', 'details']).execute()) {
    const hostile = JSON.stringify({
      ...detailsOf(details),
      region: next('job_ads.details.region'),
      locality: next('job_ads.details.locality'),
      pay: { max: 1, currency: 'AUD', period: 'hour', note: next('job_ads.details.pay.note') },
    })
    await trx.updateTable('job_ads').set({ details: hostile }).where('id', '=', id).execute()
  }
  for (const { id, questions } of await trx.selectFrom('screens').select(['id', 'questions']).execute()) {
    const hostile = JSON.stringify(
      (JSON.parse(questions) as Question[]).map(each => hostileQuestion(each, next)),
    )
    await trx.updateTable('screens').set({ questions: hostile }).where('id', '=', id).execute()
  }
  const results = await trx
    .selectFrom('application_screens')
    .select(['application_id', 'json', 'details'])
    .execute()
  for (const { application_id, ...stored } of results) {
    const { successful, questions } = screenIn(stored)
    const of = (leaf: 'id' | 'name' | `question.${'id' | 'text'}` | `answer.${'id' | 'text'}`) =>
      next(`application_screens.json.${leaf}`)
    const hostile = renderScreen({
      id: of('id'),
      name: of('name'),
      successful,
      questions: questions.map(question => ({
        ...question,
        id: of('question.id'),
        text: of('question.text'),
        reference: next('application_screens.details.reference'),
        answers: question.answers.map(answer => ({
          ...answer,
          id: of('answer.id'),
          text: answer.text === '' ? '' : of('answer.text'),
        })),
      })),
    })
    await trx
      .updateTable('application_screens')
      .set(hostile)
      .where('application_id', '=', application_id)
      .execute()
  }
}

function hostileProfile(profile: Profile, next: Next): Profile {
  const countries = Object.entries(profile.salaryAndVisaByCountry)
  return {
    ...profile,
    phoneNumber: profile.phoneNumber && next('candidates.profile.phoneNumber'),
    skills: profile.skills.map(() => next('candidates.profile.skills')),
    salaryAndVisaByCountry: Object.fromEntries(
      countries.map(([code, rights]) => [
        code,
        { ...rights, description: next('candidates.profile.salary.description') },
      ]),
    ),
    workHistory: profile.workHistory.map(job => ({
      ...job,
      jobTitle: next('candidates.profile.workHistory.jobTitle'),
      companyName: next('candidates.profile.workHistory.companyName'),
      achievements: next('candidates.profile.workHistory.achievements'),
    })),
  }
}

function hostileQuestion(question: Question, next: Next): Question {
  return {
    ...question,
    text: next('screens.questions.text'),
    reference: next('screens.questions.reference'),
    // Those of True/False are fixed.
    options:
      question.type === 'True/False'
        ? question.options
        : question.options.map(option => ({ ...option, text: next('screens.questions.options.text') })),
    passingTexts: isTyped(question.type) ? [next('screens.questions.passingTexts')] : [],
  }
}

/** Derived columns, computed as the service does it. */
async function makeAgain(trx: Transaction<Schema>): Promise<void> {
  await trx.deleteFrom('application_terms').execute()
  for (const row of await trx.selectFrom('applications').selectAll().execute()) {
    const contact = { ...row, firstName: row.first_name, lastName: row.last_name }
    const terms = searchTerms(contact, row.job_reference)
    const { advertiser_id, id: application_id } = row
    await trx
      .insertInto('application_terms')
      .values(terms.map(term => ({ advertiser_id, application_id, term })))
      .execute()
    await renderAgain(trx, advertiser_id, application_id)
  }
  const ads = await trx
    .selectFrom('job_ads')
    .innerJoin('advertisers', 'advertisers.id', 'advertiser_id')
    .select(['job_ads.id', 'title', 'location', 'name'])
    .execute()
  for (const { id, name, ...ad } of ads) {
    const search_text = jobSearchText(ad, name)
    await trx.updateTable('job_ads').set({ search_text }).where('id', '=', id).execute()
  }
}
