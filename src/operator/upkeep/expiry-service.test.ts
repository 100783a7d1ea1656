import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { createAccountStore } from '../../people/account/account-store.ts'
import { knownBrowserSeconds, signInFailuresForgottenSeconds } from '../../people/account/sign-in-delay.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { defaultLimits } from '../../settings-limits.ts'
import { createAuthorizationStore } from '../../share/grants/authorization-store.ts'
import { createExpiry } from './expiry-service.ts'
import { createExpiryStore } from './expiry-store.ts'

const clock = movableClock()
const hour = 3_600_000
const day = 24 * hour
/** So few that every removal takes several batches. */
const tokenMs = defaultLimits.tokenSeconds * 1000

withServices('the expiry', { clock }, services => {
  const writer = () => services().database.writer
  const expiry = () =>
    createExpiry({ store: createExpiryStore(services().database), clock, limits: defaultLimits, batch: 2 })
  const accounts = () => createAccountStore(services().database)

  before(async () => {
    const id = 'client'
    await writer().insertInto('oauth_clients').values({ id, name: 'Client', created_at: 0 }).execute()
    await addAccount('person', clock(), clock())
    const grant = { id: 'grant', candidate_id: 'person', client_id: id, scope: '' }
    await writer()
      .insertInto('grants')
      .values({ ...grant, released: 0, filled: 0, created_at: 0, decided_at: 0 })
      .execute()
  })

  async function addAccount(id: string, createdAt: number, confirmedAt: number | null = null) {
    const person = { password_hash: '', first_name: 'A', last_name: 'B', profile: '{}' }
    const email = `${id}@example.net`
    await writer()
      .insertInto('candidates')
      .values({ id, email, ...person, created_at: createdAt, email_confirmed_at: confirmedAt })
      .execute()
  }

  const addLink = (candidateId: string, expiresAt: number, name = candidateId) =>
    accounts().addLink({
      hash: `link of ${name}`,
      purpose: 'confirm',
      candidateId,
      email: `${candidateId}@example.net`,
      expiresAt,
      registration: { passwordHash: 'x', firstName: 'A', lastName: 'B' },
    })

  async function addToken(hash: string, expiresAt: number) {
    const token = { client_id: 'client', scope: '', released: 0, issued_at: 0 }
    await writer()
      .insertInto('oauth_tokens')
      .values({ hash, ...token, expires_at: expiresAt })
      .execute()
  }

  async function addCode(hash: string, expiresAt: number, tokenHash: string | null = null) {
    const code = {
      client_id: 'client',
      grant_id: 'grant',
      candidate_id: 'person',
      redirect_uri: '',
      scope: '',
    }
    await writer()
      .insertInto('oauth_codes')
      .values({ hash, ...code, released: 0, issued_at: 0, failed_attempts: 0, expires_at: expiresAt })
      .execute()
    if (tokenHash === null) return
    const redeemed = { redeemed_at: 0, token_hash: tokenHash }
    await writer().updateTable('oauth_codes').set(redeemed).where('hash', '=', hash).execute()
  }

  async function addSession(hash: string, expiresAt: number) {
    const session = { candidate_id: 'person', browser: '', created_at: 0, last_used_at: 0 }
    await writer()
      .insertInto('sessions')
      .values({ hash, id: hash, ...session, expires_at: expiresAt })
      .execute()
  }

  /** The rows left over whose names begin like this. */
  async function left(table: keyof Schema, column: string, prefix: string): Promise<string[]> {
    const rows: object[] = await writer().selectFrom(table).selectAll().execute()
    return rows
      .map(row => String((row as Record<string, unknown>)[column]))
      .filter(name => name.startsWith(prefix))
      .toSorted()
  }

  test('removes expired tokens, and codes with them, but no code whose token is valid', async () => {
    const now = clock()
    await addToken('t-over', now)
    await addToken('t-valid', now + 1)
    await addCode('c-unused', now - tokenMs)
    await addCode('c-unused-not-long', now - tokenMs + 1)
    await addCode('c-of-token-over', now - tokenMs, 't-over')
    await addCode('c-of-token-gone', now - day, 't-gone')
    // A token issued while tokens lived longer than they do by now.
    await addCode('c-of-token-valid', now - day, 't-valid')
    const { did } = await expiry().run()
    assert.deepEqual([did['tokens'], did['codes']], [1, 3])
    assert.deepEqual(await left('oauth_tokens', 'hash', 't-'), ['t-valid'])
    assert.deepEqual(await left('oauth_codes', 'hash', 'c-'), ['c-of-token-valid', 'c-unused-not-long'])
    // A replay must still revoke the tokens issued for the code.
    await createAuthorizationStore(services().database).revokeTokensOfCode('c-of-token-valid', now)
    const token = await writer()
      .selectFrom('oauth_tokens')
      .select('revoked_at')
      .where('hash', '=', 't-valid')
      .executeTakeFirst()
    assert.equal(token?.revoked_at, now)
  })

  test('removes expired sessions, links, invitations, counts, keys, forms and leases, and nothing else', async () => {
    const now = clock()
    const thisHour = Math.floor(now / hour)
    for (const name of ['a', 'b', 'c', 'd', 'e']) await addSession(`s-over-${name}`, now - 1)
    await addSession('s-valid', now + 1)
    await addLink('person', now, 'old')
    await addLink('person', now + 1, 'new')
    for (const [hash, expires_at] of Object.entries({ 'u-old': now, 'u-new': now + 1 })) {
      const change = { change_id: hash, candidate_id: 'person', kind: 'email', email: 'e' } as const
      await writer()
        .insertInto('undo_links')
        .values({ hash, ...change, changed_at: 0, expires_at })
        .execute()
    }
    for (const [recipient_hash, at] of Object.entries({ 'm-old': thisHour - 1, 'm-new': thisHour })) {
      await writer().insertInto('mail_counts').values({ recipient_hash, hour: at, mails: 1 }).execute()
    }
    const counted = now - signInFailuresForgottenSeconds * 1000
    const known = now - knownBrowserSeconds * 1000
    const failures = {
      'account:old': counted - 1,
      'account:new': counted,
      'address:old': counted - 1,
      'browser:old': known - 1,
      'browser:known': counted - 1,
    }
    for (const [key, at] of Object.entries(failures)) {
      await writer().insertInto('sign_in_failures').values({ key, failures: 1, last_failed_at: at }).execute()
    }
    for (const [key, expires_at] of Object.entries({ 'k-old': now, 'k-new': now + 1 })) {
      const claim = { client_id: 'client', key, claim: '' }
      await writer()
        .insertInto('intake_keys')
        .values({ ...claim, expires_at })
        .execute()
    }
    const { id: advertiser_id } = await services().advertisers.add('Advertiser')
    for (const [hash, expires_at] of Object.entries({ 'i-old': now, 'i-new': now + 1 })) {
      const invitation = {
        hash,
        id: hash,
        advertiser_id,
        email: hash,
        role: 'admin' as const,
        created_at: 0,
      }
      await writer()
        .insertInto('invitations')
        .values({ ...invitation, expires_at })
        .execute()
      const { id: agent_id } = await services().agents.add('Agent')
      await writer()
        .insertInto('agent_invitations')
        .values({ hash, id: hash, agent_id, email: hash, role: 'admin', created_at: 0, expires_at })
        .execute()
      const delivery = { id: hash, kind: 'reset', content: '{}', due_at: 0, give_up_at: 0, created_at: 0 }
      const ended_at = expires_at - defaultLimits.deliveryKeptDays * day
      await writer()
        .insertInto('deliveries')
        .values({ ...delivery, state: 'sent', ended_at })
        .execute()
      await writer().insertInto('sent_forms').values({ key: hash, location: '/', expires_at }).execute()
      const count = { name: 'v1', key: hash, time_window: 1, hits: 1, expires_at }
      await writer().insertInto('rate_counts').values(count).execute()
      const code = { challenge: hash, purpose: 'sign-in', email: hash, made_at: 0, tries: 0 } as const
      await writer()
        .insertInto('email_codes')
        .values({ ...code, expires_at })
        .execute()
      const held_until = expires_at - hour
      const decision = { advertiser_id, former: 'new', status: 'hired', delivery_id: hash } as const
      await writer()
        .insertInto('recent_decisions')
        .values({ ...decision, application_id: expires_at, decided_at: held_until, held_until: null })
        .execute()
      const last_at = expires_at - 1_096 * day
      const report = { advertiser_id, job_ad_id: 1, reason: 'gone', details: '', email: null } as const
      await writer()
        .insertInto('job_reports')
        .values({ ...report, id: hash, reported_at: 0, last_at })
        .execute()
      const decided = { job_ad_id: 1, number: expires_at, act: 'hold', reason: null, actor: hash } as const
      await writer()
        .insertInto('ad_decisions')
        .values({ ...decided, decided_at: last_at })
        .execute()
      const replaced_at = expires_at - defaultLimits.adVersionMonths * 31 * day
      const version = { advertiser_id, job_ad_id: expires_at, content: '{}', created_at: 0 }
      await writer()
        .insertInto('ad_versions')
        .values([
          { ...version, hash, version: 1, replaced_at },
          { ...version, hash: 'newest', version: 2, replaced_at: null },
        ])
        .execute()
      await writer().insertInto('leases').values({ name: hash, holder: 'the dead', held_until }).execute()
    }
    const { did } = await expiry().run()
    assert.deepEqual(did, {
      tokens: 0,
      codes: 0,
      sessions: 5,
      links: 1,
      undoLinks: 1,
      emailCodes: 1,
      invitations: 2,
      deliveries: 1,
      events: 0,
      accounts: 0,
      agentCalls: 0,
      mailCounts: 1,
      signInFailures: 2,
      knownBrowsers: 1,
      intakeKeys: 1,
      sentForms: 1,
      recentDecisions: 1,
      jobReports: 1,
      adDecisions: 1,
      adVersions: 1,
      drafts: 0,
      rateCounts: 1,
      reads: 0,
      listReads: 0,
      leases: 1,
    })
    assert.deepEqual(await left('sessions', 'hash', 's-'), ['s-valid'])
    assert.deepEqual(await left('account_links', 'hash', 'link'), ['link of new'])
    assert.deepEqual(await left('undo_links', 'hash', 'u-'), ['u-new'])
    assert.deepEqual(await left('mail_counts', 'recipient_hash', 'm-'), ['m-new'])
    assert.deepEqual(await left('sign_in_failures', 'key', ''), ['account:new', 'browser:known'])
    assert.deepEqual(await left('intake_keys', 'key', 'k-'), ['k-new'])
    assert.deepEqual(await left('invitations', 'hash', 'i-'), ['i-new'])
    assert.deepEqual(await left('agent_invitations', 'hash', 'i-'), ['i-new'])
    assert.deepEqual(await left('email_codes', 'challenge', 'i-'), ['i-new'])
    assert.deepEqual(await left('sent_forms', 'key', 'i-'), ['i-new'])
    assert.deepEqual(await left('job_reports', 'id', 'i-'), ['i-new'])
    assert.deepEqual(await left('ad_decisions', 'actor', 'i-'), ['i-new'])
    assert.deepEqual(await left('ad_versions', 'hash', ''), ['i-new', 'newest', 'newest'])
    assert.deepEqual(await left('rate_counts', 'key', 'i-'), ['i-new'])
    assert.deepEqual(await left('recent_decisions', 'delivery_id', 'i-'), ['i-new'])
    assert.deepEqual(await left('leases', 'name', 'i-'), ['i-new'])
  })

  test('removes accounts that can no longer be confirmed', async () => {
    const now = clock()
    for (const name of ['u-forgotten', 'u-waiting', 'u-confirmed']) await addAccount(name, now - 2 * day)
    await addAccount('u-fresh', now - 1)
    await addLink('u-forgotten', now)
    await addLink('u-waiting', now + 1)
    await addLink('u-confirmed', now + 1)
    assert.ok(await accounts().confirm('link of u-confirmed', now))
    assert.equal((await expiry().run()).did['accounts'], 1)
    assert.deepEqual(await left('candidates', 'id', 'u-'), ['u-confirmed', 'u-fresh', 'u-waiting'])
  })

  test('accepts every confirmation at the same moment, and every new link or none', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `r-${index}`)
    for (const name of names) await addAccount(name, clock() - 2 * day)
    const [linked, unlinked] = [names.slice(0, 6), names.slice(6)]
    for (const name of linked) await addLink(name, clock() + hour)
    const [confirmed, added] = await Promise.all([
      Promise.all(linked.map(name => accounts().confirm(`link of ${name}`, clock()))),
      Promise.allSettled(unlinked.map(name => addLink(name, clock() + hour))),
      expiry().run(),
      expiry().run(),
    ])
    assert.ok(confirmed.every(link => link !== undefined))
    const stayed = unlinked.filter((_, index) => added[index]?.status === 'fulfilled')
    assert.deepEqual(await left('candidates', 'id', 'r-'), [...linked, ...stayed].toSorted())
  })

  test('is harmless when two processes run it at once, and ends when it is asked to', async () => {
    for (let index = 0; index < 9; index++) {
      await addSession(`p-${index}`, clock())
      await addToken(`p-${index}`, clock())
    }
    let asked = 0
    const { did } = await expiry().run(async () => ++asked <= 2)
    assert.deepEqual(did, { tokens: 4 })
    const both = await Promise.all([expiry().run(), expiry().run()])
    const total = (what: string) => both.reduce((sum, run) => sum + (run.did[what] ?? 0), 0)
    // A process that finds the other's rows locked skips them, and may stop there.
    await expiry().run()
    assert.ok(total('sessions') <= 9 && total('tokens') <= 5)
    assert.deepEqual(await left('sessions', 'hash', 'p-'), [])
    assert.deepEqual(await left('oauth_tokens', 'hash', 'p-'), [])
  })
})
