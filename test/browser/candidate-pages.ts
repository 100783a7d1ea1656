import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { demoPassword } from '../harness/oauth.ts'
import {
  pageAt as at,
  further,
  furtherState,
  heavyState,
  type ListedPage,
  press,
  state,
} from './page-check.ts'
import { allow, decline, fillSignIn, overwrite, signInByHand, type World, withdraw } from './world.ts'

/** Pages of Mary, who is signed in and has shared nothing yet, in the order in which she sees them. */
export function pagesOfMary(world: World): ListedPage[] {
  const { authUrl, baseUrl, client } = world
  return [
    ...further(at('sharing-empty', `${authUrl}/account/sharing`)),
    at('consent', client.applyUrl()),
    ...further(
      state('form-expired', async page => {
        await overwrite(page, 'form_token', 'made up')
        await allow(page).click()
        await page.getByRole('alert').waitFor()
      }),
      state('demo-declined', async page => {
        await page.goto(`${baseUrl}/demo`)
        await page.getByRole('button', { name: 'Apply with Dossier' }).first().click()
        await decline(page).click()
        await page.waitForURL(`${baseUrl}/demo/application`)
      }),
    ),
    state('demo-prefilled', async page => {
      await page.goto(`${baseUrl}/demo`)
      await page.getByRole('button', { name: 'Apply with Dossier' }).first().click()
      await allow(page).click()
      await page.waitForURL(`${baseUrl}/demo/application`)
    }),
    ...furtherState('demo-completed', async page => {
      await press(page, 'Send application')
      await page.getByText('your application was sent').waitFor()
    }),
    at('sharing', `${authUrl}/account/sharing`),
    ...furtherState('sharing-withdrawn', page => withdraw(page)),
    at('account', `${authUrl}/account`),
    ...further(
      state('account-skill-removed', async page => {
        await page.getByRole('button', { name: 'Remove Latte art' }).click()
        await page.getByText('Removed: Latte art').waitFor()
      }),
      state('account-skill-back', async page => {
        await press(page, 'Undo')
        await page.getByRole('button', { name: 'Remove Latte art' }).waitFor()
      }),
      state('account-job-removal', async page => {
        await page.goto(`${authUrl}/account`)
        await page.getByText('Remove Bakery and counter assistant', { exact: true }).click()
        await page.getByRole('button', { name: 'Yes, remove Bakery and counter assistant' }).waitFor()
      }),
    ),
    at('account-about', `${authUrl}/account/profile/about`),
    ...furtherState('account-refused', async page => {
      await page.getByLabel('First name').fill(' ')
      await press(page, 'Save')
      await page.getByRole('alert').waitFor()
    }),
    at('account-skills', `${authUrl}/account/profile/skills`),
    at('account-new-job', `${authUrl}/account/profile/job`),
    ...furtherState('account-job-refused', async page => {
      await press(page, 'Save')
      await page.getByRole('alert').waitFor()
    }),
    at('account-new-country', `${authUrl}/account/profile/country`),
    ...further(
      state('account-country', async page => {
        await page.goto(`${authUrl}/account`)
        await page.getByRole('link', { name: 'Edit Australia' }).click()
        await page.getByLabel('Minimum salary').waitFor()
      }),
      state('account-stale', async page => {
        await page.goto(`${authUrl}/account/profile/skills`)
        await page.evaluate("document.querySelector('main [name=version]').value = 'of long ago'")
        await page.getByLabel('Skills').fill('Typed here')
        await press(page, 'Save')
        await page.getByText('changed in another window').waitFor()
      }),
      state('form-held', async page => {
        await page.goto(`${authUrl}/account/profile/about`)
        await page.evaluate("document.querySelector('main [name=form_token]').value = 'made up'")
        await page.getByLabel('Phone').fill('+61 2 5550 0123')
        await press(page, 'Save')
        await page.getByText(/^What you typed/).click()
        await page.getByText('+61 2 5550 0123').waitFor()
      }),
      state('form-held-by-sign-in', async page => {
        await page.goto(`${authUrl}/account/profile/about`)
        await page.getByLabel('Phone').fill('+61 2 5550 0124')
        await page.context().clearCookies({ name: 'dossier-session' })
        await press(page, 'Save')
        await page.getByText('nothing you typed is lost').waitFor()
      }),
      state('form-held-after-sign-in', async page => {
        await fillSignIn(page)
        await page.getByText('Your form has not been submitted yet').waitFor()
      }),
      state('form-sent-again', async page => {
        await press(page, 'Send again')
        await page.waitForURL(`${authUrl}/account?done=about`)
        await page.getByText('+61 2 5550 0124').waitFor()
      }),
    ),
    at('resumes', `${authUrl}/account/resumes`),
    ...furtherState('resumes-refused', async page => {
      const file = {
        name: 'photo.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from([0x89, 0x50, 0, 1]),
      }
      await page.getByLabel('File').setInputFiles(file)
      await press(page, 'Upload resume')
      await page.getByRole('alert').waitFor()
    }),
    state('resumes-several', async page => {
      const text = {
        name: `${'a-very-long-name-'.repeat(8)}.txt`,
        mimeType: 'text/plain',
        buffer: Buffer.from('Mary'),
      }
      await page.getByLabel('File').setInputFiles(text)
      await press(page, 'Upload resume')
      await page.getByRole('status').waitFor()
    }),
    heavyState('resume-pdf', async page => {
      await page.getByRole('link', { name: 'Mary Nguyen - Resume.pdf', exact: true }).click()
      await page.locator('canvas').first().waitFor()
    }),
    heavyState('resume-text', async page => {
      await page.goto(`${authUrl}/account/resumes`)
      await page.getByRole('link', { name: /^a-very-long-name/ }).click()
      await page.locator('iframe').waitFor()
    }),
    {
      name: 'resume-removal',
      open: page =>
        page
          .getByRole('link', { name: /^Delete/ })
          .first()
          .click(),
    },
    // Reloading the page of a form that was sent leads back to the list.
    at('resumes-after-upload', `${authUrl}/account/resumes/upload`),
    at('resumes-after-default', `${authUrl}/account/resumes/default`),
    at('data', `${authUrl}/account/data`),
    state('data-delete', page => page.getByRole('link', { name: 'Delete my account' }).click()),
    ...further(
      state('data-delete-refused', async page => {
        await page.getByLabel('Your password').fill('wrong')
        await press(page, 'Delete my account')
        await page.getByRole('alert').waitFor()
      }),
      at('own-applications-empty', `${authUrl}/account/applications`),
    ),
    at('apply', `${authUrl}/jobs/31/apply`),
    ...further(
      state('apply-unfinished', async page => {
        await page.getByLabel('Email address').fill('mary')
        await press(page, 'Send application')
        await page.getByText('Answer this question.').waitFor()
      }),
      state('apply-refused', async page => {
        await page.goto(`${authUrl}/jobs/32/apply`)
        const program = { name: 'photo.pdf', mimeType: 'application/pdf', buffer: Buffer.from([1, 2]) }
        await page.getByLabel('Cover letter').setInputFiles(program)
        await page.getByLabel('Upload another').check()
        await page.getByLabel('Resume file').setInputFiles(program)
        await press(page, 'Send application')
        await page.getByRole('alert').waitFor()
      }),
    ),
    heavyState('receipt', async page => {
      await page.goto(`${authUrl}/jobs/32/apply`)
      await page.getByLabel('Include this job').check()
      const letter = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear Harbour') }
      await page.getByLabel('Cover letter').setInputFiles(letter)
      await press(page, 'Send application')
      await page.getByText('This is what you sent').waitFor()
      assert.equal(await page.locator('.preview-pages').isVisible(), false, 'no empty box')
      await page.getByText('Preview of Mary Nguyen - Resume.pdf').click()
      await page.locator('canvas').first().waitFor()
      await page.getByText('Preview of letter.txt').click()
      await page.frameLocator('.preview-text').getByText('Dear Harbour').waitFor()
    }),
    ...further(heavyState('receipt-repeated', page => page.goto(`${page.url()}?repeated=1`))),
    heavyState('receipt-document-refused', async page => {
      await page.getByText('Replace or add a document').click()
      await press(page, 'Send document')
      await page.getByRole('alert').waitFor()
    }),
    // Reloading the page of a form that was sent leads back to the receipt.
    heavyState('receipt-after-document', page => page.goto(page.url())),
    heavyState('receipt-withdrawal', async page => {
      await page.getByText('Withdraw application', { exact: true }).click()
      await page.getByRole('button', { name: 'Yes, withdraw it' }).waitFor()
    }),
    heavyState('receipt-withdrawn', async page => {
      await press(page, 'Yes, withdraw it')
      await page.getByText('Application withdrawn.').waitFor()
    }),
    heavyState('receipt-after-withdrawal', page => page.goto(page.url().replace(/\?.*/, '/withdraw'))),
    at('own-applications', `${authUrl}/account/applications`),
    // The page of a form that was saved leads back to the form.
    at('apply-after-draft', `${authUrl}/jobs/31/apply/draft`),
    state('draft-saved', async page => {
      await page.goto(`${authUrl}/jobs/31/apply`)
      const letter = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear Harbour') }
      await page.getByLabel('Cover letter file').setInputFiles(letter)
      await press(page, 'Save for later')
      await page.getByText('Draft saved.').waitFor()
    }),
    state('draft-discard', page => page.getByRole('link', { name: 'Discard this draft' }).click()),
    ...further(
      at('own-applications-drafts', `${authUrl}/account/applications`),
      at('apply-again', `${authUrl}/jobs/32/apply`),
      at('apply-nowhere', `${authUrl}/jobs/999/apply`),
    ),
    at('notifications', `${authUrl}/account/notifications`),
    ...furtherState('notifications-saved', async page => {
      await page.getByLabel('Receipts for my applications').uncheck()
      await press(page, 'Save notifications')
      await page.getByText('Notifications saved.').waitFor()
    }),
    at('security', `${authUrl}/account/security`),
    ...furtherState('security-refused', async page => {
      await page.getByLabel('Current password').first().fill('wrong')
      await page.getByLabel('New password').fill('short')
      await press(page, 'Change password')
      await page.getByRole('alert').waitFor()
    }),
    at('confirm', `${authUrl}/account/confirm`),
    at('two-step', `${authUrl}/account/security/two-step`),
    at('two-step-app', `${authUrl}/account/security/two-step/app`),
    at('two-step-passkey', `${authUrl}/account/security/two-step/passkey`),
    state('data-deleted', async page => {
      await page.goto(`${authUrl}/account/data/delete`)
      await page.getByLabel('Your password').fill(demoPassword)
      await page.getByLabel('Delete my account and everything').check()
      await press(page, 'Delete my account')
      await page.waitForURL(`${authUrl}/goodbye`)
    }),
  ]
}

/** Signs Mary in twice, so that there is another browser on her list. */
export async function signInMary(world: World, page: Page): Promise<void> {
  const elsewhere = await world.browser.newContext()
  await signInByHand(world, await elsewhere.newPage())
  await elsewhere.close()
  await signInByHand(world, page)
}
