import type { Block, Paragraph, Row, Run } from '../model/document.ts'
import { type Html, html } from './html.ts'

/** Renders the text of a document: headings, paragraphs, lists and tables. It has no links, pictures or styles. */
export function blocksMarkup(blocks: readonly Block[]): Html {
  return html`${groupsOf(blocks).map(group => {
    const [first] = group
    if (first === undefined) return ''
    if ('cells' in first) return tableMarkup(group as Row[])
    return first.item === undefined ? paragraphMarkup(first) : listMarkup(group as Paragraph[])
  })}`
}

/** Rows in a row are a table, and items are a list; every other block stands alone. */
function groupsOf(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = []
  let last = ''
  for (const block of blocks) {
    const kind = 'cells' in block ? 'table' : block.item === undefined ? '' : 'list'
    if (kind !== '' && kind === last) groups.at(-1)?.push(block)
    else groups.push([block])
    last = kind
  }
  return groups
}

/** The writing direction is that of the text. */
function paragraphMarkup({ runs, heading }: Paragraph): Html {
  if (heading === undefined) return html`<p dir="auto">${runs.map(runMarkup)}</p>`
  const text = runs.map(run => runMarkup({ ...run, isBold: false }))
  if (heading === 2) return html`<h2 dir="auto">${text}</h2>`
  return heading === 3 ? html`<h3 dir="auto">${text}</h3>` : html`<h4 dir="auto">${text}</h4>`
}

function runMarkup({ text, isBold, isItalic }: Run): Html {
  const inner = isItalic ? html`<em>${text}</em>` : html`${text}`
  return isBold ? html`<strong>${inner}</strong>` : inner
}

function tableMarkup(rows: readonly Row[]): Html {
  return html`<table>${rows.map(({ cells }) => html`<tr>${cells.map(cell => html`<td>${blocksMarkup(cell)}</td>`)}</tr>`)}</table>`
}

const starts = { ul: html`<ul>`, ol: html`<ol>` }
const ends = { ul: html`</li></ul>`, ol: html`</li></ol>` }
const itemEnd = html`</li>`

function listMarkup(items: readonly Paragraph[]): Html {
  const parts: Html[] = []
  /** The lists that are open, each in an item of the one before. */
  const open: ('ul' | 'ol')[] = []
  const closeTo = (count: number) => {
    for (let kind = open.at(-1); kind !== undefined && open.length > count; kind = open.at(-1)) {
      parts.push(ends[kind])
      open.pop()
    }
  }
  for (const { item, runs } of items) {
    // A level that skips others is one level deeper.
    const level = Math.min(item?.level ?? 0, open.length)
    const kind = item?.isOrdered ? 'ol' : 'ul'
    closeTo(open[level] === kind ? level + 1 : level)
    if (open.length > level) parts.push(itemEnd)
    else {
      parts.push(starts[kind])
      open.push(kind)
    }
    parts.push(html`<li dir="auto">${runs.map(runMarkup)}`)
  }
  closeTo(0)
  return html`${parts}`
}
