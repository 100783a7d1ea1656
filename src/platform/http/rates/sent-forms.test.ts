import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../../../../test/harness/clock.ts'
import { withServices } from '../../../../test/harness/database.ts'
import { noLog, recordLog } from '../../../../test/harness/log.ts'
import type { Log } from '../../core/log.ts'
import { Problem } from '../../core/problems.ts'
import { FormFields } from '../requests/form.ts'
import { createSentFormStore } from './sent-form-store.ts'
import { createSentForms, maxSentFormChecks, sentFormSeconds } from './sent-forms.ts'

const clock = movableClock()

withServices('forms that were sent', { clock }, services => {
  let made = 0
  const make = async () => `/things/${++made}`
  const refuse = async () => {
    throw new Error('a mistake')
  }
  const ann = { caller: { candidateId: 'ann' }, request: { url: '/things' } }
  let keys = 0
  const newForm = (rest = 'title=One') => new FormFields(`form_token=t&form_key=k${++keys}&${rest}`)
  const createForms = (
    pause: () => Promise<unknown>,
    store = createSentFormStore(services().database),
    log: Log = noLog,
  ) => createSentForms({ store, clock, pause, idOf: ({ candidateId }) => candidateId, log })
  const impatient = () => createForms(() => assert.fail('no request has to wait'))

  test('sending the same form again leads to its first result, with any token', async () => {
    const first = await impatient().once(ann, new FormFields('form_token=a&form_key=k&title=One'), make)
    const again = await impatient().once(ann, new FormFields('form_token=b&form_key=k&title=One'), make)
    assert.deepEqual(again, { location: first.location, isFirst: false })
  })

  test('other content with the same key is a new form: other words, address, file or person, or no key', async () => {
    const form = newForm()
    const sent = [
      [ann, form],
      [ann, new FormFields(form.text.replace('One', 'Two'))],
      [ann, new FormFields(`${form.text}&title=One`)],
      [{ ...ann, request: { url: '/others' } }, form],
      [{ ...ann, caller: { candidateId: 'bob' } }, form],
      [ann, form, ['cv.pdf', 'hash']],
      [ann, form, ['cv.pdf', 'another']],
      [ann, new FormFields('title=One')],
      [ann, new FormFields('title=One')],
      [ann, new FormFields('form_key=&title=One')],
      [ann, new FormFields('form_key=&title=One')],
    ] as const
    for (const [call, fields, files] of sent) {
      assert.ok(
        (await impatient().once(call, fields, make, files)).isFirst,
        `${call.request.url} ${fields.text}`,
      )
    }
  })

  test('a failed form may be sent again, and may then succeed', async () => {
    const form = newForm()
    for (let count = 0; count < 2; count++) {
      await assert.rejects(impatient().once(ann, form, refuse), /a mistake/)
    }
    assert.ok((await impatient().once(ann, form, make)).isFirst)
  })

  test('a form that arrives while the first is in progress waits for it, and is processed if the first fails', async () => {
    for (const first of [make, refuse]) {
      const form = newForm()
      const begun = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const ended = impatient().once(ann, form, async () => {
        begun.resolve()
        await gate.promise
        return first()
      })
      await begun.promise
      const waiting = createForms(async () => {
        gate.resolve()
        await ended.catch(() => {})
      })
      const second = await waiting.once(ann, form, make)
      if (first === make) assert.deepEqual(second, { ...(await ended), isFirst: false })
      else assert.ok(second.isFirst)
    }
  })

  test('a form whose first submission never ends gets that answer, even much later: it may have been done', async () => {
    const form = newForm()
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<string>()
    const first = impatient().once(ann, form, () => {
      begun.resolve()
      return gate.promise
    })
    await begun.promise
    let looks = 0
    const patient = createForms(async () => ++looks)
    await assert.rejects(patient.once(ann, form, make), { code: 'form-under-way' })
    assert.equal(looks, maxSentFormChecks)
    clock.advance((sentFormSeconds - 1) * 1000)
    await assert.rejects(patient.once(ann, form, make), {
      code: 'form-under-way',
      detail: /check the list that it adds to/,
    })
    gate.resolve('/late')
    assert.equal((await first).location, '/late')
    assert.deepEqual(await impatient().once(ann, form, make), { location: '/late', isFirst: false })
  })

  test('after a day a form is forgotten; a first submission that ends only then changes nothing', async () => {
    const form = newForm()
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<string>()
    const first = impatient().once(ann, form, () => {
      begun.resolve()
      return gate.promise
    })
    await begun.promise
    clock.advance(sentFormSeconds * 1000)
    const { location, isFirst } = await impatient().once(ann, form, make)
    assert.ok(isFirst)
    gate.resolve('/late')
    assert.equal((await first).location, '/late')
    assert.deepEqual(await impatient().once(ann, form, make), { location, isFirst: false })
  })

  test('a form that the database may have processed is not processed again: the sender is asked to check', async () => {
    const form = newForm()
    const lost = new Problem('unavailable', 'The database cannot be reached.')
    const makeInDoubt = async () => {
      await make()
      throw lost
    }
    await assert.rejects(impatient().once(ann, form, makeInDoubt), {
      code: 'unavailable',
      detail: /couldn’t confirm that this was saved\. Check the list/,
      // For the log.
      cause: lost,
    })
    const before = made
    await assert.rejects(createForms(async () => {}).once(ann, form, make), {
      code: 'form-under-way',
    })
    assert.equal(made, before)
  })

  test('a result that could not be stored is shown, not made again, and logged', async () => {
    const store = createSentFormStore(services().database)
    const away = async () => {
      throw new Error('no database')
    }
    const { log, lines } = recordLog()
    const broken = createForms(async () => {}, { ...store, release: away, finish: away }, log)
    await assert.rejects(broken.once(ann, newForm(), refuse), /a mistake/)
    const form = newForm()
    assert.deepEqual(await broken.once(ann, form, make), { location: `/things/${made}`, isFirst: true })
    await assert.rejects(broken.once(ann, form, make), { code: 'form-under-way' })
    assert.deepEqual(
      lines.map(({ message, fields: { err } }) => [message, String(err)]),
      [
        ['a form that failed cannot be sent again until its claim expires', 'Error: no database'],
        ['a form was processed, but sending it again does not show the result', 'Error: no database'],
      ],
    )
  })
})
