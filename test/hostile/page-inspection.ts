import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { isLongRun } from '../harness/effort.ts'
import { rightToLeft, turning } from './hostile-text.ts'
import type { HostileWorld } from './hostile-world.ts'

/** A text of the page with a mark in it. */
interface Found {
  text: string
  /** All words of the paragraph, cell or control that contains it. */
  around: string
  /** The same for the element within it that isolates its words from the others, as `bdi` does. */
  apart: string | null
}

interface Inspection {
  /** Elements and attributes that our pages never have. */
  strange: string[]
  found: Found[]
  /** In attributes, which cannot isolate text. */
  labels: string[]
  excess: number
}

const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Runs in the page, so it is text: the types of a browser are not known here. */
const inspect = `(() => {
  const mark = /zq\\d{3}zq/
  const strange = [], found = [], labels = []
  const isAsset = address => address.startsWith(origin + '/assets/')
  const isOurs = {
    script: ({ src, type, text }) => type === 'application/ld+json' ? JSON.parse(text)['@type'] === 'JobPosting' : isAsset(src),
    img: ({ src }) => isAsset(src),
    link: ({ href, rel }) => isAsset(href) || (rel === 'canonical' && href === origin + location.pathname),
    // The emails of the demo may leave their frame when a person clicks.
    iframe: frame => /^(allow-top-navigation-by-user-activation)?$/.test(frame.getAttribute('sandbox') ?? '-') && frame.src.startsWith(origin + '/'),
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
    // A response as received has escapes of its own.
    if (element.closest('pre')) continue
    let apart = null
    while (getComputedStyle(element).display === 'inline' || getComputedStyle(element).display === 'contents') {
      if (apart === null && /isolate|plaintext/.test(getComputedStyle(element).unicodeBidi)) apart = element.textContent
      element = element.parentElement
    }
    found.push({ text, around: element.textContent, apart })
  }
  return { strange, found, labels, excess: ${excess} }
})()`

export const desktop = { width: 1280, height: 800 }
/** The narrowest screen that we promise to support. */
export const phone = { width: 360, height: 740 }

const tooWide = (name: string, width: number, by: number) =>
  by === 0 ? [] : [`${name}: ${by} pixels too wide for ${width}`]

const plain = (text: string) => text.replaceAll(turning, '').replaceAll(/\s+/g, ' ').trim()
const marks = /zq\d{3}zq/g

export type Sightings = Map<string, Set<string>>

/** Inspects all of a page, in the width of its window or in both. Returns its findings as lines. */
export function createInspector({ values }: Pick<HostileWorld, 'values'>, isAtBothWidths = isLongRun) {
  const allTexts = [...values.values()]
    .flatMap(({ texts }) => [...texts])
    .map(plain)
    // So that none is taken for a part of another.
    .toSorted((a, b) => b.length - a.length)
  const without = (text: string) =>
    allTexts.reduce((rest, each) => (rest.includes('zq') ? rest.replaceAll(each, '') : rest), plain(text))
  /** From the mark on, as it should appear. */
  const expected = new Map(
    [...values].map(([mark, { texts }]) => [
      mark,
      [...texts].map(text => plain(text)).map(text => text.slice(text.indexOf(mark))),
    ]),
  )

  function isWhole(text: string): boolean {
    const shown = plain(text)
    return [...shown.matchAll(marks)].every(
      ({ 0: mark, index }) =>
        expected.get(mark)?.some(value => shown.startsWith(value, index)) ||
        (values.get(mark)?.column === 'job_ads.description' && isPartOf(mark, shown)),
    )
  }

  /** Pages show excerpts and paragraphs of a description, without its Markdown marks. */
  function isPartOf(mark: string, shown: string): boolean {
    const bare = (text: string) => plain(text).replaceAll(/[*_`#\\-]|…$|\s/g, '')
    return [...(values.get(mark)?.texts ?? [])].some(text => bare(text).includes(bare(shown)))
  }

  function keepsApart({ text, around, apart }: Found): boolean {
    if (!rightToLeft.test(text)) return true
    // Alone in its paragraph, it reverses nothing but itself.
    if (without(around).replaceAll(/[\s,·()]/g, '') === '') return true
    if ((apart ?? around).search(turning) !== -1) return false
    // Text at the end has none of ours after it that it could reverse.
    const end = plain(around).replace(/[.?]$/, '')
    return apart !== null || allTexts.some(each => end.endsWith(each))
  }

  return async function look(page: Page, name: string, seen: Sightings): Promise<string[]> {
    const here = page.viewportSize()?.width ?? 0
    const there = here === phone.width ? desktop : phone
    const { strange, found, labels, excess: excessHere } = await page.evaluate<Inspection>(inspect)
    // The next page starts at this size: changing it is slow.
    if (isAtBothWidths) await page.setViewportSize(there)
    const excessThere = isAtBothWidths ? await page.evaluate<number>(excess) : 0
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
      ...tooWide(name, here, excessHere),
      ...tooWide(name, there.width, excessThere),
    ]
  }
}

/** A page with faults, which it must find. */
export async function checkInspector(page: Page): Promise<void> {
  const value = 'zq010zq <b>\u202Eשלום'
  const look = createInspector(
    {
      values: new Map([['zq010zq', { column: 'advertisers.name', texts: new Set([value]) }]]),
    },
    true,
  )
  const show = async (markup: string) => {
    await page.setContent(`<!doctype html><title>x</title>${markup}`)
    return look(page, 'x', new Map())
  }
  const escaped = value.replace('<', '&lt;')
  assert.deepEqual(await show(`<p>${escaped}</p><p>Ours <bdi>zq010zq &lt;b>שלום</bdi></p>`), [])
  const faults = await show(`<p>A ${escaped}<p>B <bdi>${escaped}</bdi><p aria-label="C ${escaped}">x</p>
<p>zq010zq &lt;</p><p>D ${value}</b></p><p onclick="x">x</p><a href="javascript:x">x</a><script>1</script>
<img src="/x"><iframe src="/x"></iframe><p style="width: 400px">x</p>`)
  const found = faults.map(fault => fault.replace('x: ', '').replaceAll(turning, '').slice(0, 48)).toSorted()
  assert.deepEqual(found, [
    '48 pixels too wide for 360',
    'not of ours: <iframe src="/x"></iframe>',
    'not of ours: <img src="/x">',
    'not of ours: <script>1</script>',
    'not of ours: href=javascript:x',
    'not of ours: onclick=x',
    'not of ours: style=width: 400px',
    'not shown as it is: D zq010zq שלום',
    'not shown as it is: zq010zq <',
    'turns a label around: C zq010zq <b>שלום',
    'turns our words around: A zq010zq <b>שלום',
    'turns our words around: B zq010zq <b>שלום',
  ])
}
