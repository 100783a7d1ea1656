import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addCandidate, plainDraft, uploaded } from '../../../test/harness/applications.ts'
import { withFileStores } from '../../../test/harness/database.ts'
import { times } from '../../../test/harness/effort.ts'
import { recordLog } from '../../../test/harness/log.ts'
import { createOwnApplicationStore } from '../../apply/form/own-application-store.ts'
import { createApplicationStore } from '../../collect/application-store.ts'
import { createCandidateStore } from '../../people/profile/candidate-store.ts'
import type { KeptFile } from '../../platform/blobs/ports.ts'
import { defaultLimits } from '../../settings-limits.ts'
import { createRescan } from './rescan-service.ts'
import { createScanningStore } from './scanning-store.ts'

const person = 'person'
const rounds = times(2, 8)

/** An application starts to share the bytes of a resume at the very moment when the resume is deleted. */
withFileStores('a resume used in an application', services => {
  let advertiserId: number
  let serial = 0
  before(async () => {
    advertiserId = (await services().advertisers.add('Harbour Coffee Roasters')).id
    await addCandidate(services(), person)
  })
  const candidates = () => createCandidateStore(services().database)

  async function addResume(): Promise<{ resumeId: string; bytes: KeptFile }> {
    const resumeId = `resume-${++serial}`
    const file = await uploaded(services(), { type: 'resume', scan: 'unscanned' }, `virus ${serial}`)
    assert.ok(await candidates().addResume(person, { id: resumeId, ...file }, 1000))
    return { resumeId, bytes: { blob: file.blob, size: file.size } }
  }

  function applyWith(resumeId: string) {
    const { files: _, screen: __, ...application } = plainDraft()
    const ad = { jobAdId: 1, jobTitle: 'Barista', jobLocation: '', advertiserName: '', advertiserId }
    return createOwnApplicationStore(services().database).send(
      person,
      { formKey: resumeId, resumeId, ad, application: { ...application, files: [] } },
      Date.now(),
    )
  }

  /** The application's file, if it still got one. */
  async function fileOf(outcome: Awaited<ReturnType<typeof applyWith>>) {
    if (!('applicationId' in outcome)) return undefined
    const store = createApplicationStore(services().database)
    return store.file(advertiserId, outcome.applicationId, 'resume')
  }

  const isThere = (file: KeptFile) =>
    services()
      .blobs.examine(file, async () => true)
      .catch(() => false)

  test('exists for the application when it is deleted at the same moment', async () => {
    for (let round = 0; round < rounds; round++) {
      const { resumeId, bytes } = await addResume()
      const remove = () => candidates().removeResume(person, resumeId, Date.now())
      // In turn: of two requests so close together, the first gets the lock more often.
      const removed = round % 2 === 0 ? remove() : undefined
      const [outcome] = await Promise.all([
        applyWith(resumeId),
        removed ?? remove(),
        services().cleanUp.run(),
        services().cleanUp.run(),
      ])
      await services().cleanUp.run()
      assert.equal((await fileOf(outcome))?.blob, outcome.kind === 'sent' ? bytes.blob : undefined)
      assert.equal(await isThere(bytes), outcome.kind === 'sent')
    }
  })

  test('exists, or is known to be infected, when a virus is found at the same moment', async () => {
    const { database, blobs, clock } = services()
    const rescan = createRescan({
      store: createScanningStore(database),
      applications: createApplicationStore(database),
      blobs,
      scanner: { scan: async () => 'infected', prove: async () => {} },
      clock,
      limits: defaultLimits,
      log: recordLog().log,
    })
    for (let round = 0; round < rounds; round++) {
      const { resumeId, bytes } = await addResume()
      const [outcome] = await Promise.all([
        applyWith(resumeId),
        rescan.run(),
        rescan.run(),
        services().cleanUp.run(),
        services().cleanUp.run(),
      ])
      const file = await fileOf(outcome)
      if (file?.scan === 'unscanned') assert.equal(await isThere(bytes), true)
      await rescan.run()
      await services().cleanUp.run()
      assert.equal(await isThere(bytes), false)
      if (file !== undefined) assert.equal((await fileOf(outcome))?.scan, 'infected')
    }
  })
})
