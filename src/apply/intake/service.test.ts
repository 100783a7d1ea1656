import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { withServices } from '../../../test/harness/database.ts'
import { addBoard } from '../../../test/harness/intake.ts'
import { noLog, recordLog } from '../../../test/harness/log.ts'
import { until } from '../../../test/harness/polling.ts'
import { addTenant } from '../../../test/harness/tenant.ts'
import type { FileReceiver } from '../../platform/blobs/receiving-service.ts'
import { createBackground } from '../../platform/core/async/background.ts'
import { sha256Hex, sha256OfNothing } from '../../platform/core/hashing.ts'
import type { Log } from '../../platform/core/log.ts'
import { createIntakeStore, type IntakeStore } from './intake-store.ts'
import { createIntake, type IntakeLimits } from './service.ts'

const clientId = 'board'
const file = (text: string) => ({
  name: 'resume.pdf',
  content: (async function* () {
    yield Buffer.from(text)
  })(),
})

const background = createBackground(noLog)

withServices('a submission of a job board', services => {
  let application: Record<string, unknown>
  before(async () => {
    const { advertiserId } = await addTenant(services())
    application = {
      advertiserId,
      jobSeekerId: 'u',
      contact: { email: 'a@example.com', firstName: 'A', lastName: 'B' },
    }
    await addBoard(services(), advertiserId)
  })

  function intakeWith(
    files: Pick<FileReceiver, 'receive' | 'discard'>,
    changes: Partial<IntakeStore> = {},
    limits?: IntakeLimits,
    log: Log = noLog,
  ) {
    const { boardAccess: access, clock, database } = services()
    const none = { find: async () => undefined }
    const store = { ...createIntakeStore(database), ...changes }
    return createIntake({
      store,
      access,
      jobAds: none,
      questionnaires: none,
      files,
      background,
      clock,
      pause: async () => {},
      ...(limits && { limits }),
      log,
    })
  }

  async function submit(intake: ReturnType<typeof createIntake>, key: string, content: string) {
    const submission = await intake.begin(clientId, key)
    submission.open(application)
    await submission.take('resume', file(content))
    return { submission, answer: submission.finish() }
  }

  /** Records which uploads were discarded. */
  function receiver(
    scan: 'clean' | 'infected',
  ): Omit<FileReceiver, 'receiveText'> & { discarded: unknown[] } {
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

  test('a retry is compared with the request even if its files were not kept', async () => {
    const intake = intakeWith(receiver('infected'))
    const first = await (await submit(intake, 'virus', 'EICAR')).answer
    assert.equal(first.isReplay, false)
    const { id, submittedAt } = first.sent
    const kept = {
      type: 'resume',
      fileName: 'resume.pdf',
      size: 0,
      sha256: sha256OfNothing,
      scan: 'infected',
    }
    const again = await (await submit(intake, 'virus', 'EICAR')).answer
    assert.deepEqual(again, { sent: { id, submittedAt, files: [kept] }, isReplay: true })
    await assert.rejects((await submit(intake, 'virus', 'other')).answer, { code: 'idempotency-key-reused' })
  })

  test('a request in progress renews its key, so that no other node takes it, until it ends', async () => {
    let renewals = 0
    const store = createIntakeStore(services().database)
    const counting = {
      async renew(...renewed: Parameters<IntakeStore['renew']>) {
        await store.renew(...renewed)
        renewals += 1
      },
    }
    // Short compared with the request, which lasts three renewals.
    const limits = { intakeLeaseSeconds: 0.3 }
    const submission = await intakeWith(receiver('clean'), counting, limits).begin(clientId, 'long')
    const heldUntil = async () => {
      const key = services().database.reader.selectFrom('intake_keys').select('held_until')
      return (await key.where('key', '=', 'long').executeTakeFirstOrThrow()).held_until ?? 0
    }
    const first = await heldUntil()
    await until(async () => renewals >= 3)
    assert.ok((await heldUntil()) > first)
    submission.open(application)
    await submission.take('resume', file('text'))
    assert.equal((await submission.finish()).isReplay, false)
    await background.whenIdle()
    const { database } = services()
    const row = database.reader.selectFrom('intake_keys').select(['held_until', 'answer'])
    const { held_until, answer } = await row.where('key', '=', 'long').executeTakeFirstOrThrow()
    assert.deepEqual([held_until, answer === null], [null, false])
  })

  test('a key is free again as soon as the database is back, even if the outage came at the end', async () => {
    let isAway = 3
    const away = async () => {
      isAway -= 1
      throw new Error('away')
    }
    const store = createIntakeStore(services().database)
    const intake = intakeWith(receiver('clean'), {
      addOnce: away,
      release: claim => (isAway > 0 ? away() : store.release(claim)),
    })
    const { submission, answer } = await submit(intake, 'restart', 'text')
    await assert.rejects(answer, /away/)
    await submission.abandon()
    await background.whenIdle()
    assert.equal(isAway, 0)
    assert.equal(
      (await (await submit(intakeWith(receiver('clean')), 'restart', 'text')).answer).isReplay,
      false,
    )
  })

  test('files of a failed submission that cannot be removed are logged, and the caller gets the first error', async () => {
    const { log, lines } = recordLog()
    const fault = new Error('the disk is gone')
    const files = { ...receiver('clean'), discard: () => Promise.reject(fault) }
    const submission = await intakeWith(files, {}, undefined, log).begin(clientId, undefined)
    submission.open(application)
    await submission.take('resume', file('text'))
    await submission.abandon()
    const message = 'the files of a failed submission are left to the clean-up'
    assert.deepEqual(lines, [{ level: 'warn', message, fields: { err: fault } }])
  })

  test('a claim with an unknown outcome is released', async () => {
    const store = createIntakeStore(services().database)
    const intake = intakeWith(receiver('clean'), {
      async claim(...claim) {
        await store.claim(...claim)
        throw new Error('the connection broke at the commit')
      },
    })
    await assert.rejects(submit(intake, 'unknown claim', 'text'), /at the commit/)
    const { answer } = await submit(intakeWith(receiver('clean')), 'unknown claim', 'text')
    assert.equal((await answer).isReplay, false)
  })

  test('files of a write with an unknown outcome stay: a row may reference them', async () => {
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

  test('files of a failed submission are discarded', async () => {
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
