import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApplicationDraft } from '../../src/model/application.ts'
import type { Answers, Question } from '../../src/model/questionnaire.ts'
import { questionnaireResult } from '../../src/model/questionnaire-outcome.ts'
import { plainDraft, uploaded } from '../harness/applications.ts'
import { wordsOf } from '../harness/html-form.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { harbourId } from './apply-form.ts'

const list = `/console/${harbourId}/applications`

const questions: Question[] = [
  {
    id: 'q1',
    type: 'True/False',
    text: 'May you work here?',
    isRequired: true,
    options: [
      { id: 'y', text: 'Yes', passes: true },
      { id: 'n', text: 'No', passes: false },
    ],
    passingTexts: [],
  },
  { id: 'q2', type: 'Text', text: 'Why?', isRequired: false, options: [], passingTexts: [] },
]

// The configured scanner is unreachable: files that it has not judged are withheld.
inDemoWorld(
  'an application in the console',
  { env: { CLAMD_URL: 'tcp://127.0.0.1:9' }, on: ['sqlite'] },
  (world, { signedIn }) => {
    const rex = signedIn('rex@example.com')

    async function apply(change: Partial<ApplicationDraft>): Promise<string> {
      const { id } = await world().services.submissions.add(harbourId, plainDraft(change))
      return `${list}/${id}`
    }

    async function withQuestionnaire(answers: Answers) {
      const { questionnaires } = world().services
      const screen = await questionnaires.add(harbourId, { name: 'Rights', questions })
      return { screen, path: await apply({ screen: questionnaireResult(screen, answers) }) }
    }

    test('shows its contact as links, and its neighbours in the list', async () => {
      const older = await apply({})
      const contact = {
        email: 'a+b?bcc=50%25@example.com',
        firstName: '<b>Ann',
        lastName: 'Lee',
        phone: '+61 (2) 5550-0000',
      }
      const path = await apply({ contact, jobReference: 'X-1' })
      const answer = await rex.page(path)
      assert.match(answer.text, /<bdi>&lt;b&gt;Ann Lee<\/bdi>/)
      const mailto = 'href="mailto:a+b%3Fbcc%3D50%2525@example.com"'
      assert.ok(answer.text.includes(mailto) && (await rex.page(list)).text.includes(mailto))
      assert.match(answer.text, /href="tel:\+61255500000"/)
      assert.match(answer.text, new RegExp(`rel="next" href="${older}"`))
      assert.match((await rex.page(older)).text, new RegExp(`rel="prev" href="${path}"`))
      assert.match(answer.text, /<title>[^<]*Ann Lee, Harbour Coffee Roasters · Dossier<\/title>/)
      assert.match(wordsOf(answer.text), /No questionnaire\. .*No documents were sent\./)
    })

    test('stays within the filter that it was found by', async () => {
      const filtered = await rex.page(`${list}?q=hcr-7`)
      const links = [...filtered.text.matchAll(/href="([^"]*\/applications\/\d+[^"]*)"/g)].map(
        ([, href]) => href,
      )
      assert.deepEqual(
        links,
        [7, 5, 1].map(id => `${list}/${id}?q=hcr-7`),
      )
      const { text } = await rex.page(`${list}/5?q=hcr-7&ad=wrong`)
      assert.match(text, new RegExp(`rel="prev" href="${list}/7\\?q=hcr-7"`))
      assert.match(text, new RegExp(`rel="next" href="${list}/1\\?q=hcr-7"`))
      assert.match(text, new RegExp(`href="${list}\\?q=hcr-7"><bdi>Applications<`))
    })

    test('has its answers, each marked by the current questionnaire', async () => {
      const passed = await withQuestionnaire(
        new Map<string, string[] | string>([
          ['q1', ['y']],
          ['q2', 'Because'],
        ]),
      )
      assert.match(
        await rex.words(passed.path),
        /Answers Passed Questionnaire “ ?Rights ?”: passed May you work here\? Yes Passed Why\? Because/,
      )
      const failed = await withQuestionnaire(new Map([['q1', ['n']]]))
      const words = await rex.words(failed.path)
      assert.match(
        words,
        /Answers Failed Questionnaire “ ?Rights ?”: not passed May you work here\? No Failed Why\? Not answered/,
      )
      assert.doesNotMatch(words, /changed since/)
    })

    test('says so when the questionnaire has changed since or no longer exists', async () => {
      const { screen, path } = await withQuestionnaire(new Map([['q1', ['n']]]))
      world().clock.advance(1000)
      const changed = questions.map(question =>
        question.id === 'q2' ? { ...question, text: 'Why so?' } : question,
      )
      const { questionnaires } = world().services
      await questionnaires.replace(harbourId, screen.id, { name: 'Rights', questions: changed })
      assert.match(await rex.words(path), /has changed since.*No Failed Why\? Not answered/)
      const reworded = questions.map(question => ({ ...question, text: `${question.text}!` }))
      await questionnaires.replace(harbourId, screen.id, { name: 'Rights', questions: reworded })
      assert.match(await rex.words(path), /Passing answers aren’t shown/)
    })

    test('previews a text as plain text, in a sandboxed frame', async () => {
      const text = 'Dear team\n<script>alert(1)</script> Zo\u00eb'
      const file = await uploaded(
        world().services,
        { type: 'coverLetter', fileName: 'letter.txt', contentType: 'text/plain', scan: 'clean' },
        text,
      )
      const path = await apply({ files: [file] })
      const answer = await rex.page(path)
      const src = `${path}/files/coverLetter/text`
      assert.match(answer.text, new RegExp(`<iframe class="preview-text" sandbox title="[^"]*" src="${src}"`))
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        / worker-src 'self'; frame-src 'self';/,
      )
      const framed = await rex.page(src)
      assert.equal(framed.text, text)
      assert.deepEqual(
        [
          'content-type',
          'content-security-policy',
          'x-frame-options',
          'x-content-type-options',
          'cache-control',
        ].map(name => framed.headers.get(name)),
        [
          'text/plain; charset=utf-8',
          "sandbox; default-src 'none'; frame-ancestors 'self'",
          'SAMEORIGIN',
          'nosniff',
          'private, no-store',
        ],
      )
      const download = await rex.page(`${path}/files/coverLetter`)
      assert.match(download.headers.get('content-disposition') ?? '', /^attachment; filename=letter\.txt$/)
      // The next person at this browser must not find it after the sign-out.
      assert.equal(download.headers.get('cache-control'), 'private, no-store')
      assert.equal((await rex.get(`${path}/files/resume`)).status, 404)
      assert.equal((await rex.get(`${path}/files/screen`)).status, 404)
    })

    test('a long text is shown in part, and says so', async () => {
      const file = await uploaded(
        world().services,
        { type: 'resume', fileName: 'long.txt', contentType: 'text/plain', scan: 'clean' },
        'ë'.repeat(300_000),
      )
      const { text } = await rex.page(`${await apply({ files: [file] })}/files/resume/text`)
      assert.match(text, /^ë{262144}\n\n\[The rest of this text isn’t shown here\./)
    })

    test('withholds unchecked files, and has nothing of infected ones', async () => {
      const { services } = world()
      const unscanned = await uploaded(
        services,
        { type: 'resume', fileName: 'r.rtf', contentType: 'application/rtf', scan: 'unscanned' },
        '{\\rtf1 x}',
      )
      const infected = { ...unscanned, type: 'coverLetter', scan: 'infected', blob: null, size: 0 } as const
      const path = await apply({ files: [unscanned, infected] })
      const answer = await rex.page(path)
      assert.doesNotMatch(answer.text, /<iframe|data-pdf/)
      assert.match(wordsOf(answer.text), /Not checked for viruses .* Virus found/)
      const held = await rex.get(`${path}/files/resume`)
      assert.equal(held.status, 503)
      assert.equal(held.headers.get('retry-after'), '30')
      assert.match(held.text, /Try again in 30 seconds\./)
      const gone = await rex.get(`${path}/files/coverLetter`)
      assert.equal(gone.status, 404)
      assert.match(gone.text, /A virus was found in this file/)
      assert.equal((await rex.get(`${path}/files/resume/text`)).status, 503)
      assert.equal((await rex.get(`${path}/files/coverLetter/text`)).status, 404)
    })

    test('says of a file that cannot be checked that waiting does not help', async () => {
      const about = {
        type: 'resume',
        fileName: 'r.txt',
        contentType: 'text/plain',
        scan: 'not-judged',
      } as const
      const path = await apply({ files: [await uploaded(world().services, about, 'x')] })
      const words = await rex.words(path)
      assert.match(words, /Can’t be checked for viruses .*Ask the candidate for another copy\./)
      for (const file of ['resume', 'resume/text']) {
        const answer = await rex.get(`${path}/files/${file}`)
        assert.deepEqual([answer.status, answer.headers.get('retry-after')], [403, null], file)
      }
      assert.match((await rex.get(`${path}/files/resume`)).text, /Ask the candidate for another copy\./)
    })

    test('of a deleted account says so, and when', async () => {
      const path = await apply({})
      const writer = world().services.database.writer
      const id = Number(path.split('/').at(-1))
      await writer
        .insertInto('erasures')
        .values({ advertiser_id: harbourId, application_id: id, due_at: Date.UTC(2027, 0, 2) })
        .execute()
      assert.match(
        await rex.words(path),
        /has deleted their account.* will be removed from this application on 2 January 2027/,
      )
      await writer
        .updateTable('applications')
        .set({ erased_at: Date.UTC(2027, 0, 3), first_name: '', last_name: '', email: '', phone: '' })
        .where('advertiser_id', '=', harbourId)
        .where('id', '=', id)
        .execute()
      const words = await rex.words(path)
      assert.match(
        words,
        new RegExp(`Application ${id} .*were removed from this application on 3 January 2027`),
      )
      assert.doesNotMatch(words, /Email|Phone/)
      assert.match(await rex.words(list), /Erased/)
    })
  },
)
