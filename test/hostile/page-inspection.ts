import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { rightToLeft, turning } from './hostile-text.ts'
import type { HostileWorld } from './hostile-world.ts'

/** A text of the page with a mark in it. */
interface Found {
  text: string
  /** All words of the paragraph, cell or control that it stands in. */
  around: string
  /** The same of the element within it that keeps its words apart from the others, as `bdi` does. */
  apart: string | null
}

interface Inspection {
  /** Elements and attributes that no page of ours has. */
  strange: string[]
  found: Found[]
  /** In attributes, where nothing can be kept apart. */
  labels: string[]
  excess: number
}

const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Runs in the page, hence text: the types of a browser are not known here. */
const inspect = `(() => {
  const mark = /zq\\d{3}zq/
  const strange = [], found = [], labels = []
  const isAsset = address => address.startsWith(origin + '/assets/')
  const isOurs = {
    script: ({ src }) => isAsset(src),
    img: ({ src }) => isAsset(src),
    link: ({ href }) => isAsset(href),
    iframe: frame => frame.getAttribute('sandbox') === '' && frame.src.startsWith(origin + '/'),
    object: () => false, embed: () => false, base: () => false, style: () => false, frame: () => false,
    meta: ({ httpEquiv }) => httpEquiv === '',
  }
  const addresses = ['href', 'src', 'action', 'formaction', 'xlink:href', 'data', 'poster', 'ping']
  for (const element of document.querySelectorAll('*')) {
    const isKnown = isOurs[element.localName]
    if (isKnown && !isKnown(element)) strange.push(element.outerHTML.slice(0, 200))
    for (const { name, value } of element.attributes) {
      if (/^on|^srcdoc$|^style$/.test(name) && !(name === 'style' && element.localName === 'canvas')) strange.push(name + '=' + value)
      if (addresses.includes(name) && !/^(https?:|mailto:|tel:|[/#?]|$)/.test(value)) strange.push(name + '=' + value)
      if (!addresses.includes(name) && mark.test(value)) (name === 'value' ? found : labels).push(name === 'value' ? { text: value, around: value, apart: null } : value)
    }
  }
  labels.push(...[document.title].filter(title => mark.test(title)))
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode.data
    if (!mark.test(text)) continue
    let element = walker.currentNode.parentElement
    let apart = null
    while (getComputedStyle(element).display === 'inline' || getComputedStyle(element).display === 'contents') {
      if (apart === null && /isolate|plaintext/.test(getComputedStyle(element).unicodeBidi)) apart = element.textContent
      element = element.parentElement
    }
    found.push({ text, around: element.textContent, apart })
  }
  return { strange, found, labels, excess: ${excess} }
})()`

const plain = (text: string) => text.replaceAll(turning, '').replaceAll(/\s+/g, ' ').trim()
const marks = /zq\d{3}zq/g

export type Sightings = Map<string, Set<string>>

/** Opens every page at both widths, and looks at all of it. What it finds fault with comes as lines. */
export function createInspector({ values }: Pick<HostileWorld, 'values'>) {
  const allTexts = [...values.values()]
    .flatMap(({ texts }) => [...texts])
    .map(plain)
    // So that none is taken for a part of another.
    .toSorted((a, b) => b.length - a.length)
  const without = (text: string) => allTexts.reduce((rest, each) => rest.replaceAll(each, ''), plain(text))
  /** From the mark on, as it should stand there. */
  const expected = new Map(
    [...values].map(([mark, { texts }]) => [
      mark,
      [...texts].map(text => plain(text)).map(text => text.slice(text.indexOf(mark))),
    ]),
  )

  function isWhole(text: string): boolean {
    const shown = plain(text)
    return [...shown.matchAll(marks)].every(({ 0: mark, index }) =>
      expected.get(mark)?.some(value => shown.startsWith(value, index)),
    )
  }

  function keepsApart({ text, around, apart }: Found): boolean {
    if (!rightToLeft.test(text)) return true
    // Alone in its paragraph, it turns nothing but itself.
    if (without(around).replaceAll(/[\s,·]/g, '') === '') return true
    return apart !== null && apart.search(turning) === -1
  }

  return async function look(page: Page, name: string, seen: Sightings): Promise<string[]> {
    const { strange, found, labels, excess: excessOnDesktop } = await page.evaluate<Inspection>(inspect)
    await page.setViewportSize({ width: 360, height: 740 })
    const excessOnPhone = await page.evaluate<number>(excess)
    await page.setViewportSize({ width: 1280, height: 800 })
    for (const { text } of found) {
      for (const [mark] of text.matchAll(marks)) seen.set(mark, (seen.get(mark) ?? new Set()).add(name))
    }
    const say = (fault: string, texts: string[]) =>
      [...new Set(texts)].map(text => `${name}: ${fault}: ${text.slice(0, 160)}`)
    return [
      ...say('not of ours', strange),
      ...say(
        'not shown as it is',
        found.filter(({ around, text }) => !isWhole(around) && !isWhole(text)).map(({ around }) => around),
      ),
      ...say(
        'not as it is in an attribute',
        labels.filter(label => !isWhole(label)),
      ),
      ...say(
        'turns our words around',
        found.filter(each => !keepsApart(each)).map(({ around }) => around),
      ),
      ...say(
        'turns a label around',
        labels.filter(label => label.search(turning) !== -1),
      ),
      ...(excessOnDesktop === 0 ? [] : [`${name}: ${excessOnDesktop} pixels too wide for 1280`]),
      ...(excessOnPhone === 0 ? [] : [`${name}: ${excessOnPhone} pixels too wide for 360`]),
    ]
  }
}

/** It would find fault. */
export async function checkInspector(page: Page): Promise<void> {
  const value = 'zq010zq <b>\u202Eשלום'
  const look = createInspector({
    values: new Map([['zq010zq', { column: 'advertisers.name', texts: new Set([value]) }]]),
  })
  const show = async (markup: string) => {
    await page.setContent(`<!doctype html><title>x</title>${markup}`)
    return look(page, 'x', new Map())
  }
  const escaped = value.replace('<', '&lt;')
  assert.deepEqual(await show(`<p>${escaped}</p><p>Ours <bdi>zq010zq &lt;b>שלום</bdi></p>`), [])
  for (const [markup, fault] of [
    [`<p>${value}</p>`, /not shown as it is/],
    [`<p>zq010zq &lt;</p>`, /not shown as it is/],
    [`<p>Ours ${escaped}</p>`, /turns our words/],
    [`<p>Ours <bdi>${escaped}</bdi></p>`, /turns our words/],
    [`<p aria-label="${escaped}">x</p>`, /turns a label/],
    ['<p onclick="x">x</p>', /not of ours/],
    ['<a href="javascript:x">x</a>', /not of ours/],
    ['<script>1</script>', /not of ours/],
    ['<img src="https://evil.example/x">', /not of ours/],
    ['<iframe src="https://evil.example/x"></iframe>', /not of ours/],
    ['<p style="width: 400px">x</p>', /too wide for 360/],
  ] as const) {
    assert.match((await show(markup)).join('\n'), fault, markup)
  }
}
