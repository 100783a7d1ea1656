import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { DraftChanged } from '../../src/apply/form/draft.ts'
import { createReplay } from '../../src/operator/restored/replay-store.ts'
import { type Form, formTo, wordsOf } from '../harness/html-form.ts'
import { Browser, mary } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { storesOver } from '../store/stores.ts'
import {
  applyPath,
  baristaAd,
  type Filling,
  fieldOf,
  goodAnswers,
  harbourId,
  listPath,
  openForm,
  partsOf,
  roasterAd,
  sentId,
} from './apply-form.ts'

const letter = { name: 'letter.txt', content: 'A letter of some length, for the company.' }

inDemoWorldInTurn('drafts of applications', (world, { signedIn }) => {
  const phone = signedIn(mary)
  const desktop = signedIn(mary)
  const other = signedIn('rae@example.com')
  const post = async (browser: Browser, path: string, form: Form, filling: Filling, accept = 'text/html') => {
    const headers = { accept, 'sec-fetch-site': 'same-origin' }
    const answer = await browser.upload(path, partsOf(form, filling), headers)
    return { ...answer, location: answer.headers.get('location') }
  }
  const save = (browser: Browser, form: Form, filling: Filling = {}, accept?: string) =>
    post(browser, `${form.action}/draft`, form, filling, accept)
  const send = (browser: Browser, form: Form, filling: Filling = {}) =>
    post(browser, form.action, form, { ...filling, fields: { resume: 'none', ...filling.fields } })
  const saved = `${applyPath(roasterAd)}?done=saved`
  const reader = () => world().services.database.reader
  const rows = () => reader().selectFrom('drafts').selectAll().execute()
  const files = () => reader().selectFrom('draft_files').selectAll().execute()
  const sentCount = async () => (await reader().selectFrom('applications').select('id').execute()).length
  const discard = async (browser: Browser, id: string) =>
    browser.submit(await browser.form(`${listPath}/drafts/discard`, `${listPath}/drafts/discard?draft=${id}`))
  const discardAll = async () => {
    for (const { id } of await rows()) assert.equal((await discard(phone, id)).status, 303)
    assert.deepEqual([await rows(), await files()], [[], []])
  }

  test('are saved incomplete with their files, and continued on another device', async () => {
    const form = await openForm(phone, roasterAd)
    assert.equal(fieldOf(form, 'draft_version'), '0')
    const fields = { firstName: '', coverLetterText: 'Dear <b>all</b>,\r\nhello', email: 'no address' }
    const answer = await save(phone, form, { fields, files: { coverLetter: letter } })
    assert.deepEqual([answer.status, answer.location], [303, saved], answer.text)
    assert.match(await phone.words(saved), /Draft saved\. .*We keep it until/)
    const list = await desktop.words(listPath)
    assert.match(list, /Drafts .*Not sent: only you can see these.*Continue.*Discard/)
    const again = await openForm(desktop, roasterAd)
    assert.equal(fieldOf(again, 'coverLetterText'), 'Dear <b>all</b>,\nhello')
    assert.deepEqual([fieldOf(again, 'firstName'), fieldOf(again, 'email')], ['', 'no address'])
    assert.deepEqual(
      [fieldOf(again, 'form_key'), fieldOf(again, 'draft_version')],
      [fieldOf(form, 'form_key'), '1'],
    )
    assert.match(await desktop.words(applyPath(roasterAd)), /Remove Cover letter: letter\.txt/)
    assert.doesNotMatch(await other.words(listPath), /Drafts/)
    assert.doesNotMatch(await other.words(`/console/${harbourId}/applications`), /hello/)
  })

  test('become one application with their files, from any device and however often they are sent', async () => {
    const [one, two] = [await openForm(phone, roasterAd), await openForm(desktop, roasterAd)]
    const count = await sentCount()
    const typed = { fields: { firstName: 'Mary', email: mary } }
    const answers = await Promise.all([
      send(phone, one, typed),
      send(desktop, two, typed),
      send(phone, one, typed),
    ])
    const ids = new Set(answers.map(sentId))
    assert.deepEqual([ids.size, await sentCount()], [1, count + 1])
    assert.deepEqual([await rows(), await files()], [[], []])
    assert.match(await phone.words(`${listPath}/${[...ids][0]}`), /letter\.txt/)
    // A page that is still open leads to the application.
    const late = await save(desktop, two)
    assert.equal(late.location, `${listPath}/${[...ids][0]}?repeated=1`)
    assert.deepEqual(await rows(), [])
  })

  test('are not overwritten from another page, unless the person says so', async () => {
    const [one, two] = [await openForm(phone, roasterAd), await openForm(desktop, roasterAd)]
    assert.equal((await save(phone, one, { fields: { phone: '111' } })).status, 303)
    const stale = await save(desktop, two, { fields: { phone: '222' } })
    assert.equal(stale.status, 422)
    assert.match(wordsOf(stale.text), /Not saved yet\. The draft was saved from another page or device, on /)
    assert.equal(fieldOf(await openForm(phone, roasterAd), 'phone'), '111')
    const asked = formTo(applyPath(roasterAd), stale.text)
    assert.equal(fieldOf(asked, 'phone'), '222')
    assert.equal((await save(desktop, asked)).location, saved)
    assert.equal(fieldOf(await openForm(phone, roasterAd), 'phone'), '222')
    // Nor is it sent without what was saved meanwhile.
    const count = await sentCount()
    const unsent = await send(phone, { ...one, fields: [...one.fields] })
    assert.equal(unsent.status, 422)
    assert.match(wordsOf(unsent.text), /Not sent yet\. The draft was saved/)
    assert.equal(await sentCount(), count)
    await discardAll()
  })

  test('are saved once by a double click, and by one of two at once', async () => {
    const form = await openForm(phone, roasterAd)
    const filling = { files: { coverLetter: letter } }
    const twice = await Promise.all([save(phone, form, filling), save(phone, form, filling)])
    assert.deepEqual(
      twice.map(({ location }) => location),
      [saved, saved],
    )
    assert.deepEqual([(await rows()).map(({ version }) => version), (await files()).length], [[1], 1])
    const open = await openForm(phone, roasterAd)
    const both = await Promise.all(
      ['a', 'b'].map(phoneNumber => save(phone, open, { fields: { phone: phoneNumber } })),
    )
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [303, 422])
    await discardAll()
  })

  test('are sent or saved, never both, when both happen at once', async () => {
    for (const order of [0, 1]) {
      const count = await sentCount()
      const fresh = await openForm(phone, roasterAd)
      await save(phone, fresh)
      const form = await openForm(phone, roasterAd)
      const acts = [() => send(phone, form), () => save(phone, form, { fields: { phone: '5' } })]
      if (order === 1) acts.reverse()
      const [sentFirst] = await Promise.all(acts.map(act => act()))
      assert.ok(sentFirst)
      const [left] = await rows()
      assert.equal((await sentCount()) - count, left === undefined ? 1 : 0)
      await discardAll()
    }
  })

  test('are gone once discarded, and an open page keeps its text as a new draft', async () => {
    await save(phone, await openForm(phone, roasterAd), { files: { coverLetter: letter } })
    const open = await openForm(desktop, roasterAd)
    const [draft] = await rows()
    assert.ok(draft)
    // Another person's draft is answered like one that does not exist.
    for (const id of [draft.id, 'unknown', '']) {
      const path = `${listPath}/drafts/discard`
      const page = await other.get(`${path}?draft=${id}`)
      assert.equal(page.status, 404)
    }
    assert.equal((await discard(phone, draft.id)).headers.get('location'), `${listPath}?done=discarded`)
    assert.match(await phone.words(`${listPath}?done=discarded`), /Draft discarded\./)
    assert.deepEqual([await rows(), await files()], [[], []])
    const loose = await reader().selectFrom('loose_blobs').select('blob').execute()
    assert.ok(loose.length > 0)
    const kept = await save(desktop, open, { fields: { phone: '333' } })
    assert.equal(kept.status, 422)
    assert.match(wordsOf(kept.text), /The draft was discarded on another page/)
    const asked = formTo(applyPath(roasterAd), kept.text)
    assert.notEqual(fieldOf(asked, 'form_key'), draft.id)
    assert.equal((await save(desktop, asked)).location, saved)
    await discardAll()
  })

  test('are saved by the script, which is told what it needs', async () => {
    const form = await openForm(phone, roasterAd)
    const { status, text } = await save(phone, form, {}, 'application/json')
    const [draft] = await rows()
    assert.deepEqual([status, JSON.parse(text)], [200, { version: 1, savedAt: draft?.saved_at }])
    const stale = await save(phone, form, { fields: { phone: '1' } }, 'application/json')
    assert.equal(stale.status, 422)
    const gone = new Browser(world().door)
    assert.equal((await save(gone, form, {}, 'application/json')).status, 401)
    await discardAll()
  })

  test('have bounds', async () => {
    const form = await openForm(phone, baristaAd)
    const huge = await save(phone, form, {
      fields: { 'question-7004': '\u0001'.repeat(99_000), coverLetterText: '\u0001'.repeat(99_000) },
    })
    assert.equal(huge.status, 413, huge.text.slice(0, 300))
    assert.match(wordsOf(huge.text), /Not saved yet\..*A draft can have 1\.?0? MB of text/)
    const odd = await save(phone, form, { fields: { form_key: 'x' } })
    assert.equal(odd.status, 403)
    const elsewhere = await save(phone, form, { files: { 'question-nothing': letter } })
    assert.equal(elsewhere.status, 422)
    const notPdf = await save(phone, form, {
      files: { coverLetter: { name: 'a.pdf', content: '\0'.repeat(99) } },
    })
    assert.match(wordsOf(notPdf.text), /Not saved yet/)
    const foreign = await save(other, form)
    assert.ok([403, 422].includes(foreign.status))
    assert.deepEqual(await rows(), [])
    const candidate = (
      await reader().selectFrom('candidates').select('id').where('email', '=', mary).executeTakeFirstOrThrow()
    ).id
    const filler = Array.from({ length: 20 }, (_, index) => ({
      id: `filler-${index}`,
      candidate_id: candidate,
      job_ad_id: 9_000 + index,
      job_title: 'A job that is gone',
      advertiser_name: 'A company',
      content: JSON.stringify({
        firstName: 'M',
        lastName: '',
        email: '',
        phone: '',
        work: '',
        jobTitle: '',
        company: '',
        months: '',
        resume: '',
        keepResume: false,
        coverLetterText: 'Still here',
        answers: [{ id: '1', type: 'Text', question: 'Why?', answer: 'Because', words: ['Because'] }],
      }),
      version: 1,
      saved_at: 1_000,
      expires_at: 2_000,
    }))
    await world().services.database.writer.insertInto('drafts').values(filler).execute()
    const full = await save(phone, form)
    assert.equal(full.status, 422)
    assert.match(wordsOf(full.text), /You have 20 drafts, the maximum/)
    // The ad of a draft does not exist: it is readable.
    assert.match(await phone.words(applyPath(9_001)), /no longer on this board.*Still here.*Why\? Because/)
    assert.equal((await other.get(applyPath(9_001))).status, 404)
    await discardAll()
  })

  test('drop answers whose question is gone, visibly, and stay readable when the ad is closed', async () => {
    await save(phone, await openForm(phone, baristaAd), { fields: goodAnswers })
    const { writer } = world().services.database
    const screen = await reader()
      .selectFrom('screens')
      .selectAll()
      .where('id', '=', 501)
      .executeTakeFirstOrThrow()
    const fewer = JSON.parse(screen.questions).filter(({ id }: { id: string }) => id !== '7004')
    await writer
      .updateTable('screens')
      .set({ questions: JSON.stringify(fewer) })
      .where('id', '=', 501)
      .execute()
    const page = await phone.words(applyPath(baristaAd))
    assert.match(page, /won’t be sent: .*Purge, dose, taste\./)
    await writer.updateTable('screens').set({ questions: screen.questions }).where('id', '=', 501).execute()
    await writer.updateTable('job_ads').set({ status: 'closed' }).where('id', '=', baristaAd).execute()
    assert.match(await phone.words(applyPath(baristaAd)), /has closed this job.*Purge, dose, taste/)
    await writer.updateTable('job_ads').set({ status: 'open' }).where('id', '=', baristaAd).execute()
    await discardAll()
  })

  test('offer the answer to the same question, and fill it in when asked', async () => {
    sentId(await send(phone, await openForm(phone, baristaAd), { fields: goodAnswers }))
    const form = await openForm(phone, baristaAd)
    assert.equal(fieldOf(form, 'question-7004'), '')
    assert.match(
      await phone.words(applyPath(baristaAd)),
      /Use your answer of .* to Harbour Coffee Roasters : Purge, dose, taste/,
    )
    assert.doesNotMatch(await other.words(applyPath(baristaAd)), /Use your answer/)
    const used = await save(phone, form, { fields: { use: '7004' } })
    assert.equal(used.location, `${applyPath(baristaAd)}?done=saved#question-7004`)
    assert.equal(
      fieldOf(await openForm(phone, baristaAd), 'question-7004'),
      'Purge, dose, taste.\nThen finer.',
    )
    await discardAll()
  })

  test('leave no trace of an infected file, and are never sent with it', async () => {
    await save(phone, await openForm(phone, roasterAd), { files: { coverLetter: letter } })
    const form = await openForm(phone, roasterAd)
    const [file] = await files()
    const { createScanningStore } = await import('../../src/operator/upkeep/scanning-store.ts')
    const scanning = createScanningStore(world().services.database)
    assert.equal(await scanning.recordDraftVerdict(file?.blob ?? '', 'infected', Date.now()), true)
    assert.equal(await scanning.recordDraftVerdict(file?.blob ?? '', 'infected', Date.now()), false)
    assert.match(await phone.words(applyPath(roasterAd)), /A virus was found in this file/)
    // Nor is the application sent without the file until the person says so, who may have seen the page before.
    const refused = await send(phone, form)
    assert.equal(refused.status, 422)
    assert.match(wordsOf(refused.text), /Not sent yet\..*A virus was found in the file saved with your draft/)
    const id = sentId(await send(phone, form, { fields: { removeFile: 'coverLetter' } }))
    assert.doesNotMatch(await phone.words(`${listPath}/${id}`), /letter\.txt/)
    assert.deepEqual([await rows(), await files()], [[], []])
  })

  test('stay whole when the transaction that sends them finds another version or a file missing', async () => {
    await save(phone, await openForm(phone, roasterAd), { files: { coverLetter: letter } })
    const [draft] = await rows()
    const candidateId = draft?.candidate_id ?? ''
    const count = await sentCount()
    const contact = { email: mary, firstName: 'Mary', lastName: 'Nguyen', phone: '' }
    const submission = {
      formKey: draft?.id ?? '',
      resumeId: undefined,
      ad: { advertiserId: harbourId, jobAdId: roasterAd, jobTitle: '', jobLocation: '', advertiserName: '' },
      application: { jobSeekerId: candidateId, contact, files: [] },
    }
    const { ownApplications } = storesOver(world().services.database)
    const attempts = [
      { version: 0, files: new Map() },
      { version: 2, files: new Map() },
      { version: 1, files: new Map([['selectionCriteria', 'selectionCriteria' as const]]) },
    ]
    for (const attempt of attempts)
      await assert.rejects(
        ownApplications.send(candidateId, { ...submission, draft: attempt }, Date.now()),
        DraftChanged,
      )
    assert.deepEqual([(await rows()).length, (await files()).length, await sentCount()], [1, 1, count])
    await discardAll()
  })

  test('are in the download of all data, and kept by the clean-up until they are removed by age', async () => {
    await save(phone, await openForm(phone, roasterAd), {
      fields: { coverLetterText: 'Typed and kept' },
      files: { selectionCriteria: letter },
    })
    const [draft] = await rows()
    const [file] = await files()
    assert.ok(draft?.candidate_id && file?.blob)
    const { ownData, blobs, database } = world().services
    const archive: Record<string, string> = {}
    for await (const { path, content } of await ownData.pack(draft.candidate_id, 'Dossier')) {
      archive[path] = ''
      for await (const chunk of content) archive[path] += chunk
    }
    assert.equal(archive['drafts/1/selectionCriteria-letter.txt'], letter.content)
    const [own] = JSON.parse(archive['data.json'] ?? '').drafts
    assert.deepEqual(
      [own.typed.coverLetterText, own.files[0].path],
      ['Typed and kept', 'drafts/1/selectionCriteria-letter.txt'],
    )

    const stores = storesOver(database)
    assert.deepEqual(await stores.blobReferences.named([file.blob]), new Set([file.blob]))
    const kept = await blobs.open({ blob: file.blob, sha256: file.sha256, size: file.size })
    assert.equal(await text(kept), letter.content)
    assert.equal(await stores.expiry.removeDrafts(draft.expires_at - 1, 9), 0)
    assert.equal(await stores.expiry.removeDrafts(draft.expires_at, 9), 1)
    assert.deepEqual([await rows(), await files()], [[], []])
    const loose = await reader()
      .selectFrom('loose_blobs')
      .select('blob')
      .where('blob', '=', file.blob)
      .execute()
    assert.equal(loose.length, 1)
    assert.deepEqual(await stores.blobReferences.named([file.blob]), new Set())
  })

  test('lose a file that is to be removed, also from a page that is not the newest or is shown again', async () => {
    const form = await openForm(phone, roasterAd)
    await save(phone, form, { files: { coverLetter: letter } })
    const removal = { fields: { removeFile: 'coverLetter' } }
    // The same text as stored, but the file would stay: not a repetition.
    const stale = await save(phone, form, removal)
    assert.equal(stale.status, 422)
    const shown = await openForm(phone, roasterAd)
    const faulty = { fields: { ...removal.fields, firstName: '' } }
    const again = await send(phone, shown, faulty)
    assert.equal(again.status, 422)
    assert.match(again.text, /name="removeFile" value="coverLetter" +checked/)
    const twice = await Promise.all([save(phone, shown, removal), save(phone, shown, removal)])
    assert.deepEqual(
      twice.map(({ location }) => location),
      [saved, saved],
    )
    assert.deepEqual([(await rows()).length, await files()], [1, []])
    await discardAll()
  })

  test('do not answer a question or choose an option with other words, and keep what an old page cannot save', async () => {
    const { writer } = world().services.database
    const old = await openForm(phone, baristaAd)
    await save(phone, old, { fields: goodAnswers })
    const open = await openForm(phone, baristaAd)
    const screen = await reader()
      .selectFrom('screens')
      .selectAll()
      .where('id', '=', 501)
      .executeTakeFirstOrThrow()
    const change = (questions: string) =>
      writer.updateTable('screens').set({ questions }).where('id', '=', 501).execute()
    const questions = JSON.parse(screen.questions)
    const [first] = questions
    first.options.find(({ id }: { id: string }) => id === '90013').text = 'Something else'
    questions.find(({ id }: { id: string }) => id === '7004').text = 'Why would you leave?'
    await change(JSON.stringify(questions))
    const page = await phone.words(applyPath(baristaAd))
    assert.match(page, /won’t be sent: .*Purge, dose, taste\./)
    const made = await openForm(phone, baristaAd)
    assert.deepEqual([fieldOf(made, 'question-7001'), fieldOf(made, 'question-7004')], [undefined, ''])
    await change(JSON.stringify(questions.filter(({ id }: { id: string }) => id !== '7004')))
    // The script saves an open page whose questions have changed.
    assert.equal((await save(phone, open, { fields: { phone: '9' } }, 'application/json')).status, 200)
    assert.match(await phone.words(applyPath(baristaAd)), /won’t be sent: .*Purge, dose, taste\./)
    // The person has read that, and saves the form as it is now.
    await save(phone, await openForm(phone, baristaAd))
    assert.doesNotMatch(await phone.words(applyPath(baristaAd)), /won’t be sent/)
    await change(screen.questions)
    await discardAll()
  })

  test('that were saved again after they were discarded survive a restore', async () => {
    const form = await openForm(phone, roasterAd)
    await save(phone, form)
    const [draft] = await rows()
    assert.ok(draft)
    const buried = async () =>
      (await reader().selectFrom('tombstones').selectAll().execute())
        .map(({ content }) => JSON.parse(content))
        .filter(([kind, id]) => kind === 'draft' && id === draft.id)
    await discard(phone, draft.id)
    const [tombstone] = await buried()
    assert.ok(tombstone)
    // The page from before, which the browser goes back to.
    assert.equal((await save(phone, form)).location, saved)
    const { writer } = world().services.database
    await writer
      .updateTable('drafts')
      .set({ saved_at: draft.saved_at + 1 })
      .execute()
    const replay = createReplay(world().services.database, draft.saved_at)
    assert.equal(await replay(tombstone), false)
    assert.equal((await rows()).length, 1)
    await writer.updateTable('drafts').set({ saved_at: draft.saved_at }).execute()
    assert.equal(await replay(tombstone), true)
    assert.deepEqual(await rows(), [])
  })

  test('are saved so often only from one network', async () => {
    const form = await openForm(phone, roasterAd)
    let [tries, status] = [0, 0]
    // Both people may save far more often, so this is the limit of the network they share; a new minute may begin meanwhile.
    for (; status !== 429 && tries < 1_400; tries++) {
      const sender = tries % 2 === 0 ? phone : other
      status = (await save(sender, { ...form, action: applyPath(9_999) })).status
    }
    assert.equal(status, 429, `${tries} tries`)
  })
})
