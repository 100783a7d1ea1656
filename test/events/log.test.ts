import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { FeedQuery } from '../../src/events/feed/query.ts'
import { readFeedQuery } from '../../src/events/feed/query.ts'
import { type JsonPage, pageRoom } from '../../src/events/feed/records.ts'
import { removeEvents } from '../../src/events/feed/remove-events-store.ts'
import { eventMessage } from '../../src/events/webhooks/messages.ts'
import { eventTypes, renderEvent, typeCode } from '../../src/model/events.ts'
import { Problem } from '../../src/platform/core/problems.ts'
import { defaultLimits } from '../../src/settings-limits.ts'
import { plainDraft, uploaded } from '../harness/applications.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { addTenant } from '../harness/tenant.ts'

const clock = movableClock()
const eventsOf = (page?: JsonPage) => page?.json.toString('utf8', pageRoom, page.json.length - pageRoom)
const dayMs = 86_400_000

withServices('the log of an advertiser', { clock }, services => {
  let advertiserId: number
  before(async () => {
    advertiserId = (await addTenant(services(), 'Harbour')).advertiserId
  })

  const query = (search: string): FeedQuery => readFeedQuery({ advertiserId }, search, eventTypes)
  const follow = (search: string) => services().feed.follow({ advertiserId }, query(search), {})
  const typesSince = async (cursor: string) =>
    (await follow(`cursor=${cursor}`)).events.map(event => ('type' in event ? event.type : 'stream.restored'))
  const now = async () => (await follow('cursor=now')).cursor

  test('has what happens to an application, once, in its order', async () => {
    const cursor = await now()
    const file = await uploaded(services(), { type: 'resume', scan: 'unscanned' }, 'a resume')
    const { id } = await services().submissions.add(advertiserId, plainDraft({ files: [file] }))
    await services().applications.recordVerdict(advertiserId, id, 'resume', 'clean')
    // Says nothing new.
    await services().applications.recordVerdict(advertiserId, id, 'resume', 'clean')
    await services().erasure.erase(advertiserId, id)
    await services().erasure.erase(advertiserId, id)
    const { events } = await follow(`cursor=${cursor}`)
    const told = events.flatMap(event =>
      'number' in event ? JSON.parse(renderEvent({ advertiserId }, event)) : [],
    )
    assert.deepEqual(
      told.map(({ type, data }) => [type, data]),
      [
        [
          'application.created',
          { advertiserId, applicationId: id, jobReference: null, jobAdId: null, hasUnscanned: true },
        ],
        [
          'attachment.scanned',
          { advertiserId, applicationId: id, attachmentType: 'resume', from: 'unscanned', to: 'clean' },
        ],
        ['application.erased', { advertiserId, applicationId: id }],
      ],
    )
    assert.deepEqual(
      told.map(event => event.id),
      events.map(event => ('number' in event ? `evt_${advertiserId}_${event.number}` : '')),
    )
  })

  test('tells of agents, once each', async () => {
    const cursor = await now()
    const agent = await services().agents.add('Northwind')
    await services().agents.authorise(advertiserId, agent.id)
    await services().agents.authorise(advertiserId, agent.id)
    await services().agents.withdraw(advertiserId, agent.id)
    assert.deepEqual(await typesSince(cursor), ['agent.authorised', 'agent.withdrawn'])
  })

  test('has pages without gap or repetition, and cursors that move over hidden types', async () => {
    const cursor = await now()
    const ids = []
    for (let index = 0; index < 7; index++)
      ids.push((await services().submissions.add(advertiserId, plainDraft())).id)
    await services().erasure.erase(advertiserId, ids[3] as number)
    const seen: number[] = []
    let at = cursor
    let more = true
    while (more) {
      const answer = await follow(`cursor=${at}&limit=3`)
      seen.push(...answer.events.flatMap(event => ('number' in event ? (event.applicationId ?? []) : [])))
      ;({ cursor: at, more } = answer)
    }
    assert.deepEqual(seen, [...ids, ids[3]])
    const hidden = await follow(`cursor=${cursor}&types=agent.withdrawn`)
    assert.deepEqual([hidden.events, hidden.cursor, hidden.more], [[], at, false])
    const filtered = await follow(`cursor=${cursor}&types=application.erased,agent.authorised`)
    assert.equal(filtered.events.length, 1)
    assert.equal(filtered.cursor, at)
    // Full, and what is left is of other types.
    const full = await follow(`cursor=${cursor}&types=application.created&limit=7`)
    assert.deepEqual([full.events.length, full.cursor, full.more], [7, at, false])
    const cut = await follow(`cursor=${cursor}&types=application.created&limit=6`)
    assert.deepEqual([cut.events.length, cut.more], [6, true])
  })

  test('is sent in the bytes of its webhooks, and with the applications of the list', async () => {
    const cursor = await now()
    const { id } = await services().submissions.add(
      advertiserId,
      plainDraft({ jobReference: 'Büro "9"\\, 東京\u2028😀' }),
    )
    await services().submissions.add(advertiserId, plainDraft())
    await services().erasure.erase(advertiserId, id)
    const agent = await services().agents.add('Northwind')
    await services().agents.authorise(advertiserId, agent.id)
    for (const search of [
      `cursor=${cursor}`,
      `cursor=${cursor}&limit=2`,
      `cursor=${cursor}&types=agent.authorised`,
    ]) {
      const { events, ...place } = await follow(search)
      const stored = events.flatMap(event => ('number' in event ? event : []))
      const { page, restoredAt, ...jsonPlace } = await services().feed.followJson(
        advertiserId,
        query(search),
        {},
      )
      assert.deepEqual(eventsOf(page), stored.map(event => eventMessage(advertiserId, event).body).join())
      assert.deepEqual([jsonPlace, restoredAt], [place, undefined])
      const whole = await services().feed.followJson(advertiserId, query(`${search}&include=application`), {})
      const expected = await Promise.all(
        stored.map(async event => {
          const told = JSON.parse(renderEvent({ advertiserId }, event))
          if (event.applicationId === null) return told
          const shown = await services().applications.one(advertiserId, event.applicationId, {
            format: 'json',
            includePrimaryInfo: true,
          })
          return { ...told, application: JSON.parse(String(shown)) }
        }),
      )
      assert.deepEqual(JSON.parse(`[${eventsOf(whole.page)}]`), expected)
      assert.deepEqual(
        whole.page?.withApplication.map(({ applicationId }) => applicationId),
        stored.flatMap(({ applicationId }) => applicationId ?? []),
      )
    }
  })

  test('is rendered by the databases as by the code, whatever an event has', async () => {
    const { advertiserId: owner } = await addTenant(services(), 'Every type')
    const numbers = [7, 86_400_000, 999_999_999_999, 1_794_614_400_123, 253_402_300_799_999]
    const details = ['', '"jobReference":"Büro \\u0001 }},{","n":null']
    const rows = eventTypes.flatMap((type, index) =>
      [null, 4001].flatMap(application_id =>
        details.map(detail => ({
          advertiser_id: owner,
          type: typeCode(type),
          application_id,
          detail,
          index,
        })),
      ),
    )
    const { writer } = services().database
    const values = numbers.flatMap(number =>
      rows.map(({ index: _, ...row }, index) => ({
        ...row,
        number: number - (number > 100 ? index : -index),
      })),
    )
    await writer.insertInto('events').values(values).execute()
    const last = Math.max(...values.map(({ number }) => number))
    await writer
      .updateTable('advertiser_ledger')
      .set({ event_number: last })
      .where('advertiser_id', '=', owner)
      .execute()
    for (const limit of [1, 17, 1000]) {
      for (let after = 0; after < last; ) {
        const { events, ...state } = await services().eventStore.page(
          { advertiserId: owner },
          { after, limit },
        )
        const { json, withApplication, ...jsonState } = await services().eventStore.jsonPage(owner, {
          after,
          limit,
        })
        assert.equal(
          json.toString('utf8', pageRoom, json.length - pageRoom),
          events.map(event => renderEvent({ advertiserId: owner }, event)).join(),
        )
        assert.deepEqual([jsonState, withApplication], [state, []])
        after = state.newest ?? last
      }
    }
  })

  test('shows every follower of many writers the same sequence', async () => {
    const cursor = await now()
    const count = times(40, 400)
    const written: number[] = []
    const write = async (each: number) => {
      const { id } = await services().submissions.add(advertiserId, plainDraft())
      written.push(id)
      if (each % 3 === 0) await services().erasure.erase(advertiserId, id)
    }
    const writers = Array.from({ length: 8 }, async (_, first) => {
      for (let each = first; each < count; each += 8) await write(each)
    })
    const writing = Promise.all(writers)
    let isOver = false
    const ended = writing.then(() => {
      isOver = true
    })
    const followers = [1, 2, 7, 100].map(async limit => {
      const sequence: string[] = []
      let at = cursor
      for (;;) {
        const wasOver = isOver
        const answer = await follow(`cursor=${at}&limit=${limit}`)
        at = answer.cursor
        for (const event of answer.events)
          if ('number' in event) sequence.push(`${event.number} ${event.type} ${event.applicationId}`)
        if (wasOver && !answer.more && answer.events.length === 0) return sequence
        if (answer.events.length === 0) await new Promise(setImmediate)
      }
    })
    const sequences = await Promise.all(followers)
    await ended
    for (const sequence of sequences) assert.deepEqual(sequence, sequences[0])
    const of = (type: string) => sequences[0]?.filter(each => each.includes(type)).length
    assert.deepEqual([of('application.created'), of('application.erased')], [count, Math.ceil(count / 3)])
    assert.equal(new Set(sequences[0]).size, sequences[0]?.length)
  })

  test('forgets events after their days, and says so to a cursor from before', async () => {
    const cursor = await now()
    await services().submissions.add(advertiserId, plainDraft())
    clock.advance(defaultLimits.eventDays * dayMs + 1000)
    const late = await services().submissions.add(advertiserId, plainDraft())
    // A few at a time, as the background work does it.
    while ((await removeEvents(services().database, clock() - defaultLimits.eventDays * dayMs, 3)) === 3);
    await assert.rejects(
      follow(`cursor=${cursor}`),
      (error: unknown) =>
        error instanceof Problem &&
        error.code === 'cursor-too-old' &&
        /kept for 30 days\. .*cursor=now, read the list/.test(error.detail),
    )
    const { events } = await follow('cursor=start')
    assert.deepEqual(
      events.map(event => 'number' in event && event.applicationId),
      [late.id],
    )
  })

  test('says that it was restored, once, and goes on', async () => {
    const cursor = await now()
    await services().raiseIds(1000)
    await services().submissions.add(advertiserId, plainDraft())
    const answer = await follow(`cursor=${cursor}`)
    assert.deepEqual(await typesSince(cursor), ['stream.restored', 'application.created'])
    assert.deepEqual(await typesSince(answer.cursor), [])
  })
})
