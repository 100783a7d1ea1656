import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { before, beforeEach, test } from 'node:test'
import { maryId } from '../../src/demo/world/world.ts'
import { giveToCandidate, plainDraft, uploaded } from '../harness/applications.ts'
import { formTo } from '../harness/html-form.ts'
import { Browser, demoClient, requestToken, tokenOf } from '../harness/oauth.ts'
import { addTenant, type Tenant } from '../harness/tenant.ts'
import { dayMs, inDemoWorld } from '../oauth/world.ts'
import { harbourId } from './apply-form.ts'
import { listPath } from './reading.ts'

const northwindId = 20000001

// The store and the gathering have tests of their own on both engines.
inDemoWorld('reads of applications on record', { on: ['sqlite'] }, world => {
  let tenant: Tenant
  let ids: number[]
  before(async () => {
    const { services } = world()
    tenant = await addTenant(services)
    ids = []
    for (let added = 0; added < 5; added++) {
      const files = [await uploaded(services, { type: 'resume' }, 'a resume')]
      ids.push((await services.submissions.add(tenant.advertiserId, plainDraft({ files }))).id)
    }
  })
  // Each test has a day of its own.
  beforeEach(() => world().clock.advance(dayMs))

  const get = (path: string, headers: Record<string, string> = tenant.headers, method = 'GET') =>
    world().door.send(method, path, { headers })
  const today = () => new Date(world().clock()).toISOString().slice(0, 10)

  /** What is on record for today: reader, way, and IDs. */
  async function onRecord(advertiserId = tenant.advertiserId): Promise<string[]> {
    const { reads, database } = world().services
    await reads.flush()
    const lists = await database.reader
      .selectFrom('list_reads')
      .selectAll()
      .where('advertiser_id', '=', advertiserId)
      .where('day', '=', today())
      .execute()
    const single = await database.reader
      .selectFrom('application_reads')
      .selectAll()
      .where('advertiser_id', '=', advertiserId)
      .where('day', '=', today())
      .execute()
    return [
      ...lists.map(row => `${row.reader} ${row.way} ${row.first_id}-${row.last_id}`),
      ...single.map(row => `${row.reader} ${row.way} ${row.application_id}`),
    ].toSorted()
  }

  const reader = () => `credential:${tenant.credentialId}`

  test('a page covers exactly the IDs that it handed out', async () => {
    const [, second = 0, third = 0] = ids
    await get(`${listPath}?limit=2&afterid=${ids[0]}`)
    assert.deepEqual(await onRecord(), [`${reader()} list ${(ids[0] ?? 0) + 1}-${third}`])
    // A cached page, and one within.
    await get(`${listPath}?limit=2&afterid=${ids[0]}`)
    await get(`${listPath}?limit=2&afterid=${ids[0]}`)
    await get(`${listPath}?limit=1&afterid=${ids[0]}&beforeid=${third}`)
    assert.deepEqual(await onRecord(), [`${reader()} list ${(ids[0] ?? 0) + 1}-${third}`])
    // Continued where it ended, it is one range.
    await get(`${listPath}?limit=2&afterid=${third}`)
    assert.deepEqual(await onRecord(), [`${reader()} list ${(ids[0] ?? 0) + 1}-${ids[4]}`])
    assert.ok(second < third)
  })

  test('the whole list covers everything', async () => {
    await get(listPath)
    assert.deepEqual(await onRecord(), [`${reader()} list 1-${ids[4]}`])
  })

  test('304, HEAD, an empty page and a refusal leave nothing', async () => {
    for (const query of ['', '?limit=2']) {
      const { headers } = await get(listPath + query, tenant.headers)
      const etag = String(headers.get('etag'))
      await world().services.reads.flush()
      world().clock.advance(dayMs)
      const conditional = { ...tenant.headers, 'if-none-match': etag }
      assert.equal((await get(listPath + query, conditional)).status, 304)
      await get(listPath + query, tenant.headers, 'HEAD')
    }
    await get(`${listPath}?afterid=${ids[4]}`)
    await get(`${listPath}?limit=5&afterid=${ids[4]}`)
    assert.equal((await get(`${listPath}?limit=5&afterid=x`)).status, 400)
    assert.equal((await get(listPath, { authorization: 'SWS wrong' })).status, 401)
    const file = `/v1/advertiser/applications/resume/${ids[0]}`
    await get(file, tenant.headers, 'HEAD')
    await get(`/v1/advertiser/applications/resume/999999`)
    await get(`/v1/advertiser/applications/screen/${ids[0]}`)
    assert.deepEqual(await onRecord(), [])
  })

  test('a downloaded file is on record, and a 304 is not', async () => {
    const file = `/v1/advertiser/applications/resume/${ids[0]}`
    const { headers } = await get(file)
    await get(file, { ...tenant.headers, range: 'bytes=0-1' })
    assert.deepEqual(await onRecord(), [`${reader()} download ${ids[0]}`])
    world().clock.advance(dayMs)
    const again = { ...tenant.headers, 'if-none-match': String(headers.get('etag')) }
    assert.equal((await get(file, again)).status, 304)
    assert.deepEqual(await onRecord(), [])
  })

  test('an agent reads under its own name', async () => {
    const asked = { scope: 'r_applications', advertiser_id: String(harbourId) }
    const answer = await requestToken(
      world().door,
      { grant_type: 'client_credentials', ...asked },
      { client: demoClient },
    )
    await get(`${listPath}?limit=1`, { authorization: `SWS ${tokenOf(answer)}` })
    const [entry = '', ...others] = await onRecord(harbourId)
    assert.match(entry, new RegExp(`^agent:${northwindId} list 1-\\d+$`))
    assert.deepEqual(others, [])
  })

  test('people: views, downloads and exports, whole and filtered', async () => {
    const signedIn = async () => {
      return Browser.signedIn(world().door, 'rex@example.com')
    }
    const rex = await signedIn()
    const list = `/console/${harbourId}/applications`
    const { services } = world()
    const files = [await uploaded(services, { type: 'resume' }, 'a resume')]
    const draft = plainDraft({ files, jobReference: 'ZORX-1' })
    const { id } = await services.submissions.add(harbourId, draft)
    const member = async () => {
      const entries = await onRecord(harbourId)
      return entries.map(entry => entry.replace(/^member:\S+ /, ''))
    }
    const page = `${list}/${id}`
    await rex.get(list)
    await rex.get(`${list}/999999`)
    for (const path of ['', '/files/resume', '/files/resume/text', '/files.zip'])
      await rex.send('HEAD', `${page}${path}`)
    assert.deepEqual(await member(), [], 'neither the list nor HEAD is a read')
    await rex.get(page)
    await rex.get(page)
    await rex.get(`${page}/files/resume/text`)
    await rex.get(`${page}/files/resume?for=preview`)
    assert.deepEqual(await member(), [`view ${id}`])
    await rex.get(`${page}/files/resume`)
    assert.deepEqual(await member(), [`download ${id}`, `view ${id}`])
    const opened = await rex.get(page)
    world().clock.advance(dayMs)
    const again = await rex.submit(formTo(page, opened.text), { fields: { note: 'x'.repeat(6000) } })
    assert.equal(again.status, 422)
    assert.deepEqual(await member(), [`view ${id}`], 'shown again with the form')
    world().clock.advance(dayMs)
    await rex.get(`${page}/files.zip`)
    assert.deepEqual(await member(), [`download ${id}`])
    world().clock.advance(dayMs)
    // An export needs a fresh proof of identity.
    await (await signedIn()).get(`${list}.csv?q=ZORX`)
    assert.deepEqual(await member(), [`export ${id}`])
    world().clock.advance(dayMs)
    await (await signedIn()).get(`${list}.csv`)
    const [whole = '', ...others] = await member()
    const [, firstId, lastId] = /^export (\d+)-(\d+)$/.exec(whole) ?? []
    assert.ok(Number(firstId) < id && lastId === String(id), whole)
    assert.deepEqual(others, [])
  })

  test('a document that is replaced before the read of a person is on record is sent as it is now', async () => {
    const { services } = world()
    const rex = await Browser.signedIn(world().door, 'rex@example.com')
    const { reads } = services
    const { view, download } = reads
    for (const path of ['', '?for=preview', '/text']) {
      const files = [await uploaded(services, { type: 'resume', contentType: 'text/plain' }, 'old')]
      const { id } = await services.submissions.add(harbourId, plainDraft({ files }))
      await giveToCandidate(services, maryId, { advertiser_id: harbourId, application_id: id })
      const upload = { name: 'new.txt', content: Readable.from([Buffer.from('new')]) }
      const replaceFirst =
        (record: typeof view) =>
        async (...read: Parameters<typeof view>) => {
          await services.applyForm.replaceFile(maryId, id, 'resume', upload)
          await record(...read)
        }
      Object.assign(reads, { view: replaceFirst(view), download: replaceFirst(download) })
      const answer = await rex.get(`/console/${harbourId}/applications/${id}/files/resume${path}`)
      Object.assign(reads, { view, download })
      assert.deepEqual([answer.status, answer.text], [200, 'new'], path)
    }
  })
})
