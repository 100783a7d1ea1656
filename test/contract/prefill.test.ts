import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { demoCandidates, maryId, tomId } from '../../src/demo/world/world.ts'
import { bitsOf } from '../../src/model/categories.ts'
import { emptyProfile, type Profile } from '../../src/model/profile.ts'
import { assertGolden } from '../harness/golden.ts'
import { Browser, bearer, mary, prefill, redeem, tokenOf, tom } from '../harness/oauth.ts'
import { secondMs, type World } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import {
  allow,
  askPrefill,
  type CategoryName,
  categoryNames,
  formUrl,
  getResume,
  grantedToken,
  harbourId,
  type Prefilled,
  postJson,
  prefilled,
  resumePath,
  southernId,
  unknownUuid,
  uuid,
} from './version2.ts'

/** The keys of the response that each category fills, and their values when nothing is released. */
const fieldsOf: Record<Exclude<CategoryName, 'resume'>, readonly string[]> = {
  phone: ['phoneNumber'],
  location: ['currentLocation'],
  qualification: ['highestQualification', 'skills'],
  workHistory: ['workHistory'],
  salary: ['salaryAndVisaByCountry'],
}
const nothing: Record<string, unknown> = {
  phoneNumber: null,
  currentLocation: null,
  highestQualification: null,
  skills: [],
  salaryAndVisaByCountry: {},
  workHistory: [],
}

/** The keys that are always there. */
function assertReleased({ applicantInfo, resume }: Prefilled, released: readonly CategoryName[]): void {
  const filled = Object.entries(fieldsOf).flatMap(([category, fields]) =>
    released.includes(category as CategoryName) ? fields : [],
  )
  for (const [field, empty] of Object.entries(nothing)) {
    if (filled.includes(field)) assert.notDeepEqual(applicantInfo[field], empty, `${field} was released`)
    else assert.deepEqual(applicantInfo[field], empty, `${field} was not released`)
  }
  assert.equal(resume !== null, released.includes('resume'), 'resume')
}

const profileOf = (candidateId: string): Profile =>
  demoCandidates.find(({ id }) => id === candidateId)?.profile as Profile

async function saveProfile({ services }: World, candidateId: string, profile: Profile): Promise<void> {
  await services.database.writer
    .updateTable('candidates')
    .set({ profile: JSON.stringify(profile) })
    .where('id', '=', candidateId)
    .execute()
}

async function addResume({ services }: World, candidateId: string, text: string): Promise<void> {
  async function* content() {
    yield Buffer.from(text)
  }
  await services.profiles.addResume(candidateId, { name: 'resume.txt', content: content() })
}

inDemoWorldInTurn('a prefill', (world, { door }) => {
  const browser = new Browser(door)
  const fresh = (ticked?: readonly string[]) =>
    grantedToken(door, ticked === undefined ? { browser } : { browser, ticked })
  before(() => world().services.agents.authorise(southernId, 20000001))

  for (const [name, email] of [
    ['mary', mary],
    ['tom', tom],
  ] as const) {
    test(`of ${name}, byte for byte`, async () => {
      const token = await grantedToken(door, { email })
      const answer = await askPrefill(door, token)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      const { id, resume, complete }: Prefilled = answer.json()
      assert.match(id, uuid)
      assert.equal(complete, `${door.origin}/v2/applications/${id}/complete`)
      const resumeId = resume?.link.slice(`${door.origin}/v2/resumes/`.length)
      const sample = [id, resumeId].reduce<string>(
        (text, each) => (each === undefined ? text : text.replaceAll(each, unknownUuid)),
        answer.text,
      )
      assertGolden(`prefill/${name}.json`, sample)
      if (name === 'tom') assert.equal(resume, null)
      else assert.match(resumeId ?? '', uuid)
    })
  }

  test('has every key in the order of the contract, whatever is released', async () => {
    for (const ticked of [categoryNames, []]) {
      const answer = await prefilled(door, await fresh(ticked))
      assert.deepEqual(Object.keys(answer), [
        'id',
        'created',
        'updated',
        'applicantInfo',
        'resume',
        'complete',
      ])
      assert.deepEqual(Object.keys(answer.applicantInfo), [
        'firstName',
        'lastName',
        'emailAddress',
        'phoneNumber',
        'currentLocation',
        'highestQualification',
        'skills',
        'salaryAndVisaByCountry',
        'workHistory',
      ])
      assertReleased(answer, ticked)
      const { firstName, lastName, emailAddress } = answer.applicantInfo
      assert.deepEqual([firstName, lastName, emailAddress], ['Mary', 'Nguyen', mary])
    }
  })

  for (const held of categoryNames) {
    test(`without ${held} withholds exactly that, and without the others releases only that`, async () => {
      const others = categoryNames.filter(category => category !== held)
      assertReleased(await prefilled(door, await fresh(others)), others)
      assertReleased(await prefilled(door, await fresh([held])), [held])
    })
  }

  test('accepts the path and the scheme in any letter case', async () => {
    const token = await fresh()
    const body = { advertiserId: harbourId, applicationFormUrl: formUrl }
    const answer = await postJson(door, '/V2/Applications/PREFILLED', null, body, {
      authorization: `bEARER   ${token}`,
    })
    assert.equal(answer.status, 200, answer.text)
  })

  test('is JSON, whatever the Accept header', async () => {
    const token = await fresh()
    for (const accept of ['application/xml', 'text/html', 'application/octet-stream', '*/*', ';;;']) {
      const answer = await prefill(door, token, {}, { ...bearer(token), accept })
      assert.equal(answer.status, 200, accept)
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    }
  })

  test('again is a retry: same ID and creation date, newer update, even if the clock stops or goes back', async () => {
    const { clock } = world()
    const token = await fresh()
    const first = await prefilled(door, token)
    assert.equal(first.created, new Date(clock()).toISOString())
    assert.equal(first.updated, first.created)
    let last = first
    for (const step of [0, 0, 1, secondMs, 0, -5 * secondMs, 60 * secondMs]) {
      clock.advance(step)
      const again = await prefilled(door, token)
      assert.equal(again.id, first.id)
      assert.equal(again.created, first.created)
      assert.equal(again.complete, first.complete)
      assert.ok(again.updated > last.updated, `${again.updated} after ${last.updated}`)
      last = again
    }
    assert.equal(last.updated, new Date(clock()).toISOString())
  })

  test('again returns the current data', async () => {
    const token = await fresh()
    const first = await prefilled(door, token)
    assert.equal(first.applicantInfo['phoneNumber'], profileOf(maryId).phoneNumber)
    await saveProfile(world(), maryId, { ...profileOf(maryId), phoneNumber: '0491 570 999', skills: [] })
    const again = await prefilled(door, token)
    await saveProfile(world(), maryId, profileOf(maryId))
    assert.equal(again.id, first.id)
    assert.equal(again.applicantInfo['phoneNumber'], '0491 570 999')
    assert.deepEqual(again.applicantInfo['skills'], [])
  })

  test('again with another title, reference, country or postcode is still the same application', async () => {
    const token = await fresh()
    const { id } = await prefilled(door, token)
    const changes = {
      positionTitle: 'Barista',
      positionUri: 'https://jobs.example.com/7',
      positionReference: 'R-7',
      countryCode: 'AU',
      postalCode: '2300',
    }
    assert.equal((await prefilled(door, token, changes)).id, id)
    const stored = await world()
      .services.database.reader.selectFrom('prefilled_applications')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      [stored.position_title, stored.position_uri, stored.position_reference, stored.country_code],
      [changes.positionTitle, changes.positionUri, changes.positionReference, changes.countryCode],
    )
    assert.equal(stored.postal_code, '2300')
  })

  test('for another form, another advertiser or with another token is another application', async () => {
    const token = await fresh()
    const other = await fresh()
    const ids = [
      (await prefilled(door, token)).id,
      (await prefilled(door, token, { applicationFormUrl: `${formUrl}#2` })).id,
      (await prefilled(door, token, { applicationFormUrl: formUrl.toUpperCase() })).id,
      (await prefilled(door, token, { applicationFormUrl: `${formUrl}/` })).id,
      (await prefilled(door, token, { advertiserId: southernId })).id,
      (await prefilled(door, other)).id,
      (await prefilled(door, other, { advertiserId: southernId })).id,
    ]
    assert.equal(new Set(ids).size, ids.length)
    assert.equal((await prefilled(door, token)).id, ids[0])
  })

  test('a later consent that releases less applies to existing tokens, and never extends them', async () => {
    const old = await fresh()
    const first = await prefilled(door, old)
    assertReleased(first, categoryNames)
    const path = resumePath(first)
    assert.equal((await getResume(door, old, path)).status, 200)

    const kept = ['phone', 'location'] as const
    const narrow = await fresh(kept)
    assertReleased(await prefilled(door, narrow), kept)
    assertReleased(await prefilled(door, old), kept)
    assert.equal((await getResume(door, old, path)).status, 404)

    const wide = await fresh()
    assertReleased(await prefilled(door, wide), categoryNames)
    assertReleased(await prefilled(door, old), kept)
    assertReleased(await prefilled(door, narrow), kept)
    assert.equal((await getResume(door, old, path)).status, 404)
    assert.equal((await getResume(door, wide, path)).status, 404, 'an identifier that has ended stays so')
  })

  test('a narrower consent also applies to a code that is not yet redeemed', async () => {
    const code = await allow(browser)
    await allow(browser, { ticked: ['phone'] })
    assertReleased(await prefilled(door, tokenOf(await redeem(door, code))), ['phone'])
  })

  test('a decision for one advertiser leaves the consent for another unchanged', async () => {
    const harbour = await grantedToken(door, { browser, advertiserId: harbourId })
    const southern = await grantedToken(door, { browser, advertiserId: southernId, ticked: [] })
    assertReleased(await prefilled(door, harbour), categoryNames)
    assertReleased(await prefilled(door, southern, { advertiserId: southernId }), [])
  })

  test('data added after the consent is not released under the old token or the old code', async () => {
    const candidate = new Browser(door)
    const old = await grantedToken(door, { browser: candidate, email: tom })
    const code = await allow(candidate)
    assertReleased(await prefilled(door, old), [])
    await saveProfile(world(), tomId, profileOf(maryId))
    await addResume(world(), tomId, 'Tom Walker\nForklift driver\n')
    try {
      assertReleased(await prefilled(door, old), [])
      assertReleased(await prefilled(door, tokenOf(await redeem(door, code))), [])
      const now = await prefilled(door, await grantedToken(door, { browser: candidate }))
      assertReleased(now, categoryNames)
      assert.equal(now.applicantInfo['emailAddress'], tom)
      assertReleased(await prefilled(door, old), [])
      assert.equal((await getResume(door, old, resumePath(now))).status, 404)
    } finally {
      await saveProfile(world(), tomId, emptyProfile)
      const [resume] = await world().services.profiles.listResumes(tomId)
      await world().services.profiles.removeResume(tomId, resume?.id ?? '')
    }
  })

  test('deleted data is not released, and the disclosure lists none', async () => {
    const token = await fresh()
    // So that it is the newest of all.
    world().clock.advance(secondMs)
    await saveProfile(world(), maryId, emptyProfile)
    const { id, ...answer } = await prefilled(door, token)
    await saveProfile(world(), maryId, profileOf(maryId))
    assertReleased({ id, ...answer }, ['resume'])
    const [last] = await world().services.sharingHistory.disclosures(maryId, 1)
    assert.equal(last?.categories, bitsOf(['resume']))
  })
})
