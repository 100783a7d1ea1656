import { noraId } from '../../src/demo/world/world.ts'
import { pageAt as at, further, type ListedPage, press } from './page-check.ts'
import type { World } from './world.ts'

/** Pages of Nora, who is signed in and the admin of an agent. */
export function pagesOfNora({ authUrl }: World): ListedPage[] {
  const home = `${authUrl}/agent/20000001`
  return [
    at('agent', home),
    at('agent-people', `${home}/people`),
    ...further({
      name: 'agent-people-refused',
      async open(page) {
        await page.goto(`${home}/people`)
        await page.getByLabel('Email address').fill('nora@example.com')
        await press(page, 'Send invitation')
        await page.getByRole('alert').waitFor()
      },
    }),
    at('agent-person-removal', `${home}/people/${noraId}/remove`),
    at('agent-leaving', `${home}/people/leave`),
  ]
}
