import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { rexId } from '../../src/demo/world/world.ts'
import { formTo, wordsOf } from '../harness/html-form.ts'
import { call, harbour } from '../harness/http.ts'
import { joinCompany } from '../harness/memberships.ts'
import {
  Browser,
  doorOf,
  isAlive,
  mary,
  prefill,
  redeem,
  requestToken,
  tokenOf,
  tom,
} from '../harness/oauth.ts'
import { onFileStoresInTurn } from '../harness/one-engine.ts'
import { mailTo } from '../harness/outbox.ts'
import { storedBlobs } from '../harness/s3.ts'
import { readZip } from '../harness/zip.ts'
import {
  apply,
  baristaAd,
  behindTheScenes,
  deliveredToHarbour,
  goodAnswers,
  roasterAd,
  signedIn,
} from './apply-form.ts'

const dataPath = '/account/data'
const downloadPath = '/account/data/download'
const removePath = '/account/data/delete'
const rae = 'rae@example.com'
/** Of the application that the demo has of Mary. */
const demoFiles = [
  'applications/1/resume-Mary Nguyen - Resume.pdf',
  'applications/1/coverLetter-Mary Nguyen - Cover letter.docx',
  'applications/1/selectionCriteria-Mary Nguyen - Selection criteria.rtf',
]

onFileStoresInTurn('the data of a candidate', { env: { RETENTION_DAYS: '0' } }, service => {
  let browser: Browser
  let token: string
  let prefilledId: string
  let applicationId: number
  let letterlessId: number
  let delivered: Record<string, unknown>
  before(async () => {
    browser = await signedIn(service(), mary)
    token = tokenOf(await redeem(doorOf(service()), await browser.code()))
    prefilledId = (await prefill(doorOf(service()), token)).json().id
    const client = tokenOf(await requestToken(doorOf(service()), { grant_type: 'client_credentials' }))
    const now = new Date().toISOString()
    const reported = await doorOf(service()).send('POST', '/v2/progress', {
      headers: { authorization: `Bearer ${client}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        entries: [
          { prefilledApplicationId: prefilledId, state: 'notSuccessful', at: now, reason: 'experience' },
        ],
      }),
    })
    assert.deepEqual(reported.json(), {
      results: [{ prefilledApplicationId: prefilledId, result: 'applied' }],
    })
    const coverLetter = { name: '../../evil\\..\\Letter.txt', content: 'Dear Harbour' }
    applicationId = await apply(service(), browser, baristaAd, {
      fields: goodAnswers,
      files: { coverLetter },
    })
    delivered = await deliveredToHarbour(service(), applicationId)
    letterlessId = await apply(service(), browser, roasterAd, { fields: { phone: '' } })
    // Tom has the same of everything; none of it is hers.
    const other = await signedIn(service(), tom)
    await apply(service(), other, roasterAd, {
      files: { coverLetter: { name: 'tom.txt', content: 'Tom was here' } },
      fields: { resume: 'none' },
    })
  })

  /** Rex beside Rae at both of her advertisers, or alone. */
  const setAdmins = (isWithRex: boolean) =>
    behindTheScenes(service(), async ({ database: { writer } }) => {
      const memberships = writer.deleteFrom('memberships').where('candidate_id', '=', rexId)
      await memberships.execute()
      if (!isWithRex) return
      for (const advertiserId of [10000001, 10000002]) await joinCompany({ writer }, rexId, advertiserId)
    })

  async function download(by = browser) {
    const form = await by.form(downloadPath, dataPath)
    return by.submit(form)
  }

  test('is an archive of everything of theirs, and of no one else', async () => {
    const answer = await download()
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('content-type'), 'application/zip')
    assert.match(
      answer.headers.get('content-disposition') ?? '',
      /^attachment; filename="?my-data-\d{4}-\d\d-\d\d\.zip"?$/,
    )
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const files = await readZip(Buffer.from(answer.bytes))
    const letter = `applications/${applicationId}/coverLetter-Letter.txt`
    const attached = (id: number) => `applications/${id}/resume-Mary Nguyen - Resume.pdf`
    assert.deepEqual(
      [...files.keys()],
      [
        'README.txt',
        'resumes/1-Mary Nguyen - Resume.pdf',
        attached(letterlessId),
        attached(applicationId),
        letter,
        ...demoFiles,
        'data.json',
      ],
    )
    assert.equal(files.get(letter)?.toString(), 'Dear Harbour')
    const resume = files.get('resumes/1-Mary Nguyen - Resume.pdf')
    assert.match(resume?.toString('latin1').slice(0, 8) ?? '', /^%PDF-1/)
    assert.deepEqual(files.get(attached(applicationId)), resume)
    assert.match(files.get('README.txt')?.toString() ?? '', /mary@example\.com/)

    const text = files.get('data.json')?.toString() ?? ''
    const all = JSON.parse(text)
    assert.deepEqual(
      [all.account.email, all.account.firstName, all.account.lastName],
      [mary, 'Mary', 'Nguyen'],
    )
    assert.equal(all.profile.phoneNumber, '0491 570 006')
    assert.deepEqual(
      all.resumes.map((each: Record<string, unknown>) => [each['fileName'], each['path'], each['bytes']]),
      [['Mary Nguyen - Resume.pdf', 'resumes/1-Mary Nguyen - Resume.pdf', resume?.length]],
    )
    const [, sent] = all.applications
    assert.deepEqual(
      [sent.id, sent.contact.phone, sent.jobAd.advertiser],
      [applicationId, '0491 570 006', 'Harbour Coffee Roasters'],
    )
    assert.ok(JSON.stringify(sent.questions).includes('Purge, dose, taste.'))
    assert.ok(!('successful' in sent) && !JSON.stringify(sent.questions).includes('assing'))
    assert.deepEqual(
      sent.files.map((file: Record<string, unknown>) => [file['type'], file['path']]),
      [
        ['resume', attached(applicationId)],
        ['coverLetter', letter],
      ],
    )
    assert.deepEqual(
      all.startedApplications.map((each: Record<string, unknown>) => [each['id'], each['formUrl']]),
      [[prefilledId, 'https://ats.example.com/apply/1']],
    )
    assert.deepEqual(
      all.startedApplications[0].reported.map(({ at: _, ...report }: { at: string }) => report),
      [{ status: 'Not successful' }],
    )
    assert.deepEqual(all.consents[0].shares.slice(0, 3), ['Name', 'Email address', 'Phone number'])
    assert.equal(all.disclosures.length, 1)
    assert.equal(all.sessions.length, 1)
    assert.deepEqual(all.workplaces, [])
    assert.deepEqual(all.notifications, {
      receipts: 'on',
      progress: 'on',
      disclosures: 'on',
      rejectedByMailServer: null,
    })
    for (const secret of ['tom@', 'Tom', 'argon2', 'password', 'scrypt', token, browser.session ?? ''])
      assert.ok(!text.includes(secret), secret)
  })

  test('has the reads of every application, however often another one was read', async () => {
    await behindTheScenes(service(), async ({ database: { writer } }) => {
      const { advertiser_id } = await writer
        .selectFrom('own_applications')
        .select('advertiser_id')
        .where('application_id', '=', letterlessId)
        .executeTakeFirstOrThrow()
      const read = { advertiser_id, first_at: 0, last_at: 0, way: 'download' } as const
      await writer
        .insertInto('application_reads')
        .values({ ...read, application_id: letterlessId, day: '2026-01-01', reader: 'credential:1' })
        .execute()
      for (const from of [0, 2_600]) {
        const rows = Array.from({ length: 2_600 }, (_, each) => ({
          ...read,
          application_id: applicationId,
          day: '2026-01-02',
          reader: `credential:${from + each}`,
        }))
        await writer.insertInto('application_reads').values(rows).execute()
      }
    })
    const files = await readZip(Buffer.from((await download()).bytes))
    const { applications } = JSON.parse(files.get('data.json')?.toString() ?? '')
    const readsOf = (id: number) =>
      applications
        .find((each: { id: number }) => each.id === id)
        .reads.map((read: { day: string }) => read.day)
    assert.deepEqual([readsOf(letterlessId), readsOf(applicationId)], [['2026-01-01'], ['2026-01-02']])
  })

  test('says for whom people work: companies, agents, the board', async () => {
    const workplacesOf = async (email: string) => {
      const answer = await download(await signedIn(service(), email))
      const files = await readZip(Buffer.from(answer.bytes))
      const { workplaces } = JSON.parse(files.get('data.json')?.toString() ?? '')
      return workplaces.map(({ since: _, ...workplace }: Record<string, unknown>) => workplace)
    }
    const [first] = await workplacesOf(rae)
    assert.equal(first.advertiser, 'Harbour Coffee Roasters')
    assert.deepEqual(await workplacesOf('nora@example.com'), [{ agent: 'Northwind ATS', role: 'admin' }])
    assert.deepEqual(await workplacesOf('omar@example.com'), [{ operates: 'this website', role: 'operator' }])
  })

  test('says which files cannot be included, and why', async () => {
    await behindTheScenes(service(), async services => {
      const { writer } = services.database
      const file = await writer
        .selectFrom('application_files')
        .select('blob')
        .where('application_id', '=', applicationId)
        .where('type', '=', 'coverLetter')
        .executeTakeFirstOrThrow()
      await storedBlobs(service().settings ?? {}).remove(file.blob ?? '')
      await writer
        .updateTable('application_files')
        .set({ scan: 'infected', blob: null })
        .where('application_id', '=', letterlessId)
        .execute()
    })
    const files = await readZip(Buffer.from((await download()).bytes))
    const { applications } = JSON.parse(files.get('data.json')?.toString() ?? '')
    const [[infected], [, missing]] = applications.map((each: { files: unknown }) => each.files)
    assert.match(infected.note, /virus/)
    assert.match(missing.note, /could not be read/)
    assert.equal('path' in infected || 'path' in missing, false)
    assert.equal(files.size, 4 + demoFiles.length)
  })

  test('is for the candidate alone, through our form, ten times an hour', async () => {
    const stranger = new Browser(doorOf(service()))
    for (const path of [dataPath, removePath]) assert.equal((await stranger.get(path)).status, 303, path)
    assert.notEqual((await stranger.post(downloadPath, [])).status, 200)
    assert.equal((await browser.post(downloadPath, [['form_token', 'forged']])).status, 403)
    const statuses: number[] = []
    for (let count = 0; count < 8; count++) statuses.push((await download()).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 200, 429])
  })

  test('is not deleted without the password and the tick', async () => {
    const page = await browser.get(removePath)
    const words = wordsOf(page.text)
    assert.match(words, /What is deleted .* What stays, and why .* removed from them immediately/)
    assert.match(words, /Companies that have your applications: Harbour Coffee Roasters/)
    assert.match(words, /Demo ATS on behalf of Harbour Coffee Roasters|on behalf of Harbour Coffee Roasters/)
    const form = formTo(removePath, page.text)
    const unsure = await browser.submit(form, { fields: { password: 'demo-password' }, ticked: [] })
    assert.equal(unsure.status, 422)
    assert.match(wordsOf(unsure.text), /Nothing was deleted\. .* Tick this box/)
    const wrong = await browser.submit(form, { fields: { password: 'wrong' }, ticked: ['yes'] })
    assert.equal(wrong.status, 422)
    assert.match(wordsOf(wrong.text), /The password is wrong/)
    assert.match(wrong.text, /name="sure" value="yes" checked/)
    assert.equal(
      (
        await browser.post(removePath, [
          ['password', 'demo-password'],
          ['sure', 'yes'],
        ])
      ).status,
      403,
    )
    assert.equal((await browser.get(dataPath)).status, 200)
  })

  test('is not deleted while an advertiser would be left without an admin', async () => {
    const admin = await signedIn(service(), rae)
    const page = await admin.get(removePath)
    assert.match(wordsOf(page.text), /Hand over your work first/)
    assert.doesNotMatch(page.text, /name="sure"/)
    await setAdmins(true)
    const form = await admin.form(removePath)
    await setAdmins(false)
    // The page was opened while there was another.
    const refused = await admin.submit(form, { fields: { password: 'demo-password' }, ticked: ['yes'] })
    assert.equal(refused.status, 409)
    assert.match(wordsOf(refused.text), /Hand over your work first/)
    assert.equal((await admin.get(dataPath)).status, 200)
    assert.match(page.text, /href="\/console\/10000001\/people"/)
    const [held, active] = [10000001, 10000002]
    const setStatus = (status: 'active' | 'hold') =>
      behindTheScenes(service(), ({ advertisers }) => advertisers.setStatus(held, status))
    await setStatus('hold')
    const onHold = await admin.get(removePath)
    // Its page of people is closed to all.
    assert.ok(!onHold.text.includes(`/console/${held}/people`))
    assert.ok(onHold.text.includes(`/console/${active}/people`))
    assert.match(
      wordsOf(onHold.text),
      /Harbour Coffee Roasters is on hold.* Ask the operator of this service/,
    )
    await setStatus('active')
  })

  test('is deleted with everything that others could do with it', async () => {
    assert.ok(await isAlive(doorOf(service()), token))
    const session = browser.session ?? ''
    const form = await browser.form(removePath)
    const removed = await browser.submit(form, { fields: { password: 'demo-password' }, ticked: ['yes'] })
    assert.equal(removed.headers.get('location'), '/goodbye', removed.text)
    assert.equal(browser.session, undefined)
    const goodbye = await browser.get('/goodbye')
    assert.match(wordsOf(goodbye.text), /Your account has been deleted/)
    const old = new Browser(doorOf(service()))
    old.cookies.set('dossier-session', session)
    // Pressed twice, and the second request came after the account was deleted.
    const again = await old.send('POST', removePath, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: 'sure=yes&password=demo-password',
    })
    assert.equal(again.status, 401)
    assert.match(wordsOf(again.text), /just deleted your account/)
    assert.equal((await old.get(dataPath)).status, 303)
    assert.ok(!(await isAlive(doorOf(service()), token)))
    assert.equal((await old.submitSignIn(await old.get('/sign-in'))).status, 401)
    const client = tokenOf(await requestToken(doorOf(service()), { grant_type: 'client_credentials' }))
    const completion = await doorOf(service()).send('POST', `/v2/applications/${prefilledId}/complete`, {
      headers: { authorization: `Bearer ${client}`, 'content-type': 'application/json' },
      body: JSON.stringify({ completionDate: '2026-11-14T00:00:00Z' }),
    })
    assert.equal(completion.status, 404, completion.text)
    const { subject } = await mailTo(doorOf(service()), mary)
    assert.equal(subject, 'Your account was deleted')
  })

  test('leaves of the application what the contract says', async () => {
    // With RETENTION_DAYS=0 it is erased after the response.
    await behindTheScenes(service(), services => services.erasure.run())
    const { PrimaryJobSeekingInfo: _, ...kept } = delivered
    assert.deepEqual(await deliveredToHarbour(service(), applicationId), {
      ...kept,
      Attachments: [],
      Email: '',
      FirstName: '',
      LastName: '',
      Phone: '',
    })
    const path = `/v1/advertiser/applications?afterid=${applicationId - 1}&beforeid=${applicationId + 1}&include=primaryjobseekinginfo`
    const xml = (await call(service(), path, { headers: { ...harbour, accept: 'application/xml' } })).text
    const empty = '<Email></Email><FirstName></FirstName><LastName></LastName><Phone></Phone>'
    const person = `<JobSeekerID>${kept['JobSeekerID']}</JobSeekerID>`
    const end = `${empty}${person}<JobReference>HCR-7</JobReference><Attachments></Attachments></JobApplication>`
    assert.ok(xml.includes(`<ID>${applicationId}</ID>`) && xml.includes(end), xml)
    for (const attachment of ['resume', 'coverletter', 'screen']) {
      const url = `/v1/advertiser/applications/${attachment}/${applicationId}`
      assert.equal((await call(service(), url, { headers: harbour })).status, 404, url)
    }
  })
})
