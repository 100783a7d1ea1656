import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { demoFile, pdfOf } from '../harness/documents.ts'
import { longTest } from '../harness/effort.ts'
import { call, harbour } from '../harness/http.ts'
import { bearer, doorOf, requestToken, tokenOf, tom } from '../harness/oauth.ts'
import { parseXml } from '../harness/xml.ts'
import { assertHeading, fillSignIn, inBrowser, signIn, visit, type World } from './world.ts'

const mebibyte = 1024 * 1024
const advertiserId = 10000001

const questions = [
  {
    id: 'years',
    type: 'MultipleChoiceOneAnswer',
    text: 'How many years?',
    isRequired: true,
    options: [
      { id: 'few', text: 'Fewer than three' },
      { id: 'many', text: 'Three or more', passes: true },
    ],
  },
  {
    id: 'days',
    type: 'MultipleChoiceManyAnswers',
    text: 'Which days?',
    isRequired: true,
    options: [
      { id: 'mon', text: 'Mondays' },
      { id: 'sat', text: 'Saturdays', passes: true },
      { id: 'sun', text: 'Sundays' },
    ],
  },
  { id: 'why', type: 'Text', text: 'Why us?', isRequired: true },
  {
    id: 'rights',
    type: 'True/False',
    text: 'I may work here.',
    isRequired: true,
    options: [
      { id: 't', text: 'True', passes: true },
      { id: 'f', text: 'False' },
    ],
  },
  { id: 'page', type: 'URLQuestion', text: 'Your own page?' },
]

/** As a job board posts an ad. */
async function postAd({ service, authUrl }: World): Promise<number> {
  const client = { id: 'demo-board', secret: 'demo-board-secret' }
  const fields = { grant_type: 'client_credentials', scope: 'w_applications' }
  const token = tokenOf(await requestToken(doorOf({ baseUrl: authUrl }), fields, { client }))
  const post = async (path: string, content: object) => {
    const answer = await call(service, `/v1/intake/${path}`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: JSON.stringify({ advertiserId, ...content }),
    })
    assert.equal(answer.status, 201, answer.text)
    return answer.json().id as number
  }
  const screenId = await post('screens', { name: 'Five types', questions })
  return post('job-ads', {
    title: 'Green coffee buyer',
    location: 'Hobart TAS',
    description: 'Buy well.',
    reference: 'HCR-99',
    screenId,
  })
}

const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })

/** On the disk, as that of a person: Playwright would encode a large one several times on its way to the browser. */
async function onDisk(t: TestContext, name: string, content: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, name), content)
  return join(folder, name)
}
const send = (page: Page) => page.getByRole('button', { name: 'Send application' })

async function answerQuestions(page: Page): Promise<void> {
  await page.getByLabel('Three or more').check()
  await page.getByLabel('Saturdays').check()
  await page.getByLabel('Sundays').check()
  await page.getByLabel('Why us?').fill('Good beans.\nGood people.')
  await page.getByRole('radio', { name: 'Yes' }).check()
  await page.getByLabel('Your own page?').fill('https://example.com/mary')
}

/** The ID of the application whose receipt the browser shows. */
async function atReceipt(page: Page): Promise<number> {
  await page.waitForURL(/\/account\/applications\/\d+(\?|$)/)
  await assertHeading(page, 'Your application')
  return Number(/(\d+)(\?.*)?$/.exec(page.url())?.[1])
}

type AnswerJson = Record<'@selected' | '#text', string | undefined>
type QuestionJson = { '@type': string; answer: AnswerJson | AnswerJson[] }

async function assertDelivered(world: World, id: number, files: Record<string, Buffer>): Promise<void> {
  const get = (path: string, accept: string) =>
    call(world.service, `/v1/advertiser/applications${path}`, { headers: { ...harbour, accept } })
  const range = `?afterid=${id - 1}&beforeid=${id + 1}`
  const [listed] = (await get(range, 'application/json')).json().JobApplications.JobApplicationsList
  assert.equal(listed.JobReference, 'HCR-99')
  assert.equal(listed.LastName, 'Nguyen')
  const types = listed.Attachments.map(({ Type }: { Type: string }) => Type)
  assert.deepEqual(types, [...Object.keys(files), 'screen'])
  const inXml = parseXml((await get(range, 'application/xml')).text)
  const list = inXml.children.find(({ name }) => name === 'JobApplicationsList')
  assert.equal(list?.children[0]?.children.find(({ name }) => name === 'ID')?.text, String(id))

  const { screen } = (await get(`/screen/${id}`, 'application/json')).json()
  assert.equal(screen['@successful'], 'True')
  const given = (screen.question as QuestionJson[]).map(question => [
    question['@type'],
    [question.answer].flat().flatMap(answer => (answer['@selected'] === 'True' ? [answer['#text']] : [])),
  ])
  const expected = [
    ['MultipleChoiceOneAnswer', ['Three or more']],
    ['MultipleChoiceManyAnswers', ['Saturdays', 'Sundays']],
    ['Text', ['Good beans.\nGood people.']],
    ['True/False', ['True']],
    ['URLQuestion', ['https://example.com/mary']],
  ]
  assert.deepEqual(given, expected)
  const screenXml = parseXml((await get(`/screen/${id}`, 'application/xml')).text)
  assert.deepEqual(
    screenXml.children.map(({ attributes, children }) => [
      attributes['type'],
      children.filter(answer => answer.attributes['selected'] === 'True').map(({ text }) => text),
    ]),
    expected,
  )
  for (const [type, content] of Object.entries(files)) {
    assert.deepEqual((await get(`/${type.toLowerCase()}/${id}`, '*/*')).bytes, content, type)
  }
}

inBrowser('applying on the job board', world => {
  let jobAdId: number
  before(async () => {
    jobAdId = await postAd(world())
  })

  test('without JavaScript, from the list of jobs to the receipt and to the advertiser', () =>
    visit(world(), async ({ page, complaints }) => {
      const { baseUrl, authUrl } = world()
      await page.goto(`${baseUrl}/jobs`)
      await page.getByRole('link', { name: 'Green coffee buyer' }).click()
      await page.getByRole('link', { name: 'Apply', exact: true }).first().click()
      await fillSignIn(page)
      await assertHeading(page, 'Apply: Green coffee buyer')
      assert.equal(new URL(page.url()).origin, authUrl)
      assert.equal(await page.getByLabel('First name').inputValue(), 'Mary')
      assert.ok(await page.getByLabel('Mary Nguyen - Resume.pdf').isChecked())
      await answerQuestions(page)

      // A fault that only the service can find brings the form back, with everything but the files.
      await page.getByLabel('Cover letter').setInputFiles(file('letter.pdf', Buffer.from([1, 2, 3])))
      await send(page).click()
      await page.getByRole('alert').waitFor()
      await page.getByText('please choose them again below').waitFor()
      await page.getByRole('link', { name: /^Cover letter: This is not a PDF/ }).click()
      assert.equal(await page.getByLabel('Why us?').inputValue(), 'Good beans.\nGood people.')
      const letter = demoFile('aroha-parata-resume.rtf')
      await page.getByLabel('No resume').check()
      await page.getByLabel('Resume file').setInputFiles(file('cv.rtf', letter))
      await send(page).click()
      await page
        .getByRole('link', { name: /^Resume: You chose a file here, but a different option above/ })
        .click()
      assert.ok(await page.getByLabel('No resume').isChecked())
      await page.getByLabel('Mary Nguyen - Resume.pdf').check()
      await page.getByLabel('Cover letter').setInputFiles(file('letter.rtf', letter))
      await send(page).click()

      const id = await atReceipt(page)
      const words = await page.getByRole('main').innerText()
      for (const part of ['Green coffee buyer', 'letter.rtf', 'Good beans.', 'Saturdays', String(id)]) {
        assert.ok(words.includes(part), `${part} is not in ${words}`)
      }
      await assertDelivered(world(), id, { resume: demoFile('mary-nguyen-resume.pdf'), coverLetter: letter })
      await page.getByRole('link', { name: 'All your applications' }).click()
      await page.getByRole('link', { name: 'Green coffee buyer' }).click()
      await page.getByRole('link', { name: 'Applications', exact: true }).waitFor()
      assert.deepEqual(
        complaints.filter(text => !/status of 422/.test(text)),
        [],
      )
    }))

  test('with JavaScript, fields are checked while typing and uploads show their progress', t =>
    visit(world(), { javaScriptEnabled: true }, async ({ page, context, complaints }) => {
      await signIn(world(), page)
      await page.goto(`${world().authUrl}/jobs/${jobAdId}/apply`)
      const email = page.getByLabel('Email address')
      await email.fill('mary')
      await page.getByText('Enter an email address like').waitFor({ state: 'detached' })
      await email.press('Tab')
      await page.getByText('Enter an email address like').waitFor()
      assert.equal(await email.getAttribute('aria-invalid'), 'true')
      await email.fill('mary@example.org')
      await page.getByText('Enter an email address like').waitFor({ state: 'detached' })
      assert.equal(await email.getAttribute('aria-invalid'), null)
      assert.ok(await page.getByLabel('Include this job').isChecked())
      await page.getByLabel('Job title').fill('Buyer')
      await page.getByLabel('Don’t include it').check()
      assert.equal(await page.getByLabel('Job title').isVisible(), false)

      // Nothing is sent while a field is missing, and the focus is on the first one.
      await send(page).click()
      assert.equal(await page.locator(':focus').getAttribute('value'), 'few')
      assert.equal(await page.locator('.fault').count(), 4)
      await answerQuestions(page)
      assert.equal(await page.locator('.fault').count(), 0)
      const tooLarge = await onDisk(t, 'big.pdf', pdfOf(10 * mebibyte + 1))
      await page.getByLabel('Cover letter').setInputFiles(tooLarge)
      await page.getByText('The file must be 10 MB or smaller.').waitFor()

      const resume = pdfOf(3 * mebibyte)
      await page.getByLabel('Resume file').setInputFiles(await onDisk(t, 'new.pdf', resume))
      assert.ok(await page.getByLabel('Upload another').isChecked())
      // Its extension is fine; only the service looks at its content.
      await page.getByLabel('Cover letter').setInputFiles(file('letter.pdf', Buffer.from([1, 2, 3])))
      await send(page).click()
      await page.getByRole('alert').waitFor()
      assert.equal(await page.locator(':focus').getAttribute('role'), 'alert')
      assert.equal(await page.getByText('please choose them again').count(), 0)
      const chosen = await page
        .getByLabel('Resume file')
        .evaluate((input: { files: { name: string }[] }) => input.files[0]?.name)
      assert.equal(chosen, 'new.pdf', 'the good file stays chosen')
      await page.getByLabel('Cover letter').setInputFiles([])
      await page.getByLabel('Phone').fill('0400 000 000')

      // A lost connection loses nothing.
      await context.setOffline(true)
      await send(page).click()
      await page.getByText('The connection was lost before we got a response.').waitFor()
      await context.setOffline(false)

      const network = await context.newCDPSession(page)
      await network.send('Network.enable')
      await network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: 2 * mebibyte,
      })
      await send(page).click()
      await page.getByText(/^\d\.\d of 3\.\d MB$/).waitFor()
      assert.ok(await page.getByRole('progressbar').isVisible())
      assert.ok(await send(page).isDisabled())
      const id = await atReceipt(page)
      await page.getByText('0400 000 000').waitFor()
      await assertDelivered(world(), id, { resume })
      const expected = /status of 422|ERR_INTERNET_DISCONNECTED/
      assert.deepEqual(
        complaints.filter(text => !expected.test(text)),
        [],
      )
    }))

  longTest('with JavaScript, typed text outlives the session and any spelling of the address', () =>
    visit(world(), { javaScriptEnabled: true }, async ({ page, context }) => {
      await signIn(world(), page)
      await page.goto(`${world().authUrl}/Jobs/${jobAdId}/Apply`)
      await answerQuestions(page)
      await page.getByLabel('Phone').fill('0411 000 000')
      // A file's name does not make it invalid.
      const resume = pdfOf(1000)
      await page.getByLabel('Resume file').setInputFiles(file('Mary.Nguyen', resume))
      await page.getByLabel('Cover letter').setInputFiles(file('letter.md', Buffer.from([1, 2, 3])))
      assert.equal(await page.locator('.fault').count(), 0)
      await send(page).click()
      await page.getByRole('link', { name: /^Cover letter: This is not a PDF/ }).waitFor()
      await page.getByLabel('Cover letter').setInputFiles([])

      await context.clearCookies()
      await send(page).click()
      const [tab] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('link', { name: 'Sign in again in another tab' }).click(),
      ])
      await fillSignIn(tab)
      await assertHeading(tab, 'Your applications')
      await send(page).click()
      const id = await atReceipt(page)
      await page.getByText('0411 000 000').waitFor()
      await assertDelivered(world(), id, { resume })
    }),
  )

  longTest('with JavaScript, a permanent refusal is not offered for retry', () =>
    visit(world(), { javaScriptEnabled: true }, async ({ page, context }) => {
      await signIn(world(), page)
      await page.goto(`${world().authUrl}/jobs/32/apply`)
      await page.getByLabel('Phone').fill('0422 000 000')
      const tab = await context.newPage()
      await context.clearCookies()
      await signIn(world(), tab, tom)
      await send(page).click()
      const told = page.getByRole('alert')
      await told
        .getByText(/made for another browser or session.* Everything you entered is still here/)
        .waitFor()
      assert.doesNotMatch((await told.textContent()) ?? '', /send it again/)
      assert.equal(await page.getByLabel('Phone').inputValue(), '0422 000 000')
    }),
  )

  longTest('with the keyboard alone on a narrow screen, and with a double tap', () =>
    visit(world(), { javaScriptEnabled: true, viewport: { width: 360, height: 640 } }, async ({ page }) => {
      await signIn(world(), page)
      await page.goto(`${world().authUrl}/jobs/${jobAdId}/apply`)
      const focused = () => page.locator(':focus')
      // From field to field in the order of the page; the arrow keys choose among radio buttons.
      const tabTo = async (name: string) => {
        for (let steps = 0; steps < 60; steps++) {
          await page.keyboard.press('Tab')
          if ((await focused().getAttribute('name')) === name) return
        }
        assert.fail(`no way to ${name}`)
      }
      await tabTo('phone')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('0499 000 000')
      await tabTo('question-years')
      await page.keyboard.press('ArrowDown')
      await tabTo('question-days')
      await tabTo('question-days')
      await page.keyboard.press('Space')
      await tabTo('question-days')
      await page.keyboard.press('Space')
      await tabTo('question-why')
      await page.keyboard.type('Good beans.\nGood people.')
      await tabTo('question-rights')
      await page.keyboard.press('Space')
      await tabTo('question-page')
      await page.keyboard.type('https://example.com/mary')
      await tabTo('resume')
      await tabTo('selectionCriteria')
      await page.keyboard.press('Tab')
      assert.equal(await focused().innerText(), 'Send application')
      await Promise.all([page.keyboard.press('Enter'), page.keyboard.press('Enter')])
      const id = await atReceipt(page)
      assert.ok(!page.url().includes('repeated'), 'it was sent once')
      await page.getByText('0499 000 000').waitFor()
      await assertDelivered(world(), id, { resume: demoFile('mary-nguyen-resume.pdf') })
    }),
  )
})
