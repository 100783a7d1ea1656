import { type DocumentBuilder, headingOf, itemOf, type RunStyle, type Shape } from './builder.ts'

/** A node in the tree that mammoth reads from a docx; any property may be wrong or missing. */
export interface DocxNode {
  type?: unknown
  children?: unknown
  /** Present on text nodes. */
  value?: unknown
  styleId?: unknown
  styleName?: unknown
  numbering?: { level?: unknown; isOrdered?: unknown } | null
  isBold?: unknown
  isItalic?: unknown
  fontSize?: unknown
  checked?: unknown
  /** Paragraphs of a note. */
  body?: unknown
  /** Present on a document: finds the footnote or endnote for a reference. */
  notes?: { resolve(reference: DocxNode): DocxNode | null }
}

/** Word's default for text without its own size. */
const plain: RunStyle = { isBold: false, isItalic: false, size: 11 }

/** Writes the text of a document, then its footnotes and endnotes. Omits pictures, comments and link targets. */
export function readDocx(document: DocxNode, builder: DocumentBuilder): void {
  const references: DocxNode[] = []

  function read(node: DocxNode, style: RunStyle, isInTable: boolean): void {
    if (builder.isFull) return
    const { type } = node
    if (type === 'noteReference') references.push(node)
    else if (type === 'text' || type === 'tab' || type === 'break' || type === 'checkbox')
      builder.add(textOf(node), style)
    else if (containers.has(type)) {
      readChildren(node, type === 'run' ? styleOf(node, style) : style, isInTable || type === 'tableCell')
      if (type === 'paragraph') builder.endParagraph(shapeOf(node), isInTable)
      // A table in a cell is written as paragraphs of that cell.
      else if (type === 'tableCell' && !isInTable) builder.endCell()
      else if (type === 'tableRow' && !isInTable) builder.endRow()
    }
  }

  function readChildren(node: DocxNode, style: RunStyle, isInTable: boolean): void {
    for (const child of nodesIn(node.children)) read(child, style, isInTable)
  }

  read(document, plain, false)
  for (const reference of references.splice(0)) {
    for (const paragraph of nodesIn(document.notes?.resolve(reference)?.body)) read(paragraph, plain, false)
  }
}

const containers = new Set<unknown>([
  'document',
  'paragraph',
  'run',
  'hyperlink',
  'table',
  'tableRow',
  'tableCell',
])

function textOf({ type, value, checked }: DocxNode): string {
  if (type === 'text') return String(value)
  if (type === 'checkbox') return checked === true ? '\u2612' : '\u2610'
  return type === 'tab' ? '\t' : '\n'
}

function nodesIn(list: unknown): DocxNode[] {
  return Array.isArray(list) ? list.filter(each => typeof each === 'object' && each !== null) : []
}

function styleOf({ isBold, isItalic, fontSize }: DocxNode, outer: RunStyle): RunStyle {
  return {
    isBold: outer.isBold || isBold === true,
    isItalic: outer.isItalic || isItalic === true,
    size: typeof fontSize === 'number' ? fontSize : outer.size,
  }
}

/** Built-in styles have English names in every language of Word; some programs write only the identifier. */
const knownStyle = /^(?:(title)|heading ?([1-9])|list ?(bullet|number) ?([2-5]?))$/i

function shapeOf({ styleName, styleId, numbering }: DocxNode): Shape {
  const [, title, heading, list, level] = knownStyle.exec(String(styleName ?? styleId)) ?? []
  if (title !== undefined) return headingOf(1)
  if (heading !== undefined) return headingOf(Number(heading))
  if (numbering !== null && numbering !== undefined)
    return itemOf(Number(numbering.level), numbering.isOrdered === true)
  // Mammoth does not look for a list in a paragraph's style.
  return list === undefined ? {} : itemOf(Number(level || 1) - 1, list.toLowerCase() === 'number')
}
