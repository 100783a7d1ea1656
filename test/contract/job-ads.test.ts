import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { bearer } from '../harness/oauth.ts'
import { secondMs } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { assertCode, assertFields, type Board, board, boardToken, nextPage } from './postings.ts'
import { harbourId, onHoldId, ownToken, southernId, watched } from './version2.ts'

const path = '/v1/intake/job-ads'
const plainAd = {
  advertiserId: harbourId,
  title: 'Pastry cook',
  location: 'Newcastle NSW',
  description: 'Croissants.\n\nEvery day.',
}

inDemoWorldInTurn('job ads of a job board', world => {
  let calls: Board
  before(async () => {
    calls = board(world().door, await boardToken(world().door))
  })
  const at = (id: number, verb = '', advertiserId: number = harbourId) =>
    `${path}/${id}${verb}?advertiserId=${advertiserId}`
  const post = async (change: Record<string, unknown> = {}) => {
    const answer = await calls.post(path, { ...plainAd, ...change })
    assert.equal(answer.status, 201, answer.text)
    return answer.json()
  }
  const postQuestionnaire = async (advertiserId: number = harbourId): Promise<number> => {
    const questions = [{ type: 'Text', text: 'Why?' }]
    const answer = await calls.post('/v1/intake/screens', { advertiserId, name: 'Screen', questions })
    assert.equal(answer.status, 201, answer.text)
    return answer.json().id
  }

  describe('one ad', () => {
    test('it is created open, and can be read at its Location', async () => {
      const sent = { reference: 'HCR-90', closingDate: '2026-12-24', advertiserId: String(harbourId) }
      const answer = await calls.post(path, { ...plainAd, ...sent })
      assert.equal(answer.status, 201, answer.text)
      const ad = answer.json()
      const now = new Date(world().clock()).toISOString()
      assert.deepEqual(ad, {
        id: ad.id,
        ...plainAd,
        reference: 'HCR-90',
        screenId: null,
        closingDate: '2026-12-24',
        status: 'open',
        createdAt: now,
        updatedAt: now,
      })
      assert.ok(ad.id > 1000)
      const location = answer.headers.get('location') ?? ''
      assert.equal(location, `${world().door.origin}${at(ad.id)}`)
      const read = await calls.get(location.slice(world().door.origin.length))
      assert.deepEqual(read.json(), ad)
      assert.equal(read.headers.get('cache-control'), 'no-store')
    })

    test('it is replaced as a whole: omitted fields are cleared', async () => {
      const screenId = await postQuestionnaire()
      const ad = await post({ reference: 'HCR-91', screenId })
      world().clock.advance(secondMs)
      const answer = await calls.put(`${path}/${ad.id}`, { ...plainAd, title: 'Baker' })
      assert.equal(answer.status, 200, answer.text)
      const updatedAt = new Date(world().clock()).toISOString()
      const expected = { ...ad, title: 'Baker', reference: null, screenId: null, updatedAt }
      assert.deepEqual(answer.json(), expected)
      assert.deepEqual((await calls.get(at(ad.id))).json(), expected)
    })

    test('closing and reopening can be repeated, and only a change updates its time', async () => {
      const ad = await post()
      for (const [verb, status] of [
        ['/close', 'closed'],
        ['/open', 'open'],
      ] as const) {
        world().clock.advance(secondMs)
        const updatedAt = new Date(world().clock()).toISOString()
        const first = await calls.post(at(ad.id, verb))
        assert.equal(first.status, 200, first.text)
        assert.deepEqual(first.json(), { ...ad, status, updatedAt })
        world().clock.advance(secondMs)
        assert.deepEqual((await calls.post(at(ad.id, verb))).json(), first.json())
      }
    })

    test('headers about a body that was not sent make no difference', async () => {
      const ad = await post()
      const token = await boardToken(world().door)
      const send = (type: string, body?: string) =>
        watched(world().door).send('POST', at(ad.id, '/close'), {
          headers: { ...bearer(token), 'content-type': type },
          ...(body === undefined ? {} : { body }),
        })
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'x']) {
        const answer = await send(type)
        assert.deepEqual([answer.status, answer.json().status], [200, 'closed'], type)
        assert.equal((await send(type, '')).status, 200, type)
      }
      assertCode(await send('application/json', '{'), 400, 'bad-request')
      assertCode(await calls.post(path), 415, 'unsupported-media-type')
    })

    test('a closed one can be changed, and stays closed', async () => {
      const ad = await post()
      await calls.post(at(ad.id, '/close'))
      const answer = await calls.put(`${path}/${ad.id}`, { ...plainAd, title: 'Baker' })
      assert.deepEqual([answer.json().title, answer.json().status], ['Baker', 'closed'])
    })

    test('every fault is reported at its field, and no ad is created', async () => {
      const before = (await calls.get(`${path}?advertiserId=${harbourId}&limit=1000`)).json().jobAds.length
      const wrong = {
        advertiserId: harbourId,
        title: 'a\nb',
        location: 7,
        closingDate: '2026-02-30',
        titel: '',
      }
      assertFields(await calls.post(path, wrong), {
        title: 'line-break',
        location: 'wrong-type',
        description: 'empty',
        closingDate: 'invalid',
        titel: 'unknown',
      })
      for (const body of [[], 'text', 7, null])
        assertFields(await calls.post(path, body), { '': 'wrong-type' })
      const after = (await calls.get(`${path}?advertiserId=${harbourId}&limit=1000`)).json().jobAds.length
      assert.equal(after, before)
      const ad = await post()
      assertFields(await calls.put(`${path}/${ad.id}`, { advertiserId: harbourId }), {
        title: 'empty',
        location: 'empty',
        description: 'empty',
      })
      assert.deepEqual((await calls.get(at(ad.id))).json(), ad)
    })
  })

  describe('its screen', () => {
    test("it must be open, and the advertiser's own", async () => {
      const own = await postQuestionnaire()
      assert.equal((await post({ screenId: own })).screenId, own)
      const foreign = await postQuestionnaire(southernId)
      assertFields(await calls.post(path, { ...plainAd, screenId: foreign }), { screenId: 'unknown' })
      assertFields(await calls.post(path, { ...plainAd, screenId: 999_999 }), { screenId: 'unknown' })
    })

    test('a closed one cannot be added to an ad, but an ad that has it keeps it', async () => {
      const screenId = await postQuestionnaire()
      const [having, other] = [await post({ screenId }), await post()]
      await calls.post(`/v1/intake/screens/${screenId}/close?advertiserId=${harbourId}`)
      assertFields(await calls.post(path, { ...plainAd, screenId }), { screenId: 'closed' })
      assertFields(await calls.put(`${path}/${other.id}`, { ...plainAd, screenId }), { screenId: 'closed' })
      const kept = await calls.put(`${path}/${having.id}`, { ...plainAd, title: 'Baker', screenId })
      assert.equal(kept.status, 200, kept.text)
      assert.deepEqual([kept.json().title, kept.json().screenId], ['Baker', screenId])
      await calls.post(`/v1/intake/screens/${screenId}/open?advertiserId=${harbourId}`)
      assert.equal((await post({ screenId })).screenId, screenId)
    })
  })

  describe('the list', () => {
    test('it has every ad of the advertiser once, ascending, page by page', async () => {
      for (let i = 0; i < 3; i++) await post()
      await post({ advertiserId: southernId })
      const whole = (await calls.get(`${path}?advertiserId=${harbourId}`)).json().jobAds
      const ids = whole.map(({ id }: { id: number }) => id)
      assert.deepEqual(
        ids,
        ids.toSorted((a: number, b: number) => a - b),
      )
      assert.ok(whole.every((ad: { advertiserId: number }) => ad.advertiserId === harbourId))
      const paged: unknown[] = []
      let next: string | undefined = `${path}?advertiserId=${harbourId}&limit=2`
      while (next !== undefined) {
        const answer = await calls.get(next)
        const { jobAds } = answer.json()
        next = nextPage(world().door, answer)
        assert.ok(jobAds.length === 2 || next === undefined)
        paged.push(...jobAds)
      }
      assert.deepEqual(paged, whole)
      const after = await calls.get(`${path}?ADVERTISERID=${harbourId}&afterid=${ids.at(-2)}&limit=`)
      assert.deepEqual(after.json().jobAds, whole.slice(-1))
      const beyond = await calls.get(`${path}?advertiserId=${harbourId}&afterId=9999999999999999999`)
      assert.deepEqual(beyond.json(), { jobAds: [] })
    })

    const wrong: [string, string][] = [
      ['', 'advertiserId'],
      ['?advertiserId=', 'advertiserId'],
      ['?advertiserId=x', 'advertiserId'],
      ['?advertiserId=0', 'advertiserId'],
      [`?advertiserId=${harbourId}&limit=0`, 'limit'],
      [`?advertiserId=${harbourId}&limit=1001`, 'limit'],
      [`?advertiserId=${harbourId}&limit=ten`, 'limit'],
      [`?advertiserId=${harbourId}&afterId=-1`, 'afterId'],
      [`?advertiserId=${harbourId}&afterId=1.5`, 'afterId'],
    ]
    test('an unreadable parameter is named', async () => {
      for (const [query, name] of wrong) {
        const answer = await calls.get(path + query)
        assertCode(answer, 400, 'invalid-parameter')
        assert.match(answer.json().detail, new RegExp(`parameter ${name} `), query)
      }
      const twice = await calls.get(`${path}?advertiserId=${harbourId}&AdvertiserId=${harbourId}`)
      assertCode(twice, 400, 'repeated-parameter')
    })
  })

  describe('who may access it', () => {
    test("another advertiser's ad is not found", async () => {
      const ad = await post({ advertiserId: southernId })
      for (const id of [ad.id, 999_999, 'x', '1e3', '-1'] as number[]) {
        assertCode(await calls.get(at(id)), 404, 'not-found')
        assertCode(await calls.post(at(id, '/close')), 404, 'not-found')
        assertCode(await calls.post(at(id, '/open')), 404, 'not-found')
        assertCode(await calls.put(`${path}/${id}`, plainAd), 404, 'not-found')
      }
      assert.deepEqual((await calls.get(at(ad.id, '', southernId))).json(), ad)
    })

    test('an advertiser not listed on the client is refused everywhere, whether or not it exists', async () => {
      for (const advertiserId of [onHoldId, 99_999_999]) {
        const body = { ...plainAd, advertiserId }
        const answers = [
          await calls.post(path, body),
          await calls.put(`${path}/1`, body),
          await calls.get(`${path}?advertiserId=${advertiserId}`),
          await calls.get(at(1, '', advertiserId)),
          await calls.post(at(1, '/close', advertiserId)),
          await calls.post(at(1, '/open', advertiserId)),
        ]
        for (const answer of answers) assertCode(answer, 403, 'advertiser-not-listed')
      }
    })

    test('only the token of a job board opens it', async () => {
      const door = watched(world().door)
      const headers = { authorization: `Bearer ${await ownToken(world().door)}` }
      for (const [method, url] of [
        ['GET', `${path}?advertiserId=${harbourId}`],
        ['POST', at(1, '/close')],
      ] as const) {
        assert.equal((await door.send(method, url)).status, 401)
        assert.equal((await door.send(method, url, { headers })).status, 401)
      }
    })
  })
})
