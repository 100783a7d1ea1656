import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { isLongRun } from '../harness/effort.ts'
import { mary } from '../harness/oauth.ts'
import { go, signInByKeys, tabTo, write } from './keyboard.ts'
import { assertHeading, fillSignIn, inBrowser, signIn, type Visitor, visit, type World } from './world.ts'

/** How a person uses a page. */
interface Hands {
  press(page: Page, name: string): Promise<void>
  write(page: Page, field: string, text: string): Promise<void>
  untick(page: Page, name: string): Promise<void>
  signIn(page: Page, email: string): Promise<unknown>
  hasScripts: boolean
}

const keys: Hands = {
  press: go,
  write,
  async untick(page, name) {
    await tabTo(page, name)
    await page.keyboard.press('Space')
  },
  signIn: signInByKeys,
  hasScripts: true,
}

const clicks: Hands = {
  press: (page, name) =>
    page
      .locator('a, button, summary')
      // The first button of a form is hidden there: the one that Enter presses.
      .filter({ hasText: new RegExp(`^\\s*${name}\\s*$`), visible: true })
      .first()
      .click(),
  write: (page, field, text) => page.getByLabel(field, { exact: true }).fill(text),
  untick: (page, name) => page.getByLabel(name, { exact: true }).uncheck(),
  signIn: fillSignIn,
  hasScripts: false,
}

const jobPath = '/jobs/32'
const letter = 'I roast at night, too.'
const note = 'Ask about the night shift.'

const at = (page: Page, path: RegExp) => page.waitForURL(url => path.test(`${url.pathname}${url.search}`))
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

interface People {
  world: World
  hands: Hands
  candidate: Page
  recruiter: Page
}

/** From the advert to the receipt; the candidate signs in on the way. Returns the ID of the application. */
async function apply({ world, hands, candidate }: People): Promise<number> {
  await candidate.goto(`${world.authUrl}${jobPath}`)
  await hands.press(candidate, 'Apply')
  await at(candidate, /^\/sign-in/)
  await hands.signIn(candidate, mary)
  await at(candidate, /^\/jobs\/32\/apply$/)
  await hands.write(candidate, 'Type or paste your letter (optional)', letter)
  await hands.press(candidate, 'Send application')
  await at(candidate, /^\/account\/applications\/\d+/)
  await sees(candidate, 'hasn’t opened it yet')
  return Number(/\d+/.exec(new URL(candidate.url()).pathname)?.[0])
}

/** From the first page of the company to the newest application. */
async function openNewest({ world, hands, recruiter }: People): Promise<void> {
  await signIn(world, recruiter, 'rex@example.com')
  await recruiter.goto(`${world.authUrl}/console/10000001`)
  await hands.press(recruiter, 'Applications')
  await at(recruiter, /applications$/)
  await hands.press(recruiter, 'Mary Nguyen')
  await assertHeading(recruiter, 'Mary Nguyen')
}

/** Emails are sent shortly after what they tell of. */
async function findMail({ world, candidate }: People, subject: string): Promise<void> {
  const heading = candidate.getByRole('heading', { name: subject, exact: true })
  do await candidate.goto(`${world.baseUrl}/demo/outbox`)
  while ((await heading.count()) === 0)
}

const ends = {
  async hired(people) {
    const { world, hands, candidate, recruiter } = people
    const id = await apply(people)
    await openNewest(people)
    await hands.write(recruiter, 'Note for your team', note)
    await hands.untick(recruiter, 'Tell the candidate by email')
    await hands.press(recruiter, 'Shortlist')
    await sees(recruiter, 'Status changed from Seen to Shortlisted.')

    await candidate.goto(`${world.authUrl}/account/applications`)
    await sees(candidate, /first read on/)
    await hands.press(candidate, 'Production roaster')
    await sees(candidate, 'has put you on its shortlist')
    assert.ok(candidate.url().endsWith(`/${id}`))

    await hands.press(recruiter, 'Mark as hired')
    await sees(recruiter, 'Status changed from Shortlisted to Hired. We’re emailing the candidate.')
    await sees(recruiter, note)

    await candidate.reload()
    await sees(candidate, 'has hired you for this job')
    assert.equal(await candidate.getByText(note).count(), 0, 'notes are the company’s own')
    await candidate.goto(`${world.authUrl}${jobPath}`)
    await sees(candidate, /^You applied for this job on/)
    await findMail(people, 'Hired: Production roaster')
    assert.equal(await candidate.getByRole('heading', { name: 'Shortlisted: Production roaster' }).count(), 0)
  },

  async withdrawn(people) {
    const { world, hands, candidate, recruiter } = people
    const id = await apply(people)
    await openNewest(people)
    await hands.press(candidate, 'Withdraw application')
    await hands.press(candidate, 'Yes, withdraw it')
    await sees(candidate, 'Application withdrawn.')
    await sees(candidate, /^Your details in it will be erased on/)
    assert.equal(await candidate.getByText('Withdraw application').count(), 0)

    // The page is from before.
    await hands.write(recruiter, 'Note for your team', note)
    await hands.press(recruiter, 'Shortlist')
    await sees(recruiter, 'The candidate has withdrawn this application in the meantime.')
    assert.equal(await recruiter.getByText('Mark as hired').count(), 0)
    await hands.press(recruiter, 'Add note')
    await sees(recruiter, 'Note added.')
    await sees(recruiter, 'The candidate withdrew the application')
    await hands.press(recruiter, 'Applications')
    await at(recruiter, /applications$/)
    const row = recruiter.locator('tr, li', { has: recruiter.locator(`a[href*="/applications/${id}"]`) })
    await row.getByText('Withdrawn').first().waitFor()

    await findMail(people, 'Application withdrawn: Production roaster')
    await candidate.goto(`${world.authUrl}${jobPath}`)
    await hands.press(candidate, 'Apply')
    await at(candidate, /apply$/)
    await sees(candidate, /You (withdrew|applied).*You can apply again/)
  },
} satisfies Record<string, (people: People) => Promise<void>>

// `npm test` sends the same forms by HTTP, in test/contract.
if (isLongRun)
  inBrowser('an application, for candidate and recruiter', world => {
    const journeys = [
      ['hired', 'with the keyboard alone', keys],
      ['withdrawn', 'without JavaScript', clicks],
      ['withdrawn', 'with the keyboard alone', keys],
      ['hired', 'without JavaScript', clicks],
    ] as const
    for (const [end, how, hands] of journeys) {
      test(`from the advert to "${end}", ${how}`, async () => {
        const options = { javaScriptEnabled: hands.hasScripts, viewport: { width: 1280, height: 800 } }
        const both = (use: (one: Visitor, other: Visitor) => Promise<void>) =>
          visit(world(), options, one => visit(world(), options, other => use(one, other)))
        await both(async (one, other) => {
          await ends[end]({ world: world(), hands, candidate: one.page, recruiter: other.page })
          // The answer to the page from before.
          const complaints = [...one.complaints, ...other.complaints]
          assert.deepEqual(
            complaints.filter(text => !text.includes('status of 409')),
            [],
          )
        })
      })
    }
  })
