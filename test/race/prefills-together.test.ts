import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { before, test } from 'node:test'
import type { ProfileToken } from '../../src/model/principal.ts'
import { scopes } from '../../src/share/protocol/scopes.ts'
import { addCandidate } from '../harness/applications.ts'
import { open, withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { newPrefill } from '../harness/person.ts'
import { at, holderOf, newCode, newDecision, newResume, newToken, redirectUri } from '../store/scene.ts'
import { type Stores, storesOver } from '../store/stores.ts'

const rounds = times(5, 60)
const atOnce = 12

interface Person {
  token: ProfileToken
  resumeId: string
}

/** PostgreSQL records those of many candidates in one statement, which locks rows of all of them. */
withServices('prefills of many candidates at once', (services, settings) => {
  let stores: Stores
  let advertiserId: number
  let serial = 0
  const next = (what: string) => `${what}-${++serial}`

  before(async () => {
    stores = storesOver(services().database)
    advertiserId = (await services().advertisers.add('Harbour')).id
  })

  async function newClient(): Promise<string> {
    const id = next('client')
    const client = { id, name: id, agentId: null, requirePkce: false, redirectUris: [redirectUri] }
    await stores.clients.add({ ...client, scopes: [scopes.profile] }, holderOf(id).secretHash, at)
    return id
  }

  async function newPerson(clientId: string): Promise<Person> {
    const [candidateId, resumeId, grantId, code, hash] = [
      'candidate',
      'resume',
      'grant',
      'code',
      'token',
    ].map(next) as [string, string, string, string, string]
    await addCandidate(services(), candidateId)
    await stores.candidates.addResume(candidateId, newResume(resumeId), 9)
    const key = { candidateId, clientId, advertiserId: null }
    await stores.oauth.recordConsent(key, { ...newDecision(grantId), resumeId }, newCode(code))
    assert.ok(await stores.oauth.redeem(code, holderOf(clientId), newToken(hash), 3))
    return { token: { hash, clientId, candidateId, grantId, advertiserId: null, released: 63 }, resumeId }
  }

  /** The form is the same for everyone who asks in this round. */
  const prefill = (by: Stores, { token, resumeId }: Person, form: string) => {
    const asked = newPrefill(next('prefill'), advertiserId, resumeId)
    return by.sharing.recordPrefill(token, { ...asked, retryKey: `${form} ${token.hash}` }, at)
  }

  const shuffled = <T>(values: readonly T[]) =>
    values
      .map(value => ({ value, place: randomInt(1_000_000) }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ value }) => value)

  test(`each candidate has one application, one link and one email, whichever process came first, in ${rounds} rounds`, async t => {
    const others = await open(settings())
    t.after(() => others.close())
    const nodes = [stores, storesOver(others.database)]
    for (let round = 0; round < rounds; round++) {
      const clientId = await newClient()
      const people = await Promise.all(Array.from({ length: atOnce }, () => newPerson(clientId)))
      const asked = nodes.flatMap(node =>
        shuffled([...people, ...people.slice(0, 3)]).map(async person => ({
          person,
          made: await prefill(node, person, `form-${round}`),
        })),
      )
      const answers = await Promise.all(asked)
      for (const { person, made } of answers) {
        const first = answers.find(each => each.person === person)?.made
        assert.ok(made !== undefined && made.releasedResumeId !== null)
        assert.deepEqual([made.id, made.releasedResumeId], [first?.id, first?.releasedResumeId])
        const updates = answers.filter(each => each.person === person).map(each => each.made?.updatedAt)
        assert.equal(new Set(updates).size, updates.length, 'each update is newer')
      }
      const { database } = services()
      const countOf = async (table: 'prefilled_applications' | 'disclosures') =>
        (await database.reader.selectFrom(table).select('id').where('client_id', '=', clientId).execute())
          .length
      assert.equal(await countOf('prefilled_applications'), atOnce)
      assert.equal(await countOf('disclosures'), answers.length)
      const told = await database.writer.deleteFrom('deliveries').returning('id').execute()
      assert.equal(told.length, atOnce)
    }
  })

  test(`a client is disabled before or after each of them, and nothing is disclosed to it afterwards, in ${rounds} rounds`, async t => {
    const others = await open(settings())
    t.after(() => others.close())
    const nodes = [stores, storesOver(others.database)]
    for (let round = 0; round < rounds; round++) {
      const clientId = await newClient()
      const people = await Promise.all(Array.from({ length: atOnce }, () => newPerson(clientId)))
      const work = nodes.flatMap(node =>
        shuffled(people).map(person => () => prefill(node, person, `disabled-${round}`)),
      )
      const disable = () => stores.clients.disable(clientId, at)
      await Promise.all(shuffled([...work, disable]).map(each => each()))
      const after = await Promise.all(people.map(person => prefill(stores, person, `later-${round}`)))
      assert.deepEqual(
        after,
        people.map(() => undefined),
      )
    }
  })

  test(`a consent that is withdrawn among them discloses nothing afterwards, in ${rounds} rounds`, async () => {
    for (let round = 0; round < rounds; round++) {
      const clientId = await newClient()
      const people = await Promise.all(Array.from({ length: atOnce }, () => newPerson(clientId)))
      const leaving = people.filter((_, index) => index % 2 === 0)
      await Promise.all(
        shuffled([
          ...people.map(person => () => prefill(stores, person, `with-${round}`)),
          ...leaving.map(
            ({ token }) =>
              () =>
                stores.consents.withdraw(token.candidateId, token.grantId, at),
          ),
        ]).map(each => each()),
      )
      const after = await Promise.all(people.map(person => prefill(stores, person, `after-${round}`)))
      assert.deepEqual(
        after.map(made => made === undefined),
        people.map(person => leaving.includes(person)),
      )
    }
  })
})
