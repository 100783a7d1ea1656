import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { applicationOf, applicationPart, idOf, post } from '../harness/intake.ts'
import { dayMs, inDemoWorld, secondMs } from '../oauth/world.ts'
import { assertCode, type Board, board, boardToken, nextPage } from './postings.ts'
import { harbourId } from './version2.ts'

const ads = '/v1/intake/job-ads'
const screens = '/v1/intake/screens'
const ad = { advertiserId: harbourId, title: 'Baker', location: 'Newcastle', description: 'Bread.' }
const screen = { advertiserId: harbourId, name: 'Bread', questions: [{ type: 'Text', text: 'Rye?' }] }

inDemoWorld('ads and screens of a job board', world => {
  let token: string
  let calls: Board
  before(async () => {
    token = await boardToken(world().door)
    calls = board(world().door, token)
  })
  const idsIn = async (path: string, query = '') => {
    const answer = await calls.get(`${path}?advertiserId=${harbourId}${query}`)
    assert.equal(answer.status, 200, answer.text)
    const [entries] = Object.values(answer.json()) as [{ id: number; status: string }[]]
    return entries.map(({ id }) => id)
  }

  for (const [path, body, changed] of [
    [ads, ad, { ...ad, title: 'Cook' }],
    [
      screens,
      screen,
      { ...screen, name: 'Cake', questions: screen.questions.map(each => ({ ...each, id: 'new' })) },
    ],
  ] as const) {
    describe(path, () => {
      test('with a key, one is created once, and a repetition returns its current state', async () => {
        const key = `made once ${path}`.replaceAll(' ', '-')
        const first = await calls.post(path, body, key)
        assert.equal(first.status, 201, first.text)
        assert.equal(first.headers.get('idempotent-replayed'), null)
        const { id } = first.json()
        world().clock.advance(secondMs)
        await calls.put(`${path}/${id}`, changed)
        const backwards = Object.fromEntries(Object.entries(body).toReversed())
        const again = await calls.post(path, backwards, key)
        assert.deepEqual([again.status, again.json().id], [201, id], again.text)
        assert.equal(again.headers.get('idempotent-replayed'), 'true')
        assert.equal(again.headers.get('location'), first.headers.get('location'))
        assert.equal(again.json().updatedAt, new Date(world().clock()).toISOString())
        assert.deepEqual(await idsIn(path, `&afterId=${id - 1}`), [id])
      })

      test('twenty at once create one', async () => {
        const [last = 0] = (await idsIn(path, '&limit=1000')).slice(-1)
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => calls.post(path, body, `at-once-${path}`)),
        )
        const made = new Set(answers.map(answer => (answer.status === 201 ? answer.json().id : answer.text)))
        assert.deepEqual([...made], await idsIn(path, `&afterId=${last}`))
        assert.equal(made.size, 1)
      })

      test('other content under the key is refused, and a failure frees it', async () => {
        const key = `refused-${path}`
        assert.equal((await calls.post(path, { ...body, advertiserId: 'x' }, key)).status, 422)
        assert.equal((await calls.post(path, body, key)).status, 201)
        assertCode(await calls.post(path, changed, key), 409, 'idempotency-key-reused')
        assertCode(await calls.post(path, body, 'no blanks'), 400, 'invalid-parameter')
      })
    })
  }

  test('a key creates one object, of one kind', async () => {
    const key = 'one-kind'
    idOf(await post(world().door, token, [applicationPart(applicationOf())], key))
    assertCode(await calls.post(ads, ad, key), 409, 'idempotency-key-reused')
    const other = 'of-an-ad'
    assert.equal((await calls.post(ads, ad, other)).status, 201)
    const sent = await post(world().door, token, [applicationPart(applicationOf())], other)
    assertCode(sent, 409, 'idempotency-key-reused')
  })

  test('an ad is found again even if its screen has been closed since', async () => {
    const { id: screenId } = (await calls.post(screens, screen)).json()
    const sent = { ...ad, screenId }
    const first = await calls.post(ads, sent, 'closed-screen')
    await calls.post(`${screens}/${screenId}/close?advertiserId=${harbourId}`)
    const again = await calls.post(ads, sent, 'closed-screen')
    assert.deepEqual([again.status, again.json().id], [201, first.json().id], again.text)
    assert.equal((await calls.post(ads, sent)).status, 422)
  })

  test('ads are found by their reference, page by page', async () => {
    const references = ['R/1 & more', 'R/1 & more', 'r/1 & more', 'R/1 & more', undefined]
    const made: number[] = []
    for (const reference of references) made.push((await calls.post(ads, { ...ad, reference })).json().id)
    const found: number[] = []
    let next: string | undefined =
      `${ads}?advertiserId=${harbourId}&limit=2&reference=${encodeURIComponent('R/1 & more')}`
    while (next !== undefined) {
      const answer = await calls.get(next)
      found.push(...answer.json().jobAds.map(({ id }: { id: number }) => id))
      next = nextPage(world().door, answer)
    }
    assert.deepEqual(found, [made[0], made[1], made[3]])
    assert.deepEqual(await idsIn(ads, '&reference=none'), [])
    const unwritable = await calls.get(`${ads}?advertiserId=${harbourId}&reference=a%00b`)
    assertCode(unwritable, 400, 'invalid-parameter')
    assert.ok((await idsIn(ads, '&reference=&limit=1000')).length >= 5)
  })

  test('an ad whose closing date has passed is closed, wherever it is read', async () => {
    const closingDate = new Date(world().clock() + 10 * 3_600_000).toISOString().slice(0, 10)
    const { id, status } = (await calls.post(ads, { ...ad, closingDate, reference: 'past' })).json()
    assert.equal(status, 'open')
    world().clock.advance(dayMs)
    calls = board(world().door, await boardToken(world().door))
    const listed = await calls.get(`${ads}?advertiserId=${harbourId}&reference=past`)
    const read = await calls.get(`${ads}/${id}?advertiserId=${harbourId}`)
    assert.deepEqual([listed.json().jobAds[0].status, read.json().status], ['closed', 'closed'])
  })
})
