import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { ProfileToken } from '../../src/model/principal.ts'
import { scopes } from '../../src/share/protocol/scopes.ts'
import { addCandidate } from '../harness/applications.ts'
import { open, withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { newPrefill } from '../harness/person.ts'
import { at, holderOf, newCode, newDecision, newToken, redirectUri } from '../store/scene.ts'
import { type Stores, storesOver } from '../store/stores.ts'

const rounds = times(5, 40)

/** A candidate hears once of each client that gets their data, whatever happens at the same time. */
withServices('the first disclosure to a client', (services, settings) => {
  let stores: Stores
  let advertisers: number[]
  let serial = 0

  before(async () => {
    stores = storesOver(services().database)
    advertisers = [
      (await services().advertisers.add('Harbour')).id,
      (await services().advertisers.add('Dock')).id,
    ]
    for (const id of ['careers', 'other']) {
      const client = { id, name: id, agentId: null, requirePkce: false, redirectUris: [redirectUri] }
      await stores.clients.add({ ...client, scopes: [scopes.profile] }, holderOf(id).secretHash, at)
    }
  })

  async function newCandidate(): Promise<string> {
    serial += 1
    await addCandidate(services(), `candidate-${serial}`)
    return `candidate-${serial}`
  }

  /** For one company of the client, or for the client itself. */
  async function grant(
    candidateId: string,
    clientId: string,
    advertiserId: number | null,
  ): Promise<ProfileToken> {
    serial += 1
    const [grantId, code, hash] = [`grant-${serial}`, `code-${serial}`, `token-${serial}`]
    await stores.oauth.recordConsent(
      { candidateId, clientId, advertiserId },
      newDecision(grantId),
      newCode(code),
    )
    assert.ok(await stores.oauth.redeem(code, holderOf(clientId), newToken(hash), 3))
    return { hash, clientId, candidateId, grantId, advertiserId, released: 63 }
  }

  const prefill = (token: ProfileToken, by = stores) => {
    serial += 1
    const asked = newPrefill(`p${serial}`, advertisers[serial % 2] as number, 'none')
    return by.sharing.recordPrefill(token, { ...asked, resume: null }, at)
  }

  async function takeNotices(): Promise<object[]> {
    const rows = await services()
      .database.writer.deleteFrom('deliveries')
      .returning(['kind', 'content'])
      .execute()
    return rows.map(({ kind, content }) => ({ kind, ...JSON.parse(content) }))
  }

  test(`queues one email when several processes disclose at once, in ${rounds} rounds`, async () => {
    const others = await open(settings())
    try {
      const nodes = [stores, storesOver(others.database)]
      for (let round = 0; round < rounds; round++) {
        const candidateId = await newCandidate()
        const tokens = [
          await grant(candidateId, 'careers', null),
          await grant(candidateId, 'careers', advertisers[0] ?? 0),
        ]
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            prefill(tokens[index % 2] as ProfileToken, nodes[(index >> 1) % 2]),
          ),
        )
        assert.ok(results.every(result => result !== undefined))
        const notices = await takeNotices()
        assert.equal(notices.length, 1)
        const [notice] = notices as [{ advertiserId: number }]
        assert.ok(advertisers.includes(notice.advertiserId))
        const { advertiserId } = notice
        assert.deepEqual(notice, { kind: 'first-disclosure', candidateId, clientId: 'careers', advertiserId })
      }
    } finally {
      await others.close()
    }
  })

  test('is the first one ever: after a withdrawal, for another company or another candidate', async () => {
    const candidateId = await newCandidate()
    const first = await grant(candidateId, 'careers', null)
    await prefill(first)
    assert.equal((await takeNotices()).length, 1)
    await prefill(first)
    await stores.consents.withdraw(candidateId, first.grantId, at)
    assert.equal(await prefill(first), undefined)
    await prefill(await grant(candidateId, 'careers', null))
    await prefill(await grant(candidateId, 'careers', advertisers[1] ?? 0))
    assert.deepEqual(await takeNotices(), [])
    await prefill(await grant(candidateId, 'other', null))
    await prefill(await grant(await newCandidate(), 'careers', null))
    assert.equal((await takeNotices()).length, 2)
  })

  test('queues nothing when nothing is disclosed', async () => {
    const token = await grant(await newCandidate(), 'careers', null)
    assert.equal(await prefill({ ...token, hash: 'made up' }), undefined)
    await services().advertisers.setStatus(advertisers[0] ?? 0, 'hold')
    await services().advertisers.setStatus(advertisers[1] ?? 0, 'hold')
    assert.equal(await prefill(token), undefined)
    assert.deepEqual(await takeNotices(), [])
  })
})
