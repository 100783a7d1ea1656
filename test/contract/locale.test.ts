import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setBoardLocale, usualLocale } from '../../src/platform/core/locale.ts'
import { sizeInWords } from '../../src/platform/core/size-in-words.ts'
import { formsOf, wordsOf } from '../harness/html-form.ts'
import { harbour } from '../harness/http.ts'
import { Browser, mary } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { fieldOf, harbourId, openForm, partsOf, sentId } from './apply-form.ts'

inDemoWorldInTurn(
  'a board in Berlin',
  { env: { BOARD_LOCALE: 'de-DE', TIME_ZONE: 'Europe/Berlin' } },
  world => {
    // One per process, like the operator's other settings.
    after(() => setBoardLocale(usualLocale))

    test('writes its dates and numbers as people there do', async () => {
      const { services, door } = world()
      const { id } = await services.jobs.add(harbourId, {
        title: 'Leuchtturmwart',
        location: 'Kiel',
        description: 'Licht.',
        reference: null,
        screenId: null,
        closingDate: '2026-12-24',
      })
      const { text } = await door.send('GET', `/jobs/${id}`, { headers: { accept: 'text/html' } })
      assert.match(text, /<html lang="de-DE">/)
      assert.match(wordsOf(text), /Closes 24\. Dezember 2026 \(Berlin time\)/)

      const rae = await Browser.signedIn(door, 'rae@example.com')
      const list = await rae.words(`/console/${harbourId}/jobs`)
      assert.match(list, /Closing date \(Berlin time\)/)
      assert.match(list, /24\.12\.2026/)
      const applications = (await rae.get(`/console/${harbourId}/applications`)).text
      assert.match(wordsOf(applications), /Days and times are in Europe\/Berlin time/)
      assert.match(applications, />10\. Nov\.( 2026)?<\/time>/)
      assert.deepEqual([sizeInWords(1_572_864), sizeInWords(18_211)], ['1,5 MB', '17,8 kB'])

      // Saved in another window meanwhile.
      const path = `/console/${harbourId}/jobs/${id}`
      const form = formsOf((await rae.get(path)).text).find(each => fieldOf(each, 'title') !== undefined)
      assert.ok(form)
      world().clock.advance(1000)
      const ad = { location: 'Kiel', description: 'Licht.', reference: null, screenId: null }
      await services.jobs.replace(harbourId, id, { ...ad, title: 'Wart', closingDate: '2026-12-31' })
      const conflict = await rae.submit(form)
      assert.equal(conflict.status, 409)
      assert.match(wordsOf(conflict.text), /The current version differs.*Closing date 31\. Dezember 2026/)
    })

    test('writes the numbers that candidates answer, and stores them as before', async () => {
      const { services, door } = world()
      const typed = { type: 'Text' as const, kind: 'number' as const, options: [], passingTexts: [] }
      const questions = ['48000,5', '-1234567.123456', '7'].map((_, index) => ({
        ...typed,
        isRequired: true,
        id: `n${index}`,
        text: 'Welches Gehalt?',
      }))
      const { id: screenId } = await services.questionnaires.add(harbourId, { name: 'Zahlen', questions })
      const ad = {
        title: 'Koch',
        location: 'Kiel',
        description: 'Suppe.',
        reference: null,
        closingDate: null,
      }
      const { id: jobAdId } = await services.jobs.add(harbourId, { ...ad, screenId })
      const candidate = await Browser.signedIn(door, mary)
      const form = await openForm(candidate, jobAdId)
      const names = form.fields.flatMap(([name]) => (name.startsWith('question-') ? [name] : []))
      assert.equal(names.length, 3)
      const [a = '', b = '', c = ''] = names
      const fields = { resume: 'none', [a]: '48000,5', [b]: '-1234567.123456', [c]: '7' }
      const id = sentId(await candidate.upload(form.action, partsOf(form, { fields })))
      const rae = await Browser.signedIn(door, 'rae@example.com')
      for (const text of [
        (await candidate.get(`/account/applications/${id}`)).text,
        (await rae.get(`/console/${harbourId}/applications/${id}`)).text,
      ])
        for (const answer of ['48.000,5', '-1.234.567,123456', '7'])
          assert.ok(text.includes(`<dd>${answer}`), `${answer}: ${wordsOf(text)}`)
      const stored = await door.send('GET', `/v1/advertiser/applications/screen/${id}`, { headers: harbour })
      assert.match(stored.text, /"48000\.5".*"-1234567\.123456"/)
    })
  },
)
