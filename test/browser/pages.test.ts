import assert from 'node:assert/strict'
import { test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { type ListedPage, pagesOfMary, pagesOfStrangers, signInMary } from './page-list.ts'
import { allow, inBrowser, signIn, visit, type World } from './world.ts'

/** The narrowest screen that we promise to fit on. */
const phone = { width: 360, height: 740 }
const desktop = { width: 1200, height: 800 }

interface Measures {
  /** Pixels that stick out to the right. */
  excess: number
  /** What a finger would miss. */
  small: string[]
  /** Marked as hidden, and yet to be seen. */
  unhidden: string[]
}

/** Runs in the page, hence text: the types of a browser are not known here. */
const measure = `(() => {
  const isShown = element => element.checkVisibility({ visibilityProperty: true })
  const nameOf = element => element.localName + ' "' + (element.innerText || element.name || element.id) + '"'
  // A link within a sentence is as high as the sentence; one that stands alone is for a finger.
  const isInSentence = element => {
    if (element.localName !== 'a' || getComputedStyle(element).display !== 'inline') return false
    return element.parentElement.innerText.trim() !== element.innerText.trim()
  }
  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
  const small = controls.filter(element => {
    if (!isShown(element) || element.tabIndex < 0 || element.className === 'skip' || isInSentence(element)) return false
    const { width, height } = element.getBoundingClientRect()
    return width < 24 || height < 24
  })
  return {
    excess: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    small: small.map(nameOf),
    unhidden: [...document.querySelectorAll('[hidden], input[type=hidden]')].filter(isShown).map(nameOf),
  }
})()`

async function checkLayout(page: Page, name: string): Promise<void> {
  for (const viewport of [desktop, phone]) {
    await page.setViewportSize(viewport)
    const { excess, small, unhidden } = await page.evaluate<Measures>(measure)
    assert.equal(excess, 0, `${name}: ${excess} pixels too wide for ${viewport.width}`)
    assert.deepEqual(small, [], `${name} at ${viewport.width}: too small for a finger`)
    assert.deepEqual(unhidden, [], `${name}: shows what is hidden`)
  }
}

/** What has to do with colours. The others find the same in any, so they look once. */
const colourRules = ['color-contrast', 'link-in-text-block']

async function checkWithAxe(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  const inLight = await new AxeBuilder({ page }).setLegacyMode().analyze()
  await page.emulateMedia({ colorScheme: 'dark' })
  const inDark = await new AxeBuilder({ page }).setLegacyMode().withRules(colourRules).analyze()
  for (const [colours, { violations, passes }] of Object.entries({ light: inLight, dark: inDark })) {
    assert.ok(
      passes.some(({ id }) => id === 'color-contrast'),
      `${name}: axe has looked at it in ${colours} colours`,
    )
    const found = violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html} ${failureSummary}`),
    )
    assert.deepEqual(found, [], `${name} in ${colours} colours`)
  }
}

async function checkAll(page: Page, pages: readonly ListedPage[]): Promise<void> {
  for (const { name, open } of pages) {
    await open(page)
    await checkLayout(page, name)
    await checkWithAxe(page, name)
  }
}

/** Axe is a script, so these have one more than the candidates' browsers need. */
const withScripts = { javaScriptEnabled: true, viewport: phone, reducedMotion: 'reduce' } as const

inBrowser(
  'every page fits on a narrow screen, can be hit by a finger, and has nothing that axe objects to',
  world => {
    test('axe and the measures would object', () =>
      visit(
        world(),
        async ({ page }) => {
          await page.setContent(
            '<html lang="en"><title>x</title><main><h1>x</h1><input hidden style="display:block"><button style="width:9px">x</button><p style="width:400px">x</p></main>',
          )
          await assert.rejects(checkWithAxe(page, 'x'), /label/)
          const { excess, small, unhidden } = await page.evaluate<Measures>(measure)
          assert.ok(excess > 0)
          assert.equal(small.length, 2)
          assert.equal(unhidden.length, 1)
        },
        withScripts,
      ))

    test('pages for strangers', () =>
      visit(world(), async ({ page }) => checkAll(page, pagesOfStrangers(world())), withScripts))

    test('pages of a candidate', () =>
      visit(
        world(),
        async ({ page }) => {
          await signInMary(world(), page)
          await checkAll(page, pagesOfMary(world()))
        },
        withScripts,
      ))
  },
)

const longName = `${'Amalgamated Recruitment and Placement '.repeat(5)}Company`.padEnd(200, 'y')
const longWord = 'Rindfleischetikettierung'.repeat(9).slice(0, 200)

async function pagesWithLongTexts(world: World, page: Page): Promise<ListedPage[]> {
  const { authUrl, client } = world
  await signIn(world, page)
  await page.getByLabel('Skills').fill(longWord)
  await page.getByLabel('First name').fill(longWord)
  await page.getByLabel('Job title').first().fill(longWord)
  await page.getByRole('button', { name: 'Save profile' }).last().click()
  await page.getByRole('status').waitFor()
  return [
    { name: 'account', open: async () => {} },
    { name: 'consent', open: () => page.goto(client.applyUrl()) },
    {
      name: 'sharing',
      async open() {
        const text = await page.getByRole('main').innerText()
        for (const value of [longName, longWord]) assert.ok(text.includes(value), 'not cut off')
        await allow(page).click()
        await page.waitForURL(url => url.origin === client.origin)
        await page.goto(`${authUrl}/account/sharing`)
      },
    },
  ]
}

inBrowser(
  'long texts',
  world => {
    test('a name of 200 characters and words without blanks stay within the page', () =>
      visit(
        world(),
        async ({ page }) => {
          await page.goto(world().client.applyUrl())
          await checkLayout(page, 'sign-in')
          for (const { name, open } of await pagesWithLongTexts(world(), page)) {
            await open(page)
            await checkLayout(page, name)
          }
        },
        withScripts,
      ))
  },
  { clientName: longName },
)
