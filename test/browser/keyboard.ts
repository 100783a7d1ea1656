import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { demoPassword } from '../harness/oauth.ts'

/** The focused element, as a sighted person would name it. */
export interface Focus {
  name: string
  id: string
  role: string
  isRinged: boolean
  isInView: boolean
  isCovered: boolean
}

/** Runs in the page, so it is text: the types of a browser are not known here. */
const readFocus = `() => {
  const element = document.activeElement
  const style = getComputedStyle(element)
  const box = element.getBoundingClientRect()
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
  const above = document.elementFromPoint(x, y)
  return {
    name: (element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText).trim(),
    id: element.id,
    role: element.localName + (element.type ? ':' + element.type : ''),
    isRinged: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
    isInView: box.width > 0 && x >= 0 && y >= 0 && x <= innerWidth && y <= innerHeight,
    isCovered: above !== null && !element.contains(above) && !above.contains(element),
  }
}`

/**
 * Checks the focused element whenever the next key is about to move the focus, and stops there once it is the wanted
 * one. So many keys can be pressed at once, and yet every element on the way is checked.
 */
const watchWay = (wanted: string) => `(() => {
  const readFocus = ${readFocus}
  const way = []
  let seen = document.activeElement
  let isThere = false
  const look = () => {
    if (document.activeElement === seen) return
    seen = document.activeElement
    const focus = readFocus()
    way.push(focus)
    isThere = [focus.name, '#' + focus.id].includes(${JSON.stringify(wanted)})
  }
  const onKey = event => {
    if (event.key !== 'Tab') return
    look()
    if (isThere) event.preventDefault()
  }
  addEventListener('keydown', onKey, true)
  window.wayThere = () => {
    look()
    if (isThere) removeEventListener('keydown', onKey, true)
    return { way, isThere }
  }
})()`

function assertSeen(page: Page, focus: Focus): void {
  const place = `${focus.role} "${focus.name}" on ${page.url()}`
  assert.ok(focus.isRinged, `the focus cannot be seen: ${place}`)
  assert.ok(focus.isInView, `the focus is out of sight: ${place}`)
  assert.ok(!focus.isCovered, `something covers what has the focus: ${place}`)
}

export async function tab(page: Page, key = 'Tab'): Promise<Focus> {
  await page.keyboard.press(key)
  const focus = await page.evaluate<Focus>(`(${readFocus})()`)
  assertSeen(page, focus)
  return focus
}

const keysAtOnce = 8
/** The navigation of the reference has a stop for each call. */
const mostStops = 150

/** Tabs on until this element has the focus, by its name or its #id; every element on the way is checked too. */
export async function tabTo(page: Page, name: string): Promise<Focus[]> {
  await page.evaluate(watchWay(name))
  for (;;) {
    await Promise.all(Array.from({ length: keysAtOnce }, () => page.keyboard.press('Tab')))
    const { way, isThere } = await page.evaluate<{ way: Focus[]; isThere: boolean }>('wayThere()')
    if (isThere) {
      for (const focus of way) assertSeen(page, focus)
      return way
    }
    assert.ok(way.length < mostStops, `no way to "${name}": ${way.map(each => each.name).join(', ')}`)
  }
}

/** The same where the browser runs no scripts, which could check the focus: one key after the other. */
export async function stepTo(page: Page, name: string): Promise<Focus[]> {
  const way: Focus[] = []
  for (;;) {
    const focus = await tab(page)
    way.push(focus)
    if (focus.name === name || `#${focus.id}` === name) return way
    assert.ok(way.length < mostStops, `no way to "${name}": ${way.map(each => each.name).join(', ')}`)
  }
}

/** Tabs to a link or a button, and presses it. */
export async function go(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Tabs to a field and replaces its text. */
export async function write(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}

export async function signInByKeys(page: Page, email: string, walk = tabTo): Promise<Focus[]> {
  const way = await walk(page, 'Email address')
  await page.keyboard.type(email)
  await tab(page)
  await page.keyboard.type(demoPassword)
  await page.keyboard.press('Enter')
  return way
}
