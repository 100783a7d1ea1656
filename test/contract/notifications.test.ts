import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harbourId, maryId, raeId, rexId, southernId } from '../../src/demo/world/world.ts'
import type { Subscription } from '../../src/model/notice-topics.ts'
import { formTo, wordsOf } from '../harness/html-form.ts'
import { Browser, mary } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'

const own = '/account/notifications'
const ofHarbour = `/console/${harbourId}/notifications`

inDemoWorldInTurn('notifications', (world, { signedIn }) => {
  const visitor = signedIn(mary)

  const mutedOf = async (id: string) => (await world().services.notifications.preferences(id)).muted
  const rhythmOf = (id: string) => world().services.notifications.rhythm(harbourId, id)
  const pathOf = (subscription: Subscription) => world().services.notifications.unsubscribePath(subscription)

  async function choose(ticked: readonly string[]) {
    const form = await visitor.form(own)
    return visitor.submit({
      ...form,
      boxes: form.boxes.map(box => ({ ...box, isTicked: ticked.includes(box.name) })),
    })
  }

  test('are all on, and each can be switched off and on again', async () => {
    const page = await visitor.get(own)
    assert.deepEqual(
      formTo(own, page.text).boxes.map(({ name, isTicked }) => [name, isTicked]),
      [
        ['receipts', true],
        ['progress', true],
        ['disclosures', true],
      ],
    )
    assert.match(wordsOf(page.text), /You can’t switch these emails off/)
    assert.equal((await choose(['progress'])).status, 303)
    assert.equal(await mutedOf(maryId), 0b101)
    assert.match(await visitor.words(`${own}?done=saved`), /Notifications saved/)
    const boxes = (await visitor.form(own)).boxes
    assert.deepEqual(
      boxes.filter(({ isTicked }) => isTicked).map(({ name }) => name),
      ['progress'],
    )
    await choose(['receipts', 'progress', 'disclosures'])
    assert.equal(await mutedOf(maryId), 0)
  })

  test('say that the mail server rejects the address', async () => {
    const { writer } = world().services.database
    const refused = { mail_refused_at: world().clock(), mail_refusal: '550 no such user' }
    await writer.updateTable('candidates').set(refused).where('id', '=', raeId).execute()
    const rae = await Browser.signedIn(world().door, 'rae@example.com')
    for (const path of [own, ofHarbour])
      assert.match(await rae.words(path), /The mail server rejected our email/)
    assert.doesNotMatch(await visitor.words(own), /rejected/, 'of one person alone')
  })

  test('of a company skip what a member has seen in the list of all applications', async () => {
    const { reader, writer } = world().services.database
    const ofRae = ['candidate_id', '=', raeId] as const
    const toldUpTo = async () =>
      (
        await reader
          .selectFrom('memberships')
          .select('told_up_to')
          .where(...ofRae)
          .executeTakeFirstOrThrow()
      ).told_up_to
    await writer
      .updateTable('memberships')
      .set({ told_up_to: 1 })
      .where(...ofRae)
      .execute()
    const rae = await Browser.signedIn(world().door, 'rae@example.com')
    const list = `/console/${harbourId}/applications`
    for (const narrowed of ['?status=hired', '?q=mary', '?ad=31', '?before=99999999', '?from=2026-01-01']) {
      await rae.get(list + narrowed)
      assert.equal(await toldUpTo(), 1, narrowed)
    }
    await rae.get(`${list}?order=unread`)
    assert.ok((await toldUpTo()) > 1)
  })

  test('of a company are each member’s own', async () => {
    const rex = await Browser.signedIn(world().door, 'rex@example.com')
    const page = await rex.get(ofHarbour)
    assert.equal(page.status, 200)
    assert.match(wordsOf(page.text), /At eight in the morning \(Australia\/Brisbane time\)/)
    const form = formTo(ofHarbour, page.text)
    assert.deepEqual(new Map(form.fields).get('rhythm'), 'daily')
    assert.equal((await rex.submit(form, { fields: { rhythm: 'soon' } })).status, 303)
    assert.deepEqual([await rhythmOf(rexId), await rhythmOf(raeId)], ['soon', 'daily'])
    assert.equal((await rex.submit(form, { fields: { rhythm: 'hourly' } })).status, 400)
    assert.equal(await rhythmOf(rexId), 'soon')
    assert.match((await rex.get(own)).text, new RegExp(`href="${ofHarbour}"`))
    // Another company, and a person who is no member.
    assert.equal((await rex.get(`/console/${southernId}/notifications`)).status, 404)
    assert.equal((await visitor.get(ofHarbour)).status, 404)
  })

  const send = (method: string, path: string) => world().door.send(method, path)
  const post = (path: string, type?: string, body?: string) =>
    world().door.send('POST', path, {
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      ...(body === undefined ? {} : { body }),
    })
  const oneClick = 'List-Unsubscribe=One-Click'
  const inParts =
    '--x\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'

  test('are switched off by a link in an email, without a cookie, and only by POST', async () => {
    const path = await pathOf({ candidateId: maryId, topic: 'receipts' })
    // As scanners of mail servers open links.
    for (const method of ['GET', 'HEAD', 'GET']) {
      assert.equal((await send(method, path)).status, 200)
    }
    for (const method of ['PUT', 'DELETE', 'PATCH'])
      assert.equal((await send(method, path)).status, 405, method)
    assert.equal(await mutedOf(maryId), 0)
    const asked = await new Browser(world().door).get(path)
    assert.match(wordsOf(asked.text), /Stop these emails\? We email you about receipts for your applications/)

    // RFC 8058: one click in the mail program, in either encoding, and never a redirect.
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', oneClick],
      ['multipart/form-data; boundary=x', inParts],
      [undefined, undefined],
    ]) {
      const done = await post(path, type, body)
      assert.equal(done.status, 200, type)
      assert.equal(await mutedOf(maryId), 0b001, 'that topic alone')
      assert.equal((await post(`${path}/undo`, 'application/x-www-form-urlencoded', '')).status, 200)
      assert.equal(await mutedOf(maryId), 0)
    }

    // By hand: the button of the page, and a change of mind.
    const stranger = new Browser(world().door)
    const done = await stranger.submit(formTo(path, asked.text))
    assert.match(wordsOf(done.text), /We won’t email you about receipts for your applications/)
    assert.equal(await mutedOf(maryId), 0b001)
    assert.match(await stranger.words(path), /These emails are off/)
    const undone = await stranger.submit(formTo(`${path}/undo`, done.text))
    assert.match(wordsOf(undone.text), /These emails are on again/)
    assert.equal(await mutedOf(maryId), 0)
  })

  test('of a company go back to the rhythm that they had', async () => {
    const path = await pathOf({ candidateId: rexId, advertiserId: harbourId })
    await world().services.notifications.setRhythm(harbourId, rexId, 'soon')
    const done = await new Browser(world().door).submit(await visitor.form(path))
    assert.match(wordsOf(done.text), /We won’t email you about applications to Harbour/)
    assert.deepEqual([await rhythmOf(rexId), await rhythmOf(raeId)], ['off', 'daily'])
    await new Browser(world().door).submit(formTo(`${path}/undo`, done.text))
    assert.equal(await rhythmOf(rexId), 'soon')
    await post(path)
    await post(`${path}/undo`, 'application/x-www-form-urlencoded', 'former=hourly')
    assert.equal(await rhythmOf(rexId), 'daily')
  })

  test('stay on with a link that was changed', async () => {
    const path = await pathOf({ candidateId: maryId, topic: 'receipts' })
    const other = await pathOf({ candidateId: rexId, advertiserId: harbourId })
    const [, , mac = ''] = path.split('.')
    const changed = [
      path.replace('receipts', 'disclosures'),
      path.replace('receipts', String(harbourId)),
      path.replace(maryId, raeId),
      other.replace(String(harbourId), String(southernId)),
      other.replace(rexId, raeId),
      path.slice(0, -1),
      `${path}.x`,
      path.replace(mac, ''),
      `/unsubscribe/${maryId}.receipts`,
      '/unsubscribe/x',
      `/unsubscribe/${'a'.repeat(3000)}`,
    ]
    const before = [await mutedOf(maryId), await mutedOf(raeId), await rhythmOf(rexId), await rhythmOf(raeId)]
    for (const wrong of changed) {
      for (const answer of [
        await send('GET', wrong),
        await post(wrong, 'application/x-www-form-urlencoded', oneClick),
        await post(`${wrong}/undo`, 'application/x-www-form-urlencoded', ''),
      ]) {
        assert.equal(answer.status, 404, wrong)
      }
    }
    const now = [await mutedOf(maryId), await mutedOf(raeId), await rhythmOf(rexId), await rhythmOf(raeId)]
    assert.deepEqual(now, before)
  })

  test('need no member: a link of a person who has left changes nothing', async () => {
    const path = await pathOf({ candidateId: maryId, advertiserId: harbourId })
    const done = await post(path)
    assert.equal(done.status, 200)
    assert.match(wordsOf(done.text), /a company that you no longer work for/)
    assert.equal(await rhythmOf(maryId), 'off')
    const gone = await pathOf({ candidateId: 'no-such-person', topic: 'progress' })
    assert.equal((await post(gone)).status, 200)
  })
})
