import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harbourId } from '../../src/demo/world/world.ts'
import type { AuditScope } from '../../src/platform/audit/acts.ts'
import { withDemo } from '../harness/database.ts'
import { storesOver } from '../store/stores.ts'

withDemo('what an intruder would change is on record', services => {
  const last = async (action: string, scope: AuditScope = 'board') => {
    const [entry] = await services().auditLog.list(scope, { action }, undefined, 1)
    const read = (json: string | null | undefined) => JSON.parse(json ?? 'null')
    return { before: read(entry?.before), after: read(entry?.after) }
  }

  test('the redirect URIs and the privacy link of a client', async () => {
    const { clients } = services()
    const careers = { name: 'Careers', agentId: null, scopes: ['r_profile_apply'], requirePkce: false }
    const uris = ['http://[::1]:9090/callback', 'https://z.example/cb?from=a%20b']
    await clients.add({ ...careers, id: 'noted', redirectUris: uris })
    assert.equal((await last('client.add')).after.uris, uris.join(' '))
    const { clients: store } = storesOver(services().database)
    await store.setRedirectUris('noted', ['https://thief.example/cb'])
    assert.deepEqual(await last('client.redirect-uris'), {
      before: { redirectUris: 2, uris: uris.join(' ') },
      after: { redirectUris: 1, uris: 'https://thief.example/cb' },
    })
    await store.setPrivacyUrl('noted', 'https://z.example/datenschutz-für-alle')
    assert.deepEqual((await last('client.privacy')).after, {
      isSet: true,
      privacyUrl: 'https://z.example/datenschutz-f%C3%BCr-alle',
    })
    await store.setRedirectUris('noted', [])
    assert.equal((await last('client.redirect-uris')).after.uris, null)
  })

  test('the host of a webhook, without the path, which may be a secret', async () => {
    const { endpoints } = storesOver(services().database)
    const owner = { advertiserId: harbourId }
    const url = 'https://[2001:db8::7]:8443/hooks/secret'
    await endpoints.add(
      {
        id: 'noted',
        owner,
        url,
        description: '',
        scheme: 'v1' as const,
        types: [],
        createdAt: services().clock(),
      },
      10,
    )
    const { after } = await last('webhook.add', { ownerId: harbourId })
    assert.equal(after.host, 'https://[2001:db8::7]:8443')
    assert.match(after.fingerprint, /^[0-9a-f]{16}$/)
    await endpoints.change(owner, 'noted', { url: `${url}-of-another` })
    const changed = await last('webhook.change', { ownerId: harbourId })
    assert.equal(changed.after.host, after.host)
    assert.notEqual(changed.after.fingerprint, after.fingerprint)
    assert.doesNotMatch(JSON.stringify([after, changed]), /secret/)
  })

  test('a removed factor, in the chains of companies that require one', async () => {
    const { writer } = services().database
    const { candidate_id } = await writer
      .selectFrom('memberships')
      .select('candidate_id')
      .where('advertiser_id', '=', harbourId)
      .executeTakeFirstOrThrow()
    const removed = async () => {
      const factor = { candidate_id, secret: 'sealed', created_at: 1, last_used_at: 1 }
      await writer
        .insertInto('totp_factors')
        .values({ ...factor, last_step: 0 })
        .execute()
      assert.ok(
        await storesOver(services().database).factors.removeTotp(
          { candidateId: candidate_id, sessionId: '' },
          2,
          [],
        ),
      )
      return (await last('factor.remove', { ownerId: harbourId })).before
    }
    assert.equal(await removed(), null)
    await writer.updateTable('advertisers').set({ requires_factor: 1 }).where('id', '=', harbourId).execute()
    assert.deepEqual(await removed(), { kind: 'totp' })
    assert.deepEqual((await last('factor.remove')).before, { kind: 'totp' })
  })
})
