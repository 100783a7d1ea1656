import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../src/platform/database/tables.ts'
import { withServices } from '../harness/database.ts'
import { recordStatements, type Statement } from '../harness/sql-recording.ts'
import { planOf } from './query-plan.ts'
import { prepareScenes } from './scene.ts'
import { storeFunctions, storesOver } from './stores.ts'
import { wanted } from './wanted-plans.ts'

/** Queries that may sort, because they have so little to sort. */
const sorting: Record<string, string> = {
  'progress.activities': 'groups the reads of one application by their readers',
  'blobReferences.named': 'to tell each once, of a batch',
  'scanning.unscanned': 'three short lists into one',
  'drafts.list': 'those of one candidate',
  'drafts.find': 'one of a candidate',
  'drafts.own': 'one of a candidate',
  'applicationSearch.page': 'what the terms have found stands there by the terms',
  'applicationSearch.newestIds': 'what the terms have found stands there by the terms',
  'applicationSearch.related': 'those of one person',
  'credentials.list': 'those of one advertiser',
  'postingLists.adsOfAestDays': 'those of one advertiser',
  'ownApplications.reads': 'those of one candidate',
  'ownApplications.find': 'the reads of one application',
  'ownApplications.lastFor': 'those of one candidate for one ad',
  'ownApplications.holders': 'those that one candidate has applied to',
  'clients.find': 'the addresses and the secrets of one client',
  'oauth.findContext': 'the addresses of one client',
  'oauth.issueCode': 'those that are made together, so that locks are taken in one order',
  'oauth.recordConsent': 'those that are made together, so that locks are taken in one order',
  'oauth.redeem': 'those that are redeemed together, so that locks are taken in one order',
  'clients.disable': 'those that are revoked together, so that locks are taken in one order',
  'sharing.recordPrefill': 'those that are made together, so that locks are taken in one order',
  'consents.listConsents': 'those of one candidate that stand',
  'history.received': 'to add up those of one candidate',
  'history.reported': 'those of one millisecond: by time they come out of the index',
  'history.applications': 'those of one millisecond: by time they come out of the index',
  'ownData.applications': 'the reads of one candidate',
  'ownData.consents': 'those of one candidate',
  'ownData.memberships': 'those of one person',
  'ownData.links': 'those of one account',
  'ownData.startedApplications': 'those of one millisecond: by time they come out of the index',
  'ownData.recipients': 'to tell each once, of one candidate',
  'ownData.advertisersAppliedTo': 'to tell each once, of one candidate',
  'candidates.listResumes': 'there are at most as many as the limit says',
  'candidates.removeResume': 'there are at most as many as the limit says',
  'sessions.list': 'those of one candidate',
  'progress.counts': 'to add up six for each ad of one advertiser',
  'members.workplacesOf': 'those of one person',
  'agentMembers.workplacesOf': 'those of one person',
  'agentMembers.list': 'there are at most as many as the limit says',
  'agentMembers.listInvitations': 'there are at most as many as the limit says',
  'clientChanges.listOf': 'at most one of each kind',
  'agentCalls.days': 'thirty days of one agent, with few problems each',
  'agentCalls.last': 'the companies of one agent',
  'agents.companiesOf': 'those of one agent, by name',
  'agents.advertisersOf': 'those of one agent, by ID',
  'members.list': 'there are at most as many as the limit says',
  'members.listInvitations': 'there are at most as many as the limit says',
}

/** Functions that no request waits for, or that only add rows. */
const elsewhere: Record<string, string[]> = {
  'by the operator': [
    'audit.databaseId',
    'audit.heads',
    'audit.list',
    'accounts.namesOf',
    'failedSignIns.note',
    'audit.read',
    'audit.record',
    'audit.restoredAt',
    'audit.seals',
    'audit.droppedSeals',
    'audit.scopes',
    'audit.dropMonths',
    'audit.expireAddresses',
    'audit.removeDropped',
    'advertisers.add',
    'advertisers.list',
    'agents.add',
    'agents.list',
    'holds.list',
    'blobReferences.page',
    'clientChanges.list',
    'clients.add',
    'clients.addSecret',
    'clients.allow',
    'clients.forbid',
    'clients.list',
    'clients.setPrivacyUrl',
    'clients.setRedirectUris',
    'codes.add',
    'board.companies',
    'board.findPerson',
    'board.infected',
    'board.liftRefusal',
    'board.nodes',
    'board.record',
    'board.refused',
    'board.unjudged',
    'reports.add',
    'reports.counts',
    'reports.dismiss',
    'reports.hold',
    'reports.onHold',
    'reports.open',
    'reports.release',
    'operators.invite',
    'operators.isAny',
    'operators.join',
    'operators.joinWithAccount',
    'operators.list',
    'operators.listInvitations',
    'operators.remove',
    'operators.takeBack',
    'serviceClock.confirm',
    'serviceClock.read',
    'serviceClock.update',
    'taskRuns.list',
    'taskRuns.record',
    'counts.faults',
    'counts.repair',
    'logos.setOfClient',
    'deliveries.drop',
    'deliveries.list',
    'deliveries.retryNow',
    'listEntries.add',
    'listEntries.firstNames',
    'imports.addBatch',
    'imports.begin',
    'imports.find',
    'imports.newestApplications',
    'imports.refusals',
  ],
  'by the index of open ads, which holds nothing else, up to a limit': [
    'jobBoard.companies',
    'jobBoard.countOpen',
  ],
  'on a page of admins, and names every agent that there is': ['agents.listFor'],
  'once in the life of an account, and looks through the tokens that live': [
    'accountRemoval.lastAdminOf',
    'accountRemoval.remove',
  ],
  'in the background, over what is kept short by it': [
    'blobReferences.loose',
    'retention.companies',
    'retention.untold',
    'unanswered.total',
    'blobReferences.forgetLoose',
    'expiry.removeLeases',
    'deliveries.retry',
    'deliveries.release',
    'expiry.removeDeliveries',
    'members.issueLink',
    'agentMembers.issueLink',
    'deliveries.end',
    'deliveries.remove',
    'deliveries.gather',
    'deliveries.dropLate',
    'deliveries.counts',
    'notices.findReader',
    'notices.findSent',
    'notices.findDisclosure',
    'notices.findNew',
    'notices.findRetention',
    'notices.findFailingWebhook',
    'notices.findFailingAgentWebhook',
    'notices.recordRefusal',
    'expiry.removeMailCounts',
    'expiry.removeUnconfirmed',
  ],
  'in the background, over the members of all companies': [
    'digests.dueDaily',
    'digests.dueSoon',
    'digests.zones',
    'digests.tell',
  ],
  'about webhooks, of which an owner has few; the sender finds lanes by what is due': Object.keys(
    storeFunctions,
  ).filter(name => /^(?:endpoints|lanes|replays|webhookUpkeep)\./.test(name)),
  'at the start, and on SQLite only': ['backups.copiedAt'],
  'it only adds': [
    'blobReferences.setSweptUntil',
    'leases.take',
    'rateCounts.add',
    'accounts.add',
    'accounts.addLink',
    'accounts.addDecoy',
    'identities.keep',
    'failures.countAndNotify',
    'deliveries.add',
    'credentials.add',
    'failures.set',
    'jobAds.add',
    'screens.add',
    'sentForms.claim',
    'usage.keepDays',
  ],
  'it reads one row by its key, and only while commits on SQLite are not known to be durable': [
    'applications.whenDurable',
  ],
  'it asks SQLite alone what is durable, without a statement': ['events.whenDurable'],
  'in the demo': Object.keys(storeFunctions).filter(name => /^(?:demo|outbox)\./.test(name)),
}

/** Statements that write given values search nothing; foreign key checks are skipped unless something is wrong. */
const isExplainable = ({ sql }: Statement) =>
  !/^select nextval/.test(sql) && !/^insert into "\w+" \([^)]*\) values /.test(sql)

/** Among three consents or resumes it does not matter how one of them is found. */
async function addManyCandidates({ writer, dialect }: Database): Promise<void> {
  const numbers = sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2000)`
  await sql`insert into candidates (id, email, password_hash, first_name, last_name, profile, created_at)
    ${numbers} select 'many-' || n, 'many-' || n, '', '', '', '{}', 0 from numbers`.execute(writer)
  await sql`insert into grants (id, candidate_id, client_id, scope, released, filled, created_at, decided_at)
    select 'grant-of-' || id, id, 'own-client', '', 0, 0, 0, 0 from candidates where id like 'many-%'`.execute(
    writer,
  )
  await sql`insert into resumes (id, candidate_id, file_name, content_type, sha256, size, scan, uploaded_at, is_default)
    select 'resume-of-' || id, id, '', '', '', 0, 'clean', 0, 1 from candidates where id like 'many-%'`.execute(
    writer,
  )
  if (dialect === 'postgres') await sql`analyze candidates, grants, resumes`.execute(writer)
}

/** The same for every act: see audit.record. */
const isOfAudit = ({ sql }: Statement) => / "audit_heads"/.test(sql)

test('every function has an expected plan, or a reason why not', () => {
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
    await addManyCandidates(database)
  })

  for (const [name, allowed] of Object.entries(wanted)) {
    test(`${name} finds its rows by an index${sorting[name] === undefined ? ' and sorts nothing' : ''}`, async () => {
      const plans = await Promise.all(
        (sent.get(name) ?? [])
          .filter(each => isExplainable(each) && !isOfAudit(each))
          .map(async statement => ({
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

  test('a token costs one statement, which reads by the primary key', async () => {
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

  test('a client waits for one statement on PostgreSQL at the token endpoint and at a prefill', () => {
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
