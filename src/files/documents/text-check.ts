import type { DocumentText } from '../../model/document.ts'

/** Whether this is the text of a document: it comes from a process that has read an untrusted file. */
export function isDocumentText(value: unknown): value is DocumentText {
  return isObject(value) && typeof value.isCut === 'boolean' && isListOf(value.blocks, isBlock)
}

function isBlock(value: unknown): boolean {
  if (isObject(value) && 'cells' in value) return isListOf(value.cells, cell => isListOf(cell, isParagraph))
  return isParagraph(value)
}

function isParagraph(value: unknown): boolean {
  if (!isObject(value) || !isListOf(value.runs, isRun)) return false
  const { heading, item } = value
  const isHeading = heading === undefined || heading === 2 || heading === 3 || heading === 4
  return isHeading && (item === undefined || (isObject(item) && Number.isInteger(item.level)))
}

function isRun(value: unknown): boolean {
  return isObject(value) && typeof value.text === 'string'
}

function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isEntry)
}

type Loose = Partial<
  Record<'isCut' | 'blocks' | 'cells' | 'runs' | 'heading' | 'item' | 'level' | 'text', unknown>
>

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null
}
