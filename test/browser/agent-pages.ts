import { noraId } from '../../src/demo/world/world.ts'
import { pageAt as at, furtherState, type ListedPage, press, state } from './page-check.ts'
import type { World } from './world.ts'

/** Pages of Nora, who is signed in and the admin of an agent. */
export function pagesOfNora({ authUrl }: World): ListedPage[] {
  const home = `${authUrl}/agent/20000001`
  return [
    at('agent', home),
    at('agent-clients', `${home}/clients`),
    at('agent-client', `${home}/clients/demo-ats`),
    ...furtherState('agent-client-refused', async page => {
      await page.getByLabel('Redirect URIs').fill('ftp://receiver.example')
      await press(page, 'Ask for these redirect URIs')
      await page.getByRole('alert').waitFor()
    }),
    state('agent-client-waiting', async page => {
      await page.goto(`${home}/clients/demo-ats`)
      await page.getByLabel('Privacy notice').fill('https://northwind.example/privacy')
      await press(page, 'Ask for this privacy notice')
      await page.getByText('Waiting for the operator').first().waitFor()
    }),
    at('agent-webhooks', `${home}/webhooks`),
    state('agent-endpoint-added', async page => {
      await page.goto(`${home}/webhooks/new-endpoint`)
      await page.getByLabel('Address').fill('https://receiver.example/hook')
      await press(page, 'Add endpoint')
      await page.getByText('Copy it now.').waitFor()
    }),
    state('agent-endpoint', page => page.getByRole('link', { name: 'Go to the endpoint' }).click()),
    state('agent-endpoint-rotation', page => page.getByRole('link', { name: 'Make a new secret' }).click()),
    state('agent-endpoint-removal', async page => {
      await page.getByRole('link', { name: 'Keep the secret' }).click()
      await page.getByRole('link', { name: 'Remove endpoint' }).click()
    }),
    at('agent-people', `${home}/people`),
    ...furtherState('agent-people-refused', async page => {
      await page.goto(`${home}/people`)
      await page.getByLabel('Email address').fill('nora@example.com')
      await press(page, 'Send invitation')
      await page.getByRole('alert').waitFor()
    }),
    at('agent-person-removal', `${home}/people/${noraId}/remove`),
    at('agent-leaving', `${home}/people/leave`),
  ]
}
