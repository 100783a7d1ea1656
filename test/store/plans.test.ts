import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../src/storage/schema.ts'
import { withServices } from '../harness/database.ts'
import { recordStatements, type Statement } from '../harness/sql-recording.ts'
import { planOf } from './query-plan.ts'
import { prepareScenes } from './scene.ts'
import { storeFunctions, storesOver } from './stores.ts'

/** What a request waits for, and the ways in which it may reach its tables. */
const wanted: Record<string, string[]> = {
  'applications.page': ['application_pieces by advertiser_id, format, id'],
  'applications.resolveBounds': [
    'applications by advertiser_id',
    'applications by advertiser_id, submitted_at',
  ],
  'applications.file': ['application_files by advertiser_id, application_id, type'],
  'applications.screen': ['application_screens by advertiser_id, application_id'],
  'applications.add': ['advertiser_ledger by advertiser_id', 'counters by name'],
  'applications.recordVerdict': [
    'advertiser_ledger by advertiser_id',
    'application_files by advertiser_id, application_id',
    'application_files by advertiser_id, application_id, type',
    'application_screens by advertiser_id, application_id',
    'application_pieces by advertiser_id, format, id',
    'applications by advertiser_id, id',
  ],
  'intakeDirectory.statusOf': ['oauth_client_advertisers by client_id, advertiser_id', 'advertisers by id'],
  'intake.claim': ['intake_keys by client_id, key'],
  'intake.add': ['advertiser_ledger by advertiser_id', 'counters by name'],
  'intake.addOnce': [
    'intake_keys by client_id, key',
    'advertiser_ledger by advertiser_id',
    'counters by name',
  ],
  'intake.release': ['intake_keys by client_id, key'],
  'jobAds.find': ['job_ads by id'],
  'jobAds.list': ['job_ads by advertiser_id, id'],
  'jobAds.update': ['job_ads by id'],
  'jobAds.setStatus': ['job_ads by id'],
  'screens.find': ['screens by advertiser_id, id'],
  'screens.list': ['screens by advertiser_id, id'],
  'screens.update': ['screens by advertiser_id, id'],
  'screens.setStatus': ['screens by advertiser_id, id'],
  'jobBoard.find': ['job_ads by id', 'advertisers by id', 'screens by advertiser_id, id'],
  'jobBoard.listOpen': ['job_ads by id', 'advertisers by id'],
  'credentials.findOwner': ['sws_credentials by hash', 'advertisers by id'],
  'credentials.recordUse': ['sws_credentials by id'],
  'credentials.revoke': ['sws_credentials by id'],
  'credentials.advertiserOf': ['sws_credentials by id'],
  'credentials.list': ['sws_credentials by advertiser_id'],
  'advertisers.find': ['advertisers by id'],
  'advertisers.setStatus': ['advertisers by id'],
  'agents.find': ['agents by id'],
  'agents.authorise': ['agents by id'],
  'agents.withdraw': ['agent_authorisations by advertiser_id, agent_id'],

  'oauth.findAdvertiser': ['advertisers by id'],
  'oauth.findGrant': ['grants by candidate_id, client_id, advertiser_id'],
  'oauth.recordConsent': ['oauth_codes by grant_id', 'oauth_tokens by hash', 'grants by id'],
  'oauth.issueCode': ['grants by id'],
  'oauth.findCode': ['oauth_codes by hash'],
  'oauth.countFailedAttempt': ['oauth_codes by hash'],
  'oauth.redeem': ['oauth_codes by hash', 'grants by id', 'oauth_clients by id'],
  'oauth.revokeTokensOfCode': ['oauth_tokens by hash', 'oauth_codes by hash'],
  'oauth.issueClientToken': ['oauth_clients by id'],
  'oauth.issueAgentToken': [
    'oauth_clients by id',
    'agent_authorisations by advertiser_id, agent_id',
    'advertisers by id',
  ],
  'oauth.findToken': ['oauth_tokens by hash'],
  'oauth.findAgentToken': [
    'oauth_tokens by hash',
    'advertisers by id',
    'agent_authorisations by advertiser_id, agent_id',
  ],
  'oauth.revokeToken': ['oauth_tokens by hash'],
  'clients.find': [
    'oauth_clients by id',
    'oauth_redirect_uris by client_id',
    'oauth_client_secrets by client_id',
  ],
  'clients.disable': ['oauth_clients by id', 'oauth_tokens by expires_at', 'oauth_codes by expires_at'],
  'consents.listConsents': ['grants by candidate_id', 'oauth_clients by id', 'advertisers by id'],
  'consents.withdraw': ['grants by id', 'oauth_codes by grant_id', 'oauth_tokens by hash'],

  'sharing.recordPrefill': [
    'oauth_tokens by hash',
    'advertisers by id',
    'resumes by id',
    'resumes by candidate_id',
    'released_resumes by grant_id, resume_id',
  ],
  'sharing.isActiveAdvertiser': ['advertisers by id'],
  'sharing.findReleasedResume': ['released_resumes by id', 'resumes by id'],
  'sharing.recordDownload': ['oauth_tokens by hash'],
  'sharing.complete': ['prefilled_applications by id'],
  'history.disclosures': [
    'disclosures by candidate_id',
    'disclosures by candidate_id, disclosed_at, id',
    'oauth_clients by id',
    'advertisers by id',
  ],
  'history.applications': [
    'prefilled_applications by candidate_id',
    'oauth_clients by id',
    'advertisers by id',
  ],

  'candidates.find': ['candidates by id', 'resumes by candidate_id'],
  'candidates.saveProfile': ['candidates by id'],
  'candidates.listResumes': ['resumes by candidate_id'],
  'candidates.findResume': ['resumes by id', 'resumes by candidate_id'],
  'candidates.addResume': ['candidates by id', 'resumes by candidate_id'],
  'candidates.chooseDefault': ['candidates by id', 'resumes by candidate_id', 'resumes by id'],
  'candidates.removeResume': [
    'candidates by id',
    'resumes by candidate_id',
    'resumes by id',
    'released_resumes by resume_id',
  ],
  'ownApplications.send': [
    'candidates by id',
    'own_applications by candidate_id, form_key',
    'resumes by id',
    'resumes by candidate_id',
    'advertiser_ledger by advertiser_id',
    'counters by name',
  ],
  'ownApplications.findSent': ['own_applications by candidate_id, form_key'],
  'ownApplications.lastFor': ['own_applications by candidate_id'],
  'ownApplications.list': [
    'own_applications by candidate_id',
    'own_applications by candidate_id, submitted_at',
    'own_applications by candidate_id, submitted_at, application_id',
    'application_files by advertiser_id, application_id',
  ],
  'ownApplications.find': [
    'own_applications by candidate_id',
    'own_applications by candidate_id, application_id',
    'own_applications by candidate_id, submitted_at',
    'applications by advertiser_id, id',
    'application_files by advertiser_id, application_id',
    'application_screens by advertiser_id, application_id',
  ],
  'sessions.add': ['candidates by id'],
  'sessions.find': ['sessions by hash', 'candidates by id'],
  'sessions.recordUse': ['sessions by hash'],
  'sessions.list': ['sessions by candidate_id'],
  'sessions.endOthers': ['sessions by candidate_id'],
  'sessions.end': ['sessions by id'],
  'sessions.endByHash': ['sessions by hash'],
  'accounts.find': ['candidates by id'],
  'accounts.findByEmail': ['candidates by email'],
  'accounts.findLink': ['account_links by hash'],
  'accounts.confirm': [
    'account_links by hash',
    'account_links by candidate_id',
    'candidates by id',
    'candidates by email',
  ],
  'accounts.changeEmail': [
    'account_links by hash',
    'account_links by candidate_id',
    'candidates by id',
    'candidates by email',
    // Before an account goes, what could refer to it.
    'disclosures by candidate_id',
    'grants by candidate_id',
    'own_applications by candidate_id',
    'prefilled_applications by candidate_id',
    'resumes by candidate_id',
    'sessions by candidate_id',
  ],
  'accounts.resetPassword': [
    'account_links by hash',
    'account_links by candidate_id',
    'candidates by id',
    'candidates by email',
    'sessions by candidate_id',
  ],
  'accounts.changePassword': [
    'candidates by id',
    'sessions by candidate_id',
    'account_links by candidate_id',
  ],
  'failures.find': ['sign_in_failures by key'],
  'failures.replace': ['sign_in_failures by key'],
  'failures.takeBack': ['sign_in_failures by key'],
  'failures.remove': ['sign_in_failures by key'],

  // No request waits for these, but all would wait for a scan of a large table under the write lock.
  'leases.renew': ['leases by name'],
  'leases.release': ['leases by name'],
  'expiry.removeTokens': ['oauth_tokens by hash', 'oauth_tokens by expires_at'],
  'expiry.removeCodes': ['oauth_codes by hash', 'oauth_codes by expires_at', 'oauth_tokens by hash'],
  'expiry.removeSessions': ['sessions by hash', 'sessions by expires_at'],
  'expiry.removeLinks': ['account_links by hash', 'account_links by expires_at'],
  'expiry.removeSignInFailures': ['sign_in_failures by key', 'sign_in_failures by last_failed_at'],
  'expiry.removeKnownBrowsers': ['sign_in_failures by key', 'sign_in_failures by last_failed_at'],
  'expiry.removeIntakeKeys': ['intake_keys by client_id, key', 'intake_keys by expires_at'],
  'scanning.unscanned': ['application_files by blob', 'resumes by blob'],
  'scanning.resumesOf': ['resumes by blob'],
  'scanning.attachmentsOf': ['application_files by blob'],
  'scanning.recordResumeVerdict': ['candidates by id', 'resumes by id', 'resumes by candidate_id'],
  'blobReferences.named': ['application_files by blob', 'resumes by blob'],
  'blobReferences.sweptUntil': ['meta by key'],
}

/** What may sort, because it has so little to sort. */
const sorting: Record<string, string> = {
  'blobReferences.named': 'to tell each once, of a batch',
  'scanning.unscanned': 'two short lists into one',
  'credentials.list': 'those of one advertiser',
  'clients.find': 'the addresses and the secrets of one client',
  'consents.listConsents': 'those of one candidate that stand',
  'history.applications': 'those of one millisecond: by time they come out of the index',
  'candidates.listResumes': 'there are at most as many as the limit says',
  'candidates.removeResume': 'there are at most as many as the limit says',
  'sessions.list': 'those of one candidate',
}

/** What no request waits for, or what finds nothing because it only adds. */
const elsewhere: Record<string, string[]> = {
  'by the operator': [
    'advertisers.add',
    'advertisers.list',
    'agents.add',
    'agents.list',
    'blobReferences.page',
    'clients.add',
    'clients.addSecret',
    'clients.allow',
    'clients.forbid',
    'clients.list',
    'imports.addBatch',
    'imports.begin',
    'imports.find',
    'imports.newestApplications',
    'imports.refusals',
  ],
  'in the background, over what is kept short by it': [
    'blobReferences.loose',
    'blobReferences.forgetLoose',
    'expiry.removeMailCounts',
    'expiry.removeUnconfirmed',
  ],
  'it only adds': [
    'blobReferences.setSweptUntil',
    'leases.take',
    'accounts.add',
    'accounts.addLink',
    'accounts.countMail',
    'credentials.add',
    'failures.set',
    'jobAds.add',
    'screens.add',
  ],
  'in the demo': Object.keys(storeFunctions).filter(name => /^(?:demo|outbox)\./.test(name)),
}

/** What writes given values searches nothing; a look at what refers to them is skipped unless something is amiss. */
const isExplainable = ({ sql }: Statement) =>
  !/^select nextval/.test(sql) && !/^insert into "\w+" \([^)]*\) values /.test(sql)

/** Among three consents it would not matter how one of them is found. */
async function addManyConsents({ writer, dialect }: Database): Promise<void> {
  const numbers = sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2000)`
  await sql`insert into candidates (id, email, password_hash, first_name, last_name, profile, created_at)
    ${numbers} select 'many-' || n, 'many-' || n, '', '', '', '{}', 0 from numbers`.execute(writer)
  await sql`insert into grants (id, candidate_id, client_id, scope, released, filled, created_at, decided_at)
    select 'grant-of-' || id, id, 'own-client', '', 0, 0, 0, 0 from candidates where id like 'many-%'`.execute(
    writer,
  )
  if (dialect === 'postgres') await sql`analyze candidates, grants`.execute(writer)
}

test('every function has a plan to follow, or a reason why not', () => {
  const named = [...Object.keys(wanted), ...Object.values(elsewhere).flat()]
  assert.deepEqual(named.toSorted(), Object.keys(storeFunctions).toSorted())
})

withServices('the plans of the stores', services => {
  const sent = new Map<string, Statement[]>()
  let database: Database
  before(async () => {
    database = services().database
    const statements = recordStatements(database)
    const stores = storesOver(database)
    const { owner } = await prepareScenes(stores)
    for (const [name, { samples }] of Object.entries(storeFunctions)) {
      if (wanted[name] === undefined) continue
      const start = statements.length
      for (const sample of samples) await sample(stores, owner)
      sent.set(name, statements.slice(start))
    }
    await addManyConsents(database)
  })

  for (const [name, allowed] of Object.entries(wanted)) {
    test(`${name} finds its rows by an index${sorting[name] === undefined ? ' and sorts nothing' : ''}`, async () => {
      const plans = await Promise.all(
        (sent.get(name) ?? []).filter(isExplainable).map(async statement => ({
          ...(await planOf(database, statement)),
          sql: statement.sql,
        })),
      )
      assert.ok(plans.some(({ reads }) => reads.length > 0))
      for (const { reads, isSorted, sql } of plans) {
        for (const read of reads) assert.ok(allowed.includes(read), `${read}: ${sql}`)
        if (sorting[name] === undefined) assert.equal(isSorted, false, sql)
      }
    })
  }

  test('a token costs one statement, and that one read by the primary key', async () => {
    const [statement, ...others] = sent.get('oauth.findToken') ?? []
    assert.ok(statement !== undefined)
    assert.deepEqual(others, [])
    assert.deepEqual(await planOf(database, statement), { reads: ['oauth_tokens by hash'], isSorted: false })
    const keys = await sql<{ column: string }>`${
      database.dialect === 'sqlite'
        ? sql`select name as "column" from pragma_table_info('oauth_tokens') where pk > 0`
        : sql`select attname as "column" from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
            where indrelid = 'oauth_tokens'::regclass and indisprimary`
    }`.execute(database.reader)
    assert.deepEqual(
      keys.rows.map(({ column }) => column),
      ['hash'],
    )
  })

  test('what a client waits for at the token endpoint and at a prefill is one statement on PostgreSQL', () => {
    for (const [name, calls] of [
      ['oauth.redeem', 1],
      ['oauth.issueClientToken', 1],
      ['oauth.issueAgentToken', 1],
      ['sharing.recordPrefill', 2],
      ['sharing.recordDownload', 1],
    ] as const) {
      assert.equal(storeFunctions[name]?.samples.length, calls)
      if (database.dialect === 'postgres') assert.equal(sent.get(name)?.length, calls, name)
    }
  })
})
