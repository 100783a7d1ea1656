import {
  pageAt as at,
  further,
  furtherState,
  heavyState,
  type ListedPage,
  press,
  state,
} from './page-check.ts'
import type { World } from './world.ts'

/** Pages of Rex, who is signed in and a recruiter of one advertiser. */
export function pagesOfRex({ authUrl }: World): ListedPage[] {
  const home = `${authUrl}/console/10000001`
  const list = `${home}/applications`
  return [
    at('overview', home),
    at('ads', `${home}/ads`),
    at('ad', `${home}/ads/31`),
    at('applications', list),
    ...further(
      at('applications-unread', `${list}?status=new&order=unread`),
      at('applications-filtered', `${list}?q=mary&screen=passed&from=2026-02-30`),
      at('applications-no-match', `${list}?q=nobody`),
      at('applications-no-older', `${list}?before=1`),
    ),
    heavyState('application', async page => {
      await page.goto(`${list}?q=mary&screen=passed`)
      await page.getByRole('link', { name: 'Mary Nguyen' }).click()
      await page.locator('.preview-pages').first().scrollIntoViewIfNeeded()
      await page.locator('canvas').first().waitFor()
    }),
    heavyState('application-with-text', async page => {
      await page.goto(`${list}?q=grace`)
      await page.getByRole('link', { name: 'Grace Whitfield' }).click()
      await page.locator('iframe').scrollIntoViewIfNeeded()
      await page.frameLocator('iframe').locator('body').waitFor()
    }),
    ...further(
      heavyState('application-with-word', async page => {
        await page.goto(`${list}?q=priya`)
        await page.getByRole('link', { name: 'Priya Raman' }).click()
        await page.locator('iframe').scrollIntoViewIfNeeded()
        await page.frameLocator('iframe').getByRole('heading', { name: 'Experience' }).waitFor()
      }),
      state('application-with-virus', async page => {
        await page.goto(`${list}?virus=on`)
        await page.getByRole('link', { name: 'Chloe Abernethy' }).click()
        await page.getByText('A virus was found').waitFor()
      }),
      at('application-none', `${list}/999999`),
      at('applications-unanswered', `${list}?unanswered=yes`),
    ),
    at('people-of-recruiter', `${home}/people`),
    at('notifications-of-member', `${home}/notifications`),
    at('leaving', `${home}/people/leave`),
    ...further(
      at('admins-only', `${home}/access`),
      at('not-their-advertiser', `${authUrl}/console/10000002/applications`),
    ),
  ]
}

const image = (svg: string) => ({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) })
const square =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#0a6" d="M0 0h8v8H0z"/></svg>'

/** Pages of Rae, who is signed in and an admin of two advertisers, in the order in which she sees them. */
export function pagesOfRae({ authUrl }: World): ListedPage[] {
  const access = `${authUrl}/console/10000001/access`
  const events = `${authUrl}/console/10000001/events`
  return [
    at('time-zone', `${authUrl}/console/10000001/applications/time-zone`),
    at('answer-days', `${authUrl}/console/10000001/applications/answer-days`),
    ...furtherState('answer-days-refused', async page => {
      await page.getByLabel('Days without an answer').fill('400')
      await press(page, 'Save number of days')
      await page.getByRole('alert').getByText('Choose 1 to 365 days.').waitFor()
    }),
    at('logo', `${authUrl}/console/10000001/logo`),
    ...further(
      state('logo-none', async page => {
        await press(page, 'Remove logo')
        await page.getByText('Your logo has been removed.').waitFor()
      }),
      state('logo-refused', async page => {
        await page.getByLabel('Image file').setInputFiles(image('<svg><script>alert(1)</script></svg>'))
        await press(page, 'Upload logo')
        await page.getByRole('alert').getByText('without <script>').waitFor()
      }),
      state('logo-uploaded', async page => {
        await page.getByLabel('Image file').setInputFiles(image(square))
        await press(page, 'Upload logo')
        await page.getByText('Your logo has been saved.').waitFor()
        await page.locator('.side img.avatar').waitFor()
      }),
    ),
    at('audit', `${authUrl}/console/10000001/audit`),
    at('telling', `${authUrl}/console/10000001/telling`),
    at('privacy', `${authUrl}/console/10000001/privacy`),
    at('retention', `${authUrl}/console/10000001/retention`),
    ...further(
      state('retention-preview', async page => {
        await page.getByLabel('Keep applications for', { exact: true }).selectOption('1')
        await press(page, 'Show what would change')
        await page.getByText('If you keep applications for 1 month').waitFor()
      }),
      state('retention-announced', async page => {
        await press(page, 'Keep applications for 1 month')
        await page.getByText('The new period has been announced').waitFor()
      }),
      state('retention-taken-back', async page => {
        await press(page, 'Take the change back')
        await page.getByText('The change has been taken back').waitFor()
      }),
    ),
    at('hold', `${authUrl}/console/10000001/applications/1/hold`),
    ...further(
      state('hold-refused', async page => {
        await press(page, 'Hold application')
        await page.getByRole('alert').waitFor()
      }),
      heavyState('held', async page => {
        await page.getByLabel('Reason').fill('A complaint\nabout the interview')
        await press(page, 'Hold application')
        await page.getByText('On hold for a dispute').waitFor()
      }),
      heavyState('released', async page => {
        await press(page, 'Release application')
        await page.getByText('Hold for a dispute').waitFor()
      }),
    ),
    at('access', access),
    state('credential-refused', async page => {
      await page.getByRole('link', { name: 'Create a credential' }).click()
      await page.getByLabel('Label').fill('x'.repeat(200))
      await page.getByLabel('Last day').fill('2020-02-29')
      await press(page, 'Create credential')
      await page.getByRole('alert').waitFor()
    }),
    state('credential-issued', async page => {
      await page.getByLabel('Last day').fill('2099-12-31')
      await press(page, 'Create credential')
      await page.getByText('Copy it now.').waitFor()
    }),
    state('credential-revocation', async page => {
      await page.getByRole('link', { name: 'I’ve copied it' }).click()
      await page
        .getByRole('link', { name: /^Revoke/ })
        .first()
        .click()
      await page.getByRole('link', { name: 'Keep credential' }).waitFor()
    }),
    at('access-without-agents', `${authUrl}/console/10000002/access`),
    state('agent-refused', async page => {
      await page.getByRole('link', { name: 'Authorise an agent' }).click()
      await page.getByLabel('Or the agent ID').fill('nobody')
      await press(page, 'Authorise agent')
      await page.getByRole('alert').waitFor()
    }),
    at('agent-withdrawal', `${access}/agents/20000001/withdraw`),
    at('agent-progress', `${access}/agents/20000001/progress`),
    at('events', events),
    at('events-log', `${events}/log`),
    state('endpoint-refused', async page => {
      await page.goto(`${events}/new-endpoint`)
      await page.getByLabel('Address').fill('ftp://receiver.example')
      await press(page, 'Add endpoint')
      await page.getByRole('alert').waitFor()
    }),
    state('endpoint-added', async page => {
      await page.getByLabel('Address').fill('https://receiver.example/hook')
      await press(page, 'Add endpoint')
      await page.getByText('Copy it now.').waitFor()
    }),
    state('endpoint', async page => {
      await page.getByRole('link', { name: 'Go to the endpoint' }).click()
      await page.getByText('has not answered a test yet').waitFor()
    }),
    state('endpoint-rotation', async page => {
      await page.getByRole('link', { name: 'Make a new secret' }).click()
      await page.getByRole('link', { name: 'Keep the secret' }).waitFor()
    }),
    state('endpoint-removal', async page => {
      await page.getByRole('link', { name: 'Keep the secret' }).click()
      await page.getByRole('link', { name: 'Remove endpoint' }).click()
      await page.getByRole('link', { name: 'Keep endpoint' }).waitFor()
    }),
  ]
}

/** The people who work for an advertiser. It ends with a visitor who is not signed in, so it runs after Rae's pages. */
export function pagesOfPeople({ authUrl, baseUrl }: World): ListedPage[] {
  const people = `${authUrl}/console/10000001/people`
  return [
    at('workplaces', `${authUrl}/console`),
    state('people-refused', async page => {
      await page.goto(people)
      await page.getByLabel('Email address').fill('rex@example.com')
      await press(page, 'Send invitation')
      await page.getByRole('alert').waitFor()
    }),
    state('people-invited', async page => {
      await page.getByLabel('Email address').fill(`${'colleague'.repeat(7)}@example.org`)
      await press(page, 'Send invitation')
      await page.getByText('Invitation sent.').waitFor()
    }),
    state('person-removal', page => page.getByRole('link', { name: 'Remove: Rex Okafor' }).click()),
    state('invitation-of-another', async page => {
      await page.goto(`${baseUrl}/demo/outbox`)
      await page
        .getByRole('link', { name: `${authUrl}/invitations` })
        .first()
        .click()
      await page.getByText('but the invitation is for').waitFor()
    }),
    ...furtherState('invitation-new-account', async page => {
      await page.getByLabel('Password').fill('short')
      await page.getByLabel('First name').fill('Ana')
      await page.getByLabel('Last name').fill('Silva')
      await press(page, 'Create account and join')
      await page.getByRole('alert').waitFor()
    }),
  ]
}

/** Job ads and questionnaires, for an admin of Harbour. */
export function pagesOfPostings({ authUrl }: World): ListedPage[] {
  const home = `${authUrl}/console/10000001`
  return [
    at('job-ads', `${home}/jobs`),
    ...further(at('job-ads-closed', `${home}/jobs?state=closed`)),
    at('job-ad-new', `${home}/jobs/new`),
    ...furtherState('job-ad-refused', async page => {
      await page.getByLabel('Job title').fill(' ')
      await page.getByLabel('Location').fill(' ')
      await page.getByLabel('About the job').fill(' ')
      await press(page, 'Publish ad')
      await page.getByRole('alert').waitFor()
    }),
    state('job-ad-preview', async page => {
      await page.goto(`${home}/jobs/31`)
      await press(page, 'Preview')
      await page.getByRole('heading', { name: 'Preview' }).waitFor()
    }),
    at('screens', `${home}/screens`),
    at('screen-new', `${home}/screens/new`),
    ...furtherState('screen-refused', async page => {
      await page.goto(`${home}/screens/new`)
      // Browsers accept a space as a value.
      await page.getByLabel('Questionnaire name').fill(' ')
      await page.locator('#q-0-text').fill(' ')
      await press(page, 'Save questionnaire')
      await page.getByRole('alert').waitFor()
    }),
    state('screen-preview', async page => {
      await page.goto(`${home}/screens/501`)
      await press(page, 'Preview')
      await page.getByRole('heading', { name: 'Preview' }).waitFor()
    }),
    state('screen-outcome', async page => {
      await page.goto(`${home}/screens/503/preview`)
      await page.getByLabel('Yes', { exact: true }).check()
      await page.getByLabel('Saturdays').check()
      await press(page, 'See the outcome')
      await page.getByText('These answers don’t pass').waitFor()
    }),
  ]
}
