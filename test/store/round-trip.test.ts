import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import type { Receipt } from '../../src/apply/add-application-store.ts'
import { createApplicationStore } from '../../src/collect/application-store.ts'
import type { ApplicationDraft, ApplicationFile } from '../../src/model/application.ts'
import { sha256OfNothing } from '../../src/platform/core/hashing.ts'
import { asXml, tree } from '../contract/reading.ts'
import { plainDraft } from '../harness/applications.ts'
import { acceptedDraft, unwritableText } from '../harness/arbitraries.ts'
import { expectedApplication, expectedScreenJson, expectedScreenXml } from '../harness/contract-model.ts'
import { examples, withStores } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import type { Services } from '../harness/services.ts'
import { parseXml } from '../harness/xml.ts'

withStores('an accepted application', (services, _settings, engine) => {
  let advertiserId: number
  before(async () => {
    advertiserId = (await services().advertisers.add('Harbour Coffee Roasters')).id
  })

  /** The one application with this ID, as each format lists it. */
  async function listed({ id }: Receipt, include: boolean) {
    const query = { afterId: String(id - 1), beforeId: String(id + 1), includePrimaryInfo: include }
    const page = async (format: 'json' | 'xml') =>
      (
        await services().applications.listPage({ advertiserId, agentId: null }, format, query, 1)
      ).content.toString()
    const json = JSON.parse(await page('json')).JobApplications
    // Both have the same content, frame included.
    assert.deepEqual(tree(await page('xml')), asXml('JobApplications', json))
    return json.JobApplicationsList[0]
  }

  async function assertShown(draft: ApplicationDraft, receipt: Receipt): Promise<void> {
    const screenXml = await readQuestionnaire(services(), receipt, draft)
    for (const include of [true, false]) {
      const expected = expectedApplication(draft, receipt, {
        include,
        ...(screenXml === undefined ? {} : { screenXml }),
      })
      const shown = await listed(receipt, include)
      assert.deepEqual(shown, expected)
      assert.deepEqual(Object.keys(shown), Object.keys(expected))
    }
  }

  async function readQuestionnaire(
    { applications }: Services,
    { id }: Receipt,
    { screen }: ApplicationDraft,
  ) {
    if (screen === undefined) return undefined
    const xml = await applications.screen(advertiserId, id, 'xml')
    assert.deepEqual(parseXml(xml), expectedScreenXml(screen))
    assert.deepEqual(
      JSON.parse(await applications.screen(advertiserId, id, 'json')),
      expectedScreenJson(screen),
    )
    return xml
  }

  test('is stored and comes back identical, in JSON and in XML', async () => {
    const store = createApplicationStore(services().database)
    await fc.assert(
      fc.asyncProperty(acceptedDraft, async draft => {
        const receipt = await services().submissions.add(advertiserId, draft)
        await assertShown(draft, receipt)
        for (const { blob, sha256, size, ...file } of draft.files) {
          const stored = await store.file(advertiserId, receipt.id, file.type)
          const content =
            file.scan === 'infected'
              ? { blob: null, sha256: sha256OfNothing, size: 0 }
              : { blob, sha256, size }
          assert.deepEqual(
            { ...stored },
            { ...file, ...content, changedAt: file.uploadedAt, isReplaceable: 0 },
          )
        }
      }),
      { numRuns: examples(engine, times(25, 100)) },
    )
  })

  test('is the same after a verdict, apart from the verdict', async () => {
    await fc.assert(
      fc.asyncProperty(acceptedDraft, fc.constantFrom('clean', 'infected'), async (draft, verdict) => {
        const [first, ...others] = draft.files
        fc.pre(first !== undefined)
        const file: ApplicationFile = { ...first, scan: 'unscanned' }
        const unjudged = { ...draft, files: [file, ...others] }
        const receipt = await services().submissions.add(advertiserId, unjudged)
        assert.equal(
          await services().applications.recordVerdict(advertiserId, receipt.id, file.type, verdict),
          true,
        )
        await assertShown({ ...draft, files: [{ ...file, scan: verdict }, ...others] }, receipt)
      }),
      { numRuns: examples(engine, times(15, 50)) },
    )
  })

  test('has no text that XML cannot carry or that is too long: that is refused and leaves no trace', async () => {
    const newest = async () =>
      (await services().database.reader.selectFrom('applications').select('id').execute()).length
    const stored = await newest()
    const bad = fc.oneof(
      unwritableText,
      fc.integer({ min: 201, max: 400 }).map(length => 'é'.repeat(length)),
    )
    await fc.assert(
      fc.asyncProperty(bad, fc.constantFrom('firstName', 'lastName'), async (text, field) => {
        const { contact } = plainDraft()
        await assert.rejects(
          services().submissions.add(advertiserId, plainDraft({ contact: { ...contact, [field]: text } })),
          (error: { code: string; errors: { field: string }[] }) =>
            error.code === 'invalid-fields' && error.errors.every(each => each.field === field),
        )
      }),
      { numRuns: examples(engine, times(15, 50)) },
    )
    assert.equal(await newest(), stored)
  })
})
