import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import { noticeEmails } from '../../src/people/mail/notice-texts.ts'
import { formTo, textOf, wordsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { listenLocally } from '../harness/listen-locally.ts'
import { localPath } from '../harness/oauth.ts'
import { inDemoWorld } from '../oauth/world.ts'

const events = '/console/10000001/events'

inDemoWorld('events in the console', { env: { WEBHOOK_ALLOW: '127.0.0.1' } }, (world, { signedIn }) => {
  const admin = signedIn('rae@example.com')
  const recruiter = signedIn('rex@example.com')
  let receiver: Server
  let status = 204
  let origin: string
  before(async () => {
    receiver = createServer((request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'text/plain' }).end(status === 204 ? '' : 'closed <today>')
    })
    origin = `http://127.0.0.1:${await listenLocally(receiver)}`
  })
  after(() => receiver.close())

  const add = async (fields: Record<string, string>) =>
    admin.submit(await admin.form(`${events}/new-endpoint`), {
      fields,
    })
  const shownSecret = ({ text }: Answer) => textOf(/<input id="secret" value="([^"]*)"/.exec(text)?.[1] ?? '')
  const pathIn = ({ text }: Answer) => /href="([^"]+\/endpoints\/[^"]+)"/.exec(text)?.[1] ?? assert.fail(text)
  /** Presses the button of the endpoint's page with this value. */
  async function act(path: string, what: string): Promise<string> {
    const { text } = await admin.get(path)
    const button = new RegExp(
      `<form[^>]*action="${path}"[^>]*>(?:(?!</form>).)*name="do" value="${what}".*?</form>`,
      's',
    )
    const [form = assert.fail(`no button ${what}: ${text}`)] = button.exec(text) ?? []
    return localPath(await admin.submit(formTo(path, form)))
  }

  test('show what happened, and lead to the applications', async () => {
    const text = await admin.words(events)
    assert.match(text, /No endpoints yet/)
    assert.match(text, /New application application\.created Application \d+/)
    assert.match(await admin.words(`${events}/log?type=application.withdrawn`), /No such events/)
    assert.match(await admin.words(`${events}/log?type=application.created&before=5`), /No such events/)
  })

  test('an endpoint is added, tested, paused, resumed and removed', async () => {
    for (const [url, message] of [
      ['ftp://receiver.example', /https/],
      ['https://user:secret@receiver.example/', /user name/i],
      ['not an address', /address|URL/i],
    ] as const) {
      const refused = await add({ url })
      assert.equal(refused.status, 422, url)
      assert.match(wordsOf(refused.text), message)
      assert.match(refused.text, new RegExp(`value="${url.replace(/[/.:@]/g, '\\$&')}"`))
    }
    const added = await add({ url: `${origin}/hook?token=quiet`, description: '<b>ATS</b>' })
    assert.equal(added.status, 200, added.text)
    assert.match(shownSecret(added), /^whsec_[A-Za-z0-9+/]{43}=$/)
    const path = pathIn(added)
    const list = (await admin.get(events)).text
    assert.ok(!list.includes('token=quiet') && list.includes('&lt;b&gt;ATS&lt;/b&gt;'))
    const untested = (await admin.get(path)).text
    assert.match(wordsOf(untested), /has not answered a test yet/)
    // From a page that was open before.
    for (const unknown of ['', 'fly', 'constructor']) {
      const refused = await admin.submit(formTo(path, untested), { fields: { do: unknown } })
      assert.equal(refused.status, 400, unknown)
    }
    const early = await admin.submit(formTo(path, untested), { fields: { do: 'resume' } })
    assert.equal(early.status, 422)
    assert.match(wordsOf(early.text), /Not saved yet.*Send a test first/)

    status = 503
    assert.match(await act(path, 'test'), /done=test-failed$/)
    assert.match(await admin.words(path), /Test Rejected 503 \d+ ms closed &lt;today&gt;/)
    status = 204
    assert.match(await act(path, 'test'), /done=test-accepted$/)
    assert.match(await admin.words(`${path}?done=test-accepted`), /has answered the test.*State Active/)
    assert.match(await act(path, 'pause'), /done=paused$/)
    assert.match(await admin.words(path), /State Paused/)
    assert.match(await act(path, 'resume'), /done=resumed$/)

    await world()
      .services.database.writer.insertInto('webhook_lanes')
      .values({
        id: 'refused',
        endpoint_id: path.split('/').at(-1) ?? '',
        advertiser_id: 10000001,
        kind: 'parked',
        sent: 6,
        end_number: 7,
        types: 'application.created',
        due_at: 0,
        created_at: 1,
        ended: 'given-up',
        ended_at: 2,
      })
      .execute()
    assert.match(
      await admin.words(path),
      /1 event was not delivered, the last one \( evt_10000001_7 \) on .*send them again/,
    )
    assert.match(await act(path, 'resend'), /done=resent$/)
    assert.doesNotMatch(await admin.words(path), /was not delivered/)

    const again = await admin.submit(await admin.form(`${path}/rotate`))
    assert.match(shownSecret(again), /^whsec_/)
    assert.notEqual(shownSecret(again), shownSecret(added))
    assert.match(await act(path, 'retire'), /done=retired$/)

    const replayed = await admin.submit(
      formTo(path, (await admin.get(path)).text.split('id="replay"')[1] ?? ''),
      {
        fields: { from: 'never' },
      },
    )
    assert.equal(replayed.status, 422)
    const { text } = await admin.get(path)
    const from = { fields: { from: '2026-11-01' } }
    assert.match(
      localPath(await admin.submit(formTo(path, text.split('id="replay"')[1] ?? ''), from)),
      /done=replaying$/,
    )
    assert.match(await admin.words(path), /Replays and events that were set aside/)

    const removed = await admin.submit(await admin.form(`${path}/remove`))
    assert.match(localPath(removed), /events\?done=removed$/)
    assert.equal((await admin.get(path)).status, 404)
  })

  test('a secret is shown once, however often the form is sent', async () => {
    const form = await admin.form(`${events}/new-endpoint`)
    const fields = { url: `${origin}/once` }
    const first = await admin.submit(form, { fields })
    const second = await admin.submit(form, { fields })
    assert.match(shownSecret(first), /^whsec_/)
    assert.equal(localPath(second), `${pathIn(first)}?done=shown-once`)
    const rotation = await admin.form(`${pathIn(first)}/rotate`)
    assert.match(shownSecret(await admin.submit(rotation)), /^whsec_/)
    assert.equal(localPath(await admin.submit(rotation)), `${pathIn(first)}?done=shown-once`)
    assert.equal((await world().services.webhooks.list({ advertiserId: 10000001 })).length, 1)
  })

  test('emails about a failing endpoint lead to its page', async () => {
    const [endpoint] = await world().services.webhooks.list({ advertiserId: 10000001 })
    assert.ok(endpoint !== undefined)
    const ids = { candidateId: 'c', advertiserId: 10000001, endpointId: endpoint.id, isStopped: true }
    const { blocks } = noticeEmails['webhook-failing'](
      {
        ownerName: 'Harbour',
        url: 'https://ats.example.com',
        since: 0,
        isGone: false,
        isKeyLost: false,
        givenUp: null,
      },
      { kind: 'webhook-failing', ...ids },
      { board: 'Dossier', origin: world().door.origin, time: String, day: String },
    )
    const { url } = blocks.find(block => typeof block === 'object' && 'button' in block) as { url: string }
    assert.match(await admin.words(new URL(url).pathname), /Send a test/)
  })

  test('are for admins of the company alone', async () => {
    const [endpoint] = await world().services.webhooks.list({ advertiserId: 10000001 })
    assert.ok(endpoint !== undefined)
    assert.equal((await recruiter.get(events)).status, 403)
    assert.equal((await admin.get(`/console/10000002/events/endpoints/${endpoint.id}`)).status, 404)
    assert.equal((await admin.get(`${events}/endpoints/nothing`)).status, 404)
  })
})
