import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { maryId } from '../../src/demo/world/world.ts'
import { allCategories } from '../../src/model/categories.ts'
import { withDemo } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import type { Services } from '../harness/services.ts'

const rounds = times(5, 25)
const parallel = 8
const issuer = 'http://localhost'
const redirectUri = 'http://127.0.0.1:9090/callback'
const formUrl = 'https://careers.example.com/apply'

/** A token or code issued during a withdrawal is either refused or revoked with the rest, and never stays valid. */
withDemo('withdrawals while codes and tokens are issued', services => {
  const query = new URLSearchParams({
    client_id: 'demo-ats',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'r_profile_apply',
  }).toString()

  async function newCode({ authorization }: Services, more = ''): Promise<string> {
    const request = await authorization.check(query + more)
    const choice = { released: allCategories, filled: allCategories }
    const location = await authorization.allow(maryId, request, choice, issuer)
    return new URL(location).searchParams.get('code') as string
  }

  const call = (authorization: string, body: Record<string, string>) => ({
    authorization: `Basic ${Buffer.from(authorization).toString('base64')}`,
    query: '',
    body: new URLSearchParams(body).toString(),
  })
  const exchange = (code: string) =>
    services()
      .tokens.issue(
        call('demo-ats:demo-ats-secret', {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
        }),
        async () => {},
      )
      .then(answer => answer.access_token)

  /** The values of those that went through. Every failure must be a refusal, not a fault. */
  function succeeded(results: PromiseSettledResult<string>[], refusal: RegExp): string[] {
    return results.flatMap(result => {
      if (result.status === 'fulfilled') return [result.value]
      assert.match(String(result.reason), refusal)
      return []
    })
  }

  async function standingConsent(): Promise<string> {
    const [consent] = await services().consents.listConsents(maryId)
    assert.ok(consent)
    return consent.grantId
  }

  test('leaves no token of the consent valid', async () => {
    for (let round = 0; round < rounds; round++) {
      const codes = await Promise.all(Array.from({ length: parallel }, () => newCode(services())))
      const grantId = await standingConsent()
      const attempts = Promise.allSettled(codes.map(exchange))
      const withdrawn = services().consents.withdraw(maryId, grantId, services().clock())
      const tokens = succeeded(await attempts, /invalid_grant/)
      assert.equal(await withdrawn, true)
      for (const token of tokens) {
        await assert.rejects(services().tokenCheck.profile(token), { code: 'invalid-token' })
      }
    }
  })

  test('of an authorisation leaves no consent, code or token of the pair', async () => {
    const [advertiserId, agentId] = [10000001, 20000001]
    const pair = `&advertiser_id=${advertiserId}`
    for (let round = 0; round < rounds; round++) {
      const [code = ''] = await Promise.all(
        Array.from({ length: round % 2 }, () => newCode(services(), pair)),
      )
      const consenting = Promise.allSettled(Array.from({ length: parallel }, () => newCode(services(), pair)))
      const exchanging = Promise.allSettled(code === '' ? [] : [exchange(code)])
      await services().agents.withdraw(advertiserId, agentId)
      const codes = succeeded(await consenting, /invalid_request|does not authorise/)
      const tokens = succeeded(await exchanging, /invalid_grant/)
      const standing = await services()
        .database.reader.selectFrom('grants')
        .select('id')
        .where('advertiser_id', '=', advertiserId)
        .where('withdrawn_at', 'is', null)
        .execute()
      assert.deepEqual(standing, [])
      await services().agents.authorise(advertiserId, agentId)
      for (const each of codes) await assert.rejects(exchange(each), /invalid_grant/)
      for (const token of tokens)
        await assert.rejects(services().tokenCheck.profile(token), { code: 'invalid-token' })
    }
  })

  test('leaves no recorded disclosure that began after it, and no unrecorded one', async () => {
    for (let round = 0; round < rounds; round++) {
      const token = await services().tokenCheck.profile(await exchange(await newCode(services())))
      const grantId = await standingConsent()
      const attempts = Promise.allSettled(
        Array.from({ length: parallel }, (_, serial) =>
          services()
            .sharing.prefill(
              token,
              { advertiserId: '10000001', applicationFormUrl: `${formUrl}/${round}/${serial}` },
              issuer,
            )
            .then(answer => answer.id),
        ),
      )
      await services().consents.withdraw(maryId, grantId, services().clock())
      const late = services().sharing.prefill(
        token,
        { advertiserId: '10000001', applicationFormUrl: `${formUrl}/${round}/late` },
        issuer,
      )
      await assert.rejects(late, { code: 'invalid-token' })
      const ids = succeeded(await attempts, /invalid-token/)
      const rows = await services()
        .database.reader.selectFrom('disclosures')
        .select('id')
        .where('grant_id', '=', grantId)
        .execute()
      assert.equal(rows.length, ids.length)
    }
  })

  test('leaves nothing that the client reports afterwards', async () => {
    const { database, clock } = services()
    const token = await services().tokenCheck.profile(await exchange(await newCode(services())))
    const answer = await services().sharing.prefill(
      token,
      { advertiserId: '10000001', applicationFormUrl: `${formUrl}/reported` },
      issuer,
    )
    const client = await services()
      .tokens.issue(call('demo-ats:demo-ats-secret', { grant_type: 'client_credentials' }), async () => {})
      .then(issued => services().tokenCheck.client(issued.access_token))
    const entry = {
      prefilledApplicationId: answer.id,
      state: 'hired',
      at: new Date(clock()).toISOString(),
    }
    let reporting: ReturnType<Services['sharing']['reportProgress']> | undefined
    await database.writer.transaction().execute(async trx => {
      await trx
        .updateTable('grants')
        .set({ withdrawn_at: clock() })
        .where('id', '=', await standingConsent())
        .execute()
      // Waits for this transaction, on SQLite for its turn.
      reporting = services().sharing.reportProgress(client, { entries: [entry] })
      await untilWaiting(reporting)
      // As the deletion of an account does later.
      await trx
        .updateTable('prefilled_applications')
        .set({ completed_at: null })
        .where('id', '=', answer.id)
        .execute()
    })
    const [result] = (await reporting) ?? []
    assert.equal(result && 'code' in result && result.code, 'not-found')
  })

  /** Until a transaction waits for a lock, or the work is done; on SQLite writers wait in the process. */
  async function untilWaiting(work: Promise<unknown>): Promise<void> {
    const { reader, dialect } = services().database
    if (dialect === 'sqlite') return
    let isDone = false
    const end = () => {
      isDone = true
    }
    work.then(end, end)
    const waiting = sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    while (!isDone && (await waiting.execute(reader)).rows.length === 0);
  }

  test('leaves no token of a disabled client alive', async () => {
    for (let round = 0; round < rounds; round++) {
      const id = `client-${round}`
      const { secret } = await services().clients.add({
        id,
        name: 'A client',
        redirectUris: [redirectUri],
        agentId: null,
        requirePkce: false,
      })
      const attempts = Promise.allSettled(
        Array.from({ length: parallel }, () =>
          services()
            .tokens.issue(call(`${id}:${secret}`, { grant_type: 'client_credentials' }), async () => {})
            .then(answer => answer.access_token),
        ),
      )
      await services().clients.disable(id)
      for (const token of succeeded(await attempts, /invalid_client/)) {
        await assert.rejects(services().tokenCheck.client(token), { code: 'invalid-token' })
      }
    }
  })

  test('two consents at once leave one in force, and both codes work', async () => {
    for (let round = 0; round < rounds; round++) {
      const codes = await Promise.all(Array.from({ length: parallel }, () => newCode(services())))
      assert.equal((await services().consents.listConsents(maryId)).length, 1)
      const tokens = await Promise.all(codes.map(exchange))
      assert.equal(new Set(tokens).size, parallel)
      await services().consents.withdraw(maryId, await standingConsent(), services().clock())
    }
  })
})
