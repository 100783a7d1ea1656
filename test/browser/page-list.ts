import type { Page } from 'playwright-core'
import { tom } from '../harness/oauth.ts'
import { allow, decline, fillSignIn, overwrite, signIn, type World } from './world.ts'

export interface ListedPage {
  name: string
  open(page: Page): Promise<unknown>
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** The newest mail of the demo's outbox with a link to this page. It is written behind the answer. */
async function openMailed(world: World, page: Page, path: string): Promise<void> {
  const link = page.getByRole('link', { name: `${world.authUrl}${path}` }).first()
  do await page.goto(`${world.baseUrl}/demo/outbox`)
  while ((await link.count()) === 0)
  await link.click()
}

/** Pages for whoever has a browser without a sign-in. */
export function pagesOfStrangers(world: World): ListedPage[] {
  const { authUrl, baseUrl, client } = world
  const at = (name: string, url: string): ListedPage => ({ name, open: page => page.goto(url) })
  return [
    at('sign-in', `${authUrl}/sign-in`),
    at('sign-in-for-client', client.applyUrl()),
    {
      name: 'sign-in-refused',
      async open(page) {
        await page.goto(`${authUrl}/sign-in?continue=/account`)
        await fillSignIn(page, 'nobody@example.com')
        await page.getByRole('alert').waitFor()
      },
    },
    at('authorize-error', client.applyUrl({ client_id: 'nobody' })),
    at('demo-outbox-empty', `${baseUrl}/demo/outbox`),
    at('sign-up', `${authUrl}/sign-up`),
    {
      name: 'sign-up-refused',
      async open(page) {
        await page.goto(`${authUrl}/sign-up`)
        await page.getByLabel('First name').fill('Ann')
        await page.getByLabel('Last name').fill('Other')
        await page.getByLabel('E-mail address').fill('ann@example.org')
        await page.getByLabel('Password').fill('short')
        await press(page, 'Sign up')
        await page.getByRole('alert').waitFor()
      },
    },
    {
      name: 'sign-up-mailed',
      async open(page) {
        await page.getByLabel('Password').fill('a long enough pass phrase')
        await press(page, 'Sign up')
        await page.getByRole('status').waitFor()
      },
    },
    {
      name: 'unconfirmed',
      async open(page) {
        await page.goto(`${authUrl}/sign-in`)
        await fillSignIn(page, 'ann@example.org', 'a long enough pass phrase')
        await page.getByRole('alert').waitFor()
      },
    },
    { name: 'confirm', open: page => openMailed(world, page, '/confirm') },
    at('forgotten', `${authUrl}/forgotten`),
    {
      name: 'forgotten-mailed',
      async open(page) {
        await page.getByLabel('E-mail address').fill(tom)
        await press(page, 'Send the link')
        await page.getByRole('status').waitFor()
      },
    },
    { name: 'reset', open: page => openMailed(world, page, '/reset') },
    at('link-gone', `${authUrl}/confirm?token=used`),
    at('demo-outbox', `${baseUrl}/demo/outbox`),
    at('demo', `${baseUrl}/demo`),
    at('demo-application-none', `${baseUrl}/demo/application`),
    at('demo-callback-strange', `${baseUrl}/demo/callback?state=other`),
    at('jobs', `${baseUrl}/jobs`),
    at('job', `${baseUrl}/jobs/31`),
    at('job-none', `${baseUrl}/jobs/999999`),
    at('no-such-page', `${authUrl}/acount`),
  ]
}

/** Pages of Mary, who is signed in and has shared nothing yet, in the order in which she sees them. */
export function pagesOfMary(world: World): ListedPage[] {
  const { authUrl, baseUrl, client } = world
  const at = (name: string, url: string): ListedPage => ({ name, open: page => page.goto(url) })
  return [
    at('sharing-empty', `${authUrl}/account/sharing`),
    at('consent', client.applyUrl()),
    {
      name: 'form-expired',
      async open(page) {
        await overwrite(page, 'form_token', 'made up')
        await allow(page).click()
        await page.getByRole('alert').waitFor()
      },
    },
    {
      name: 'demo-declined',
      async open(page) {
        await page.goto(`${baseUrl}/demo`)
        await page.getByRole('button', { name: 'Apply with Dossier' }).first().click()
        await decline(page).click()
        await page.waitForURL(`${baseUrl}/demo/application`)
      },
    },
    {
      name: 'demo-prefilled',
      async open(page) {
        await page.goto(`${baseUrl}/demo`)
        await page.getByRole('button', { name: 'Apply with Dossier' }).first().click()
        await allow(page).click()
        await page.waitForURL(`${baseUrl}/demo/application`)
      },
    },
    {
      name: 'demo-completed',
      async open(page) {
        await press(page, 'Send application')
        await page.getByText('your application was sent').waitFor()
      },
    },
    at('sharing', `${authUrl}/account/sharing`),
    {
      name: 'sharing-withdrawn',
      async open(page) {
        await page.getByRole('button', { name: 'Withdraw' }).first().click()
        await page.getByRole('status').waitFor()
      },
    },
    at('account', `${authUrl}/account`),
    {
      name: 'account-refused',
      async open(page) {
        await page.getByLabel('First name').fill(' ')
        await page.getByLabel('Lowest salary you would take').first().fill('much')
        await press(page, 'Save profile')
        await page.getByRole('alert').waitFor()
      },
    },
    at('resumes', `${authUrl}/account/resumes`),
    {
      name: 'resumes-refused',
      async open(page) {
        const file = {
          name: 'photo.pdf',
          mimeType: 'application/pdf',
          buffer: Buffer.from([0x89, 0x50, 0, 1]),
        }
        await page.getByLabel('File').setInputFiles(file)
        await press(page, 'Upload')
        await page.getByRole('alert').waitFor()
      },
    },
    {
      name: 'resumes-several',
      async open(page) {
        const text = {
          name: `${'a-very-long-name-'.repeat(8)}.txt`,
          mimeType: 'text/plain',
          buffer: Buffer.from('Mary'),
        }
        await page.getByLabel('File').setInputFiles(text)
        await press(page, 'Upload')
        await page.getByRole('status').waitFor()
      },
    },
    {
      name: 'resume-removal',
      open: page =>
        page
          .getByRole('link', { name: /^Delete/ })
          .first()
          .click(),
    },
    at('applications-empty', `${authUrl}/account/applications`),
    at('apply', `${authUrl}/jobs/31/apply`),
    {
      name: 'apply-unfinished',
      async open(page) {
        await page.getByLabel('E-mail address').fill('mary')
        await press(page, 'Send application')
        await page.getByText('Answer this question.').waitFor()
      },
    },
    {
      name: 'apply-refused',
      async open(page) {
        await page.goto(`${authUrl}/jobs/32/apply`)
        const program = { name: 'photo.pdf', mimeType: 'application/pdf', buffer: Buffer.from([1, 2]) }
        await page.getByLabel('Cover letter').setInputFiles(program)
        await page.getByLabel('Upload another').check()
        await page.getByLabel('Resume file').setInputFiles(program)
        await press(page, 'Send application')
        await page.getByRole('alert').waitFor()
      },
    },
    {
      name: 'receipt',
      async open(page) {
        await page.goto(`${authUrl}/jobs/32/apply`)
        await page.getByLabel('Include what stands below').check()
        await press(page, 'Send application')
        await page.getByText('This is what you sent').waitFor()
      },
    },
    {
      name: 'receipt-repeated',
      open: page => page.goto(`${page.url()}?repeated=1`),
    },
    at('applications', `${authUrl}/account/applications`),
    at('apply-again', `${authUrl}/jobs/32/apply`),
    at('apply-nowhere', `${authUrl}/jobs/999/apply`),
    at('security', `${authUrl}/account/security`),
    {
      name: 'security-refused',
      async open(page) {
        await page.getByLabel('Current password').first().fill('wrong')
        await page.getByLabel('New password').fill('short')
        await press(page, 'Change the password')
        await page.getByRole('alert').waitFor()
      },
    },
  ]
}

/** Signs Mary in twice, so that there is another browser on her list. */
export async function signInMary(world: World, page: Page): Promise<void> {
  const elsewhere = await world.browser.newContext()
  await signIn(world, await elsewhere.newPage())
  await elsewhere.close()
  await signIn(world, page)
}
