import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { withServices } from '../../test/harness/database.ts'
import { addTenant } from '../../test/harness/tenant.ts'
import { sha256Hex, sha256OfNothing } from '../core/hashing.ts'
import type { FileReceiver } from '../files/ports.ts'
import { defaultLimits } from '../limits.ts'
import { createIntakeStore } from '../storage/sql/intake.ts'
import { createIntake } from './intake.ts'
import type { IntakeStore } from './intake-ports.ts'

const clientId = 'board'
const file = (text: string) => ({
  name: 'resume.pdf',
  content: (async function* () {
    yield Buffer.from(text)
  })(),
})

withServices('a submission of a job board', services => {
  let application: Record<string, unknown>
  before(async () => {
    const { advertiserId } = await addTenant(services())
    application = {
      advertiserId,
      jobSeekerId: 'u',
      contact: { email: 'a@example.com', firstName: 'A', lastName: 'B' },
    }
    await services().clients.add({
      id: clientId,
      name: 'Board',
      redirectUris: [],
      agentId: null,
      requirePkce: false,
      scopes: ['w_applications'],
      advertiserIds: [advertiserId],
    })
  })

  function intakeWith(files: FileReceiver, changes: Partial<IntakeStore> = {}) {
    const { intakeAccess: access, clock, database } = services()
    const nobody = { find: async () => undefined }
    const store = { ...createIntakeStore(database), ...changes }
    return createIntake({
      store,
      access,
      jobAds: nobody,
      screens: nobody,
      files,
      clock,
      limits: defaultLimits,
    })
  }

  async function submit(intake: ReturnType<typeof createIntake>, key: string, content: string) {
    const submission = await intake.begin(clientId, key)
    submission.open(application)
    await submission.take('resume', file(content))
    return { submission, answer: submission.finish() }
  }

  /** Remembers what was thrown away. */
  function receiver(scan: 'clean' | 'infected'): FileReceiver & { discarded: unknown[] } {
    const discarded: unknown[] = []
    return {
      discarded,
      async receive({ name, content }) {
        const bytes = await buffer(content)
        const kept =
          scan === 'infected'
            ? { blob: null, sha256: sha256OfNothing, size: 0 }
            : { blob: 'b', sha256: sha256Hex(bytes), size: bytes.length }
        return {
          fileName: name,
          contentType: 'application/pdf',
          uploadedAt: services().clock(),
          scan,
          ...kept,
        }
      },
      async discard(received) {
        discarded.push(received)
      },
    }
  }

  test('what was sent is compared, also where nothing of it was kept', async () => {
    const intake = intakeWith(receiver('infected'))
    const first = await (await submit(intake, 'virus', 'EICAR')).answer
    assert.equal(first.isReplay, false)
    assert.deepEqual(JSON.parse(first.body).attachments, [
      { type: 'resume', fileName: 'resume.pdf', size: 0, sha256: sha256OfNothing, scan: 'infected' },
    ])
    assert.deepEqual(await (await submit(intake, 'virus', 'EICAR')).answer, { ...first, isReplay: true })
    await assert.rejects((await submit(intake, 'virus', 'other')).answer, { code: 'idempotency-key-reused' })
  })

  test('files of a write whose end is unknown stay: a row may name them', async () => {
    const files = receiver('clean')
    const lost = intakeWith(files, {
      addOnce: async () => {
        throw new Error('the connection broke at the commit')
      },
    })
    const { submission, answer } = await submit(lost, 'unknown', 'text')
    await assert.rejects(answer, /at the commit/)
    await submission.abandon()
    assert.deepEqual(files.discarded, [])
  })

  test('files of a submission that came to nothing are thrown away', async () => {
    const files = receiver('clean')
    const { submission, answer } = await submit(
      intakeWith(files, { addOnce: async () => undefined }),
      'taken-over',
      'text',
    )
    await assert.rejects(answer, { code: 'idempotency-key-in-use' })
    await submission.abandon()
    assert.equal(files.discarded.length, 1)
  })
})
