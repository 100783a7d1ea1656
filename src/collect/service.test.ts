import assert from 'node:assert/strict'
import { buffer, text as textOf } from 'node:stream/consumers'
import { before, describe, test } from 'node:test'
import { plainDraft, uploaded } from '../../test/harness/applications.ts'
import { movableClock } from '../../test/harness/clock.ts'
import { msDate } from '../../test/harness/contract-model.ts'
import { withServices } from '../../test/harness/database.ts'
import type { Services } from '../../test/harness/services.ts'
import { parseXml } from '../../test/harness/xml.ts'
import type { FileType } from '../model/application.ts'
import type { ScanState } from '../platform/blobs/scan-state.ts'
import { sha256Hex, sha256OfNothing } from '../platform/core/hashing.ts'

const clock = movableClock()
const content = 'the bytes of a resume'
const everything = { includePrimaryInfo: true }

const upload = (services: Services, type: FileType, scan: ScanState, text = content) =>
  uploaded(services, { type, scan, uploadedAt: clock() }, text)

withServices('applications', { clock }, services => {
  let advertiserId: number
  before(async () => {
    advertiserId = (await services().advertisers.add('Harbour Coffee Roasters')).id
  })
  const applications = () => services().applications
  const owner = () => ({ advertiserId, agentId: null })

  /** The list entry of one attachment, after checking that JSON and XML, whole and paged, agree. */
  async function attachment(id: number, type: FileType) {
    const query = { ...everything, afterId: String(id - 1), beforeId: String(id + 1) }
    const whole = await textOf(await applications().listAll(owner(), 'json', query))
    assert.equal((await applications().listPage(owner(), 'json', query, 1)).content.toString(), whole)
    const [application] = JSON.parse(whole).JobApplications.JobApplicationsList
    const found = application.Attachments.find((each: { Type: string }) => each.Type === type)
    const xml = parseXml((await applications().listPage(owner(), 'xml', query, 1)).content.toString())
    const inXml = xml.children
      .find(node => node.name === 'JobApplicationsList')
      ?.children[0]?.children.find(node => node.name === 'Attachments')
      ?.children.map(node => Object.fromEntries(node.children.map(child => [child.name, child])))
      .find(each => each['Type']?.text === type)
    assert.equal(inXml?.['Hash']?.text, found.Hash)
    assert.equal(inXml?.['Size']?.text, String(found.Size))
    assert.equal(inXml?.['HasVirus']?.attributes['xsi:nil'], found.HasVirus === null ? 'true' : undefined)
    assert.equal(inXml?.['HasVirus']?.text, found.HasVirus === null ? '' : String(found.HasVirus))
    return { HasVirus: found.HasVirus, Hash: found.Hash, Size: found.Size }
  }

  const untouched = { HasVirus: null, Hash: sha256Hex(content), Size: content.length }

  test('a version never repeats, even in a database that was restored', async () => {
    const { writer } = services().database
    const ledger = writer.selectFrom('advertiser_ledger').where('advertiser_id', '=', advertiserId)
    const version = async () => (await ledger.select('version').executeTakeFirstOrThrow()).version
    await services().submissions.add(advertiserId, plainDraft())
    const backup = await version()
    await services().submissions.add(advertiserId, plainDraft())
    const lost = await version()
    assert.ok(lost > backup)
    await writer.updateTable('advertiser_ledger').set({ version: backup }).execute()
    clock.advance(60_000)
    await services().submissions.add(advertiserId, plainDraft())
    assert.ok((await version()) > lost)
  })

  describe('a late verdict', () => {
    test('clean: HasVirus becomes false at once, and nothing else changes', async () => {
      const { id } = await services().submissions.add(
        advertiserId,
        plainDraft({ files: [await upload(services(), 'resume', 'unscanned')] }),
      )
      assert.deepEqual(await attachment(id, 'resume'), untouched)
      clock.advance(60_000)
      assert.equal(await applications().recordVerdict(advertiserId, id, 'resume', 'clean'), true)
      assert.deepEqual(await attachment(id, 'resume'), { ...untouched, HasVirus: false })
      const { file, open } = await applications().download(advertiserId, id, 'resume')
      assert.equal(file.sha256, sha256Hex(content))
      assert.equal(file.changedAt, clock())
      assert.equal((await buffer(await open())).toString(), content)
    })

    test('infected: hash, size and download become those of an empty file at once', async () => {
      const { id } = await services().submissions.add(
        advertiserId,
        plainDraft({
          files: [
            await upload(services(), 'resume', 'unscanned'),
            await upload(services(), 'coverLetter', 'unscanned', 'a letter'),
          ],
        }),
      )
      clock.advance(60_000)
      assert.equal(await applications().recordVerdict(advertiserId, id, 'resume', 'infected'), true)
      assert.deepEqual(await attachment(id, 'resume'), { HasVirus: true, Hash: sha256OfNothing, Size: 0 })
      const { file } = await applications().download(advertiserId, id, 'resume')
      assert.deepEqual(
        { scan: file.scan, sha256: file.sha256, size: file.size, changedAt: file.changedAt },
        { scan: 'infected', sha256: sha256OfNothing, size: 0, changedAt: clock() },
      )
      assert.equal((await attachment(id, 'coverLetter')).HasVirus, null)
    })

    test('infected is final: the content is deleted, so it can never become clean', async () => {
      const { id } = await services().submissions.add(
        advertiserId,
        plainDraft({ files: [await upload(services(), 'resume', 'unscanned')] }),
      )
      await applications().recordVerdict(advertiserId, id, 'resume', 'infected')
      await applications().recordVerdict(advertiserId, id, 'resume', 'clean')
      assert.deepEqual(await attachment(id, 'resume'), { HasVirus: true, Hash: sha256OfNothing, Size: 0 })
    })

    test('returns false for a file that does not exist', async () => {
      const { id } = await services().submissions.add(advertiserId, plainDraft())
      assert.equal(await applications().recordVerdict(advertiserId, id, 'resume', 'clean'), false)
      assert.equal(await applications().recordVerdict(advertiserId, id + 1, 'resume', 'clean'), false)
      assert.equal(await applications().recordVerdict(99_999_999, id, 'resume', 'clean'), false)
    })
  })

  test('infected content is delivered as an empty file, and is not stored', async () => {
    const { id } = await services().submissions.add(
      advertiserId,
      plainDraft({ files: [await upload(services(), 'resume', 'infected')] }),
    )
    assert.deepEqual(await attachment(id, 'resume'), { HasVirus: true, Hash: sha256OfNothing, Size: 0 })
  })

  test('dates never decrease, whatever the clock does; each advertiser has its own sequence', async () => {
    const other = (await services().advertisers.add('Southern Cross Logistics')).id
    const start = clock()
    const applyAt = async (to: number, at: number) => {
      clock.set(at)
      return (await services().submissions.add(to, plainDraft())).submittedAt
    }
    assert.equal(await applyAt(advertiserId, start + 5000), start + 5000)
    assert.equal(await applyAt(advertiserId, start), start + 5000)
    assert.equal(await applyAt(other, start), start)
    assert.equal(await applyAt(advertiserId, start + 5000), start + 5000)
    assert.equal(await applyAt(advertiserId, start + 5001), start + 5001)
    const { content: page } = await applications().listPage(owner(), 'json', everything, 1000)
    const list: { ID: number; DateSubmitted: string }[] = JSON.parse(page.toString()).JobApplications
      .JobApplicationsList
    assert.deepEqual(
      list.slice(-4).map(each => each.DateSubmitted),
      [5000, 5000, 5000, 5001].map(ms => msDate(start + ms)),
    )
    assert.ok(list.every((each, index) => index === 0 || each.ID > (list[index - 1]?.ID ?? 0)))
  })

  test('an application to an unknown advertiser is rejected and leaves no trace', async () => {
    const count = async () =>
      (await services().database.reader.selectFrom('applications').select('id').execute()).length
    const stored = await count()
    await assert.rejects(services().submissions.add(99_999_999, plainDraft()))
    assert.equal(await count(), stored)
  })

  test('two files of one type are refused', async () => {
    const files = [
      await upload(services(), 'resume', 'clean'),
      await upload(services(), 'resume', 'clean', 'other'),
    ]
    await assert.rejects(services().submissions.add(advertiserId, plainDraft({ files })), {
      code: 'invalid-fields',
      errors: [{ field: 'files', code: 'repeated', message: 'files must contain each type at most once.' }],
    })
  })

  test('attachments that an application does not have are not found', async () => {
    const { id } = await services().submissions.add(advertiserId, plainDraft())
    await assert.rejects(applications().download(advertiserId, id, 'resume'), { code: 'not-found' })
    await assert.rejects(applications().screen(advertiserId, id, 'json'), { code: 'not-found' })
    await assert.rejects(applications().screen(99_999_999, id, 'xml'), { code: 'not-found' })
  })

  test('a whole list ends with the newest application at its beginning', async () => {
    const { id } = await services().submissions.add(advertiserId, plainDraft())
    const chunks = await applications().listAll(owner(), 'json', { ...everything, afterId: String(id - 1) })
    await services().submissions.add(advertiserId, plainDraft())
    const list: { ID: number }[] = JSON.parse(await textOf(chunks)).JobApplications.JobApplicationsList
    assert.deepEqual(
      list.map(each => each.ID),
      [id],
    )
  })
})
