import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { CDPSession, Page } from 'playwright-core'
import { isLongRun } from '../harness/effort.ts'
import { pageRoutes } from './page-routes.ts'
import type { Visitor, World } from './world.ts'

export interface ListedPage {
  name: string
  open(page: Page): Promise<unknown>
  /** It shows a file or has loaded the search, and so is heavier than the others. */
  isHeavy?: boolean
  /** Its address alone opens it, whatever was opened before. */
  hasAddress?: boolean
}

/** Further states of pages that are in the list, on which no later page depends. `npm test` does not open them. */
export const further = (...pages: ListedPage[]): ListedPage[] => (isLongRun ? pages : [])

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
export const pageAt = (name: string, url: string): ListedPage => ({
  name,
  open: page => page.goto(url),
  hasAddress: true,
})

/** What follows from the page before it in the list. */
export const state = (name: string, open: ListedPage['open']): ListedPage => ({ name, open })
export const heavyState = (name: string, open: ListedPage['open']): ListedPage => ({
  ...state(name, open),
  isHeavy: true,
})
export const furtherState = (name: string, open: ListedPage['open']) => further(state(name, open))

/** `npm test` opens every sixth page of a list among those that do not follow from the one before. */
const inThisRun = (pages: readonly ListedPage[]): readonly ListedPage[] =>
  isLongRun ? pages : pages.filter(({ hasAddress }) => hasAddress).filter((_, place) => place % 6 === 0)

/** The narrowest screen that we promise to support. */
const phone = { width: 360, height: 740 }
const desktop = { width: 1280, height: 800 }

/** Everything that a page loads the first time, except for the typeface, which no text waits for. */
const maxBytes = 60_000

const pictures = new URL('../../test-results/screenshots/', import.meta.url)
/** The pictures are for looking at, not for measuring; a longer page is more of the same. */
const maxHeight = 2000

/** Axe is a script, so these pages have one more than those of people; the zone is not ours. */
export const withScripts = {
  javaScriptEnabled: true,
  viewport: desktop,
  reducedMotion: 'reduce',
  timezoneId: 'America/St_Johns',
} as const

interface Measures {
  /** Pixels that stick out to the right. */
  excess: number
  /** Targets that a finger would miss. */
  small: string[]
  /** Marked as hidden, and yet visible. */
  unhidden: string[]
}

/** Runs in the page, so it is text: the types of a browser are not known here. */
export const measure = `(() => {
  const isShown = element => element.checkVisibility({ visibilityProperty: true })
  const nameOf = element => element.localName + ' "' + (element.innerText || element.name || element.id) + '"'
  // A link within a sentence is as high as the sentence; a link on its own must be large enough for a finger.
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

export async function checkLayout(page: Page, name: string, width: number): Promise<void> {
  const { excess, small, unhidden } = await page.evaluate<Measures>(measure)
  assert.equal(excess, 0, `${name}: ${excess} pixels too wide for ${width}`)
  assert.deepEqual(small, [], `${name} at ${width}: too small for a finger`)
  assert.deepEqual(unhidden, [], `${name}: shows what is hidden`)
}

/**
 * Runs in the page: marks that only a background would show, which forced colours remove, and movement
 * without any input.
 */
const readMarks = `[...document.querySelectorAll('[aria-current], [aria-pressed="true"]')]
  .filter(element => element.checkVisibility() && getComputedStyle(element).outlineStyle === 'none' && element !== document.activeElement)
  .map(element => element.outerHTML.slice(0, 100))`

/** As people see it who zoom to 200 %, choose their own colours, or prefer no motion. */
export async function checkPreferences(page: Page, name: string): Promise<void> {
  // Zoomed to 200 %, the page is half as wide.
  await page.setViewportSize({ width: desktop.width / 2, height: desktop.height / 2 })
  await checkLayout(page, `${name}, twice as large`, desktop.width / 2)
  await page.setViewportSize(desktop)
  await page.emulateMedia({ forcedColors: 'active' })
  assert.deepEqual(await page.evaluate<string[]>(readMarks), [], `${name}: marks in forced colours`)
  await page.emulateMedia({ forcedColors: 'none' })
  const moving = await page.evaluate<number>('document.getAnimations().length')
  assert.equal(moving, 0, `${name}: moves, although the reader wants nothing to`)
}

/** The same on both sizes, for pages that are not in the lists. */
export async function checkBothLayouts(page: Page, name: string): Promise<void> {
  for (const viewport of [desktop, phone]) {
    await page.setViewportSize(viewport)
    await checkLayout(page, name, viewport.width)
  }
}

interface Load {
  /** How far elements moved on their own, by the browsers' measure. */
  shift: number
  /** The element that moved. */
  moved: string[]
  bytes: number
  typefaceBytes: number
}

/** Two frames later every layout shift is over. Sizes are those of the transfer, also of cached responses. */
const readLoad = `(async () => {
  const shifts = []
  const observer = new PerformanceObserver(list => shifts.push(...list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  for (let frame = 0; frame < 2; frame++) await new Promise(resolve => requestAnimationFrame(resolve))
  await new Promise(resolve => setTimeout(resolve))
  shifts.push(...observer.takeRecords())
  observer.disconnect()
  const unasked = shifts.filter(({ hadRecentInput }) => !hadRecentInput)
  const parts = ['navigation', 'resource'].flatMap(type => performance.getEntriesByType(type))
  const sizeOf = entries => entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
  return {
    shift: unasked.reduce((sum, { value }) => sum + value, 0),
    moved: unasked.flatMap(({ sources }) => sources.map(({ node }) => node?.parentElement?.outerHTML.slice(0, 200))),
    bytes: sizeOf(parts.filter(({ name }) => !name.endsWith('.woff2'))),
    typefaceBytes: sizeOf(parts.filter(({ name }) => name.endsWith('.woff2'))),
  }
})()`

export async function checkLoad(page: Page, name: string, isHeavy = false): Promise<void> {
  const { shift, moved, bytes, typefaceBytes } = await page.evaluate<Load>(readLoad)
  assert.equal(shift, 0, `${name} moves while it loads: ${moved.join('\n')}`)
  assert.ok(bytes > 0)
  assert.ok(typefaceBytes <= maxBytes, `${name}: the typeface has ${typefaceBytes} bytes`)
  if (!isHeavy) assert.ok(bytes <= maxBytes, `${name} brings ${bytes} bytes along`)
}

/** The script, which the package for Playwright would send again for each check. */
const axe = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
)

/** The rules about colours. The others give the same result in any colours, so they run once. */
const colourRules = ['color-contrast', 'link-in-text-block']

interface AxeResults {
  passes: { id: string }[]
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
}

/** `none`: everything but the colours, which were checked in another state of the page. */
type Colours = 'light' | 'dark' | 'none'

export async function checkWithAxe(page: Page, name: string, colours: Colours): Promise<void> {
  const isThere = await page.evaluate<boolean>('window.axe !== undefined')
  if (!isThere) await page.evaluate(axe)
  const options = {
    // Frames show files that other people wrote.
    iframes: false,
    resultTypes: ['violations'],
    // Style sheets of other origins, of which there are none.
    preload: false,
    ...(colours === 'dark' && { runOnly: colourRules }),
    ...(colours === 'none' && { rules: Object.fromEntries(colourRules.map(id => [id, { enabled: false }])) }),
  }
  const run = `axe.run(${JSON.stringify(options)})`
  const { passes, violations } = await page.evaluate<AxeResults>(run)
  assert.ok(
    passes.some(({ id }) => id === (colours === 'none' ? 'document-title' : 'color-contrast')),
    `${name}: axe has looked at it in ${colours} colours`,
  )
  const found = violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html} ${failureSummary}`),
  )
  assert.deepEqual(found, [], `${name} in ${colours} colours`)
}

/** Bypasses Playwright, which would add a style of its own, and our pages allow none. */
async function takePicture(devtools: CDPSession, name: string, width: number): Promise<void> {
  const { cssContentSize } = await devtools.send('Page.getLayoutMetrics')
  const height = Math.min(maxHeight, Math.ceil(cssContentSize.height))
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'jpeg',
    quality: 60,
    optimizeForSpeed: true,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height, scale: 1 },
  })
  await writeFile(new URL(`${name}.jpg`, pictures), data, 'base64')
}

/** Pages of one kind: they look the same for every person. */
const kindOf = (page: Page) => new URL(page.url()).pathname.replace(/\d+|[0-9a-f-]{36}/g, ':id')

/**
 * Opens each page in turn, checks it at both sizes, one in light and one in dark colours, and reports all findings at
 * the end. Colours do not depend on the size, and the layout does not depend on the colours. The colours of further
 * states of a page are not checked again: other pages also have what they add, a notice or an empty list.
 */
export async function checkPages(
  { authUrl, baseUrl, client }: World,
  { page, context, complaints, origins }: Visitor,
  pages: readonly ListedPage[],
): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  const devtools = await context.newCDPSession(page)
  const known = new Set([authUrl, baseUrl, client.origin])
  const documents = new Set<string>()
  page.on('request', request => {
    if (request.isNavigationRequest()) documents.add(request.url())
  })
  const seen = new Set<string>()
  const faults: string[] = []
  const note = async (check: Promise<void>) => {
    await check.catch((error: Error) => faults.push(error.message))
  }
  for (const { name, open, isHeavy } of inThisRun(pages)) {
    await open(page)
    await note(checkLoad(page, name, isHeavy))
    const look = async (viewport: typeof desktop, colours: 'light' | 'dark') => {
      if (page.viewportSize()?.width !== viewport.width) await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme: colours })
      await takePicture(devtools, `${name}-${viewport.width}-${colours}`, viewport.width)
      await note(checkLayout(page, name, viewport.width))
      await note(checkWithAxe(page, name, colours))
    }
    if (!isLongRun) {
      // The short form checks in one size, the first page of a list also with axe, and takes no picture.
      if (!seen.has(kindOf(page))) {
        await note(checkLayout(page, name, desktop.width))
        if (seen.size === 0) await note(checkWithAxe(page, name, 'light'))
      }
    } else if (seen.has(kindOf(page))) {
      await takePicture(devtools, `${name}-${desktop.width}-light`, desktop.width)
      await note(checkWithAxe(page, name, 'none'))
      await note(checkBothLayouts(page, name))
    } else {
      await look(desktop, 'light')
      await note(checkPreferences(page, name))
      await look(phone, 'dark')
    }
    seen.add(kindOf(page))
    if (isLongRun) {
      await page.setViewportSize(desktop)
      await page.emulateMedia({ colorScheme: 'light' })
    }
    // A page that reports a refusal has its status, which the browser logs too.
    const isOfPage = (text: string) => [...documents].some(url => text.endsWith(`(${url})`))
    const heard = complaints.splice(0).filter(text => !(/status of 4\d\d/.test(text) && isOfPage(text)))
    if (heard.length > 0) faults.push(`${name}: the browser complains of ${heard}`)
    const strange = [...origins].filter(origin => !known.has(origin))
    if (strange.length > 0) faults.push(`${name} asks ${strange}`)
  }
  assert.deepEqual(faults, [])
}

/** From the log of the service: whether every page of the list was opened. */
export function checkOpened({ service }: World, whose: keyof typeof pageRoutes): void {
  const lines = service.log().split('\n')
  const requests = lines.filter(line => line.includes('"msg":"request"')).map(line => JSON.parse(line))
  const shown = requests.filter(({ method, status }) => method === 'GET' && [200, 303].includes(status))
  const opened = new Set(shown.map(({ route }) => route))
  assert.deepEqual(
    pageRoutes[whose].filter(route => !opened.has(route)),
    [],
    'not opened',
  )
}
