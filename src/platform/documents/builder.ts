import type { DocumentText, Paragraph, Run } from './document.ts'

/** `size` is in points. */
export interface RunStyle extends Omit<Run, 'text'> {
  size: number
}
export type Shape = Omit<Paragraph, 'runs'>

/** Maximum content of a `DocumentBuilder`. */
export interface TextLimits {
  characters: number
  /** Total number of runs, paragraphs and cells. */
  nodes: number
}

/** Thrown by readers for an unreadable file. */
export class Unreadable extends Error {}

/** Characters that do not belong in text: controls except tab and line feed, and noncharacters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const notText = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFE\uFFFF]/g

/** A typed bullet, or one that the program wrote as text. */
const bullet = /^\s*[\u2022\u2023\u25AA\u25CF\u25E6\u2043\u00B7\uF0B7]\s+/

/** A paragraph without a heading style counts as a heading if it is short and this much larger than the other text. */
const headingLength = 150
const headingProportion = 1.15
const titleProportion = 1.6

/**
 * Collects the text of a document within limits. Every reader writes into it, so a conversion yields only these shapes
 * and clean text.
 */
export class DocumentBuilder {
  readonly #limits: TextLimits
  readonly #text: DocumentText = { blocks: [], isCut: false }
  #runs: (Run & RunStyle)[] = []
  #cell: Paragraph[] = []
  #cells: Paragraph[][] = []
  #characters = 0
  #nodes = 0
  /** Number of characters in each size. */
  readonly #sizes = new Map<number, number>()
  /** Paragraphs that may be headings, with their smallest size. */
  readonly #unmarked = new Map<Paragraph, number>()

  constructor(limits: TextLimits) {
    this.#limits = limits
  }

  /** Whether the reader can stop: more text would be dropped. */
  get isFull(): boolean {
    return this.#text.isCut
  }

  add(text: string, { isBold, isItalic, size }: RunStyle): void {
    const left = this.#limits.characters - this.#characters
    const fits = text.slice(0, left).replace(notText, '')
    if (this.isFull || text === '') return
    this.#characters += fits.length
    if (text.length > left) this.#text.isCut = true
    if (fits === '') return
    const last = this.#runs.at(-1)
    if (last?.isBold === isBold && last.isItalic === isItalic && last.size === size) last.text += fits
    else if (this.#count()) this.#runs.push({ text: fits, isBold, isItalic, size })
    this.#sizes.set(size, (this.#sizes.get(size) ?? 0) + fits.length)
  }

  endParagraph(shape: Shape = {}, isInTable = false): void {
    const sized = this.#runs
    this.#runs = []
    if (!isInTable) this.endRow()
    const visible = sized.filter(({ text }) => text.trim() !== '')
    // A paragraph that is truncated in the middle is shown up to that point.
    if (visible.length === 0) return
    this.#count()
    const runs = sized.map(({ size, text, ...run }) => ({ ...run, text: text.toWellFormed() }))
    const paragraph: Paragraph = { ...shape, runs }
    const [first] = runs
    if (first !== undefined && shape.heading === undefined && bullet.test(first.text)) {
      first.text = first.text.replace(bullet, '')
      paragraph.item ??= { level: 0, isOrdered: false }
    }
    if (isInTable) {
      this.#cell.push(paragraph)
      return
    }
    this.#text.blocks.push(paragraph)
    const length = visible.reduce((sum, { text }) => sum + text.length, 0)
    if (length > headingLength || paragraph.heading !== undefined || paragraph.item !== undefined) return
    this.#unmarked.set(paragraph, Math.min(...visible.map(({ size }) => size)))
  }

  endCell(shape: Shape = {}): void {
    this.endParagraph(shape, true)
    if (this.#count()) this.#cells.push(this.#cell)
    this.#cell = []
  }

  endRow(): void {
    if (this.#cell.length > 0) this.endCell()
    if (this.#cells.some(cell => cell.length > 0)) this.#text.blocks.push({ cells: this.#cells })
    this.#cells = []
  }

  finish(): DocumentText {
    this.endParagraph({}, this.#cell.length + this.#cells.length > 0)
    this.endRow()
    const [[usual] = [0]] = [...this.#sizes].toSorted(([, one], [, other]) => other - one)
    for (const [paragraph, size] of this.#unmarked) {
      if (size >= usual * titleProportion) paragraph.heading = 2
      else if (size >= usual * headingProportion) paragraph.heading = 3
    }
    return this.#text
  }

  #count(): boolean {
    if (++this.#nodes > this.#limits.nodes) this.#text.isCut = true
    return this.#nodes <= this.#limits.nodes
  }
}

/** The heading level on our pages for a level of Word's outline, where 1 is the highest. */
export function headingOf(level: number | undefined): Shape {
  if (level === undefined || level < 1 || level > 9) return {}
  return { heading: level === 1 ? 2 : level === 2 ? 3 : 4 }
}

/** Word has nine levels of lists. */
export function itemOf(level: number, isOrdered: boolean): Shape {
  return { item: { level: Math.min(8, Math.max(0, Math.trunc(level) || 0)), isOrdered } }
}
