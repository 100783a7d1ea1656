import { test } from 'node:test'
import { isLongRun } from '../harness/effort.ts'
import { pagesOfNora } from './agent-pages.ts'
import { pagesOfPeople, pagesOfPostings, pagesOfRae, pagesOfRex } from './console-pages.ts'
import { checkOpened, checkPages, withScripts } from './page-check.ts'
import { inBrowser, signIn, visit } from './world.ts'

inBrowser('pages of an advertiser', world => {
  test('of a recruiter: fit, have large enough targets, load without shifts, and pass axe', () =>
    visit(world(), withScripts, async visitor => {
      await signIn(world(), visitor.page, 'rex@example.com')
      await checkPages(world(), visitor, pagesOfRex(world()))
    }))

  test('of the admin of an agent: the same', () =>
    visit(world(), withScripts, async visitor => {
      await signIn(world(), visitor.page, 'nora@example.com')
      await checkPages(world(), visitor, pagesOfNora(world()))
    }))

  // `npm test` opens what an admin does in keyboard-journeys.test.ts.
  if (isLongRun) {
    test('of an admin: the same', () =>
      visit(world(), withScripts, async visitor => {
        await signIn(world(), visitor.page, 'rae@example.com')
        await checkPages(world(), visitor, [
          ...pagesOfPostings(world()),
          ...pagesOfRae(world()),
          ...pagesOfPeople(world()),
        ])
      }))

    test('are all pages of the list of routes', () => checkOpened(world(), 'advertiser'))
  }
})
