/** Limit: Files in one docx archive; a report with hundreds of pictures has half as many. */
export const documentParts = 2_000

/**
 * The text of a document as we show it. The tree is flat on purpose: whatever a file nests, we render a list of paragraphs
 * and table rows.
 */
export interface DocumentText {
  blocks: Block[]
  /** Whether the document is longer than what is shown. */
  isCut: boolean
}

export type Block = Paragraph | Row

export interface Paragraph {
  runs: Run[]
  /** The level in our page, whose own heading is level 1. */
  heading?: 2 | 3 | 4
  item?: ListItem
}

export interface ListItem {
  /** From 0. */
  level: number
  isOrdered: boolean
}

/** A stretch of text in one style. A line feed is a line break. */
export interface Run {
  text: string
  isBold: boolean
  isItalic: boolean
}

/** A table row: the paragraphs of each cell. */
export interface Row {
  cells: Paragraph[][]
}

/** The kinds of file that are shown as the text in them, with their content types. */
export const documentTypes = {
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  rtf: 'application/rtf',
} as const
export type DocumentKind = keyof typeof documentTypes

export function documentKindOf(contentType: string): DocumentKind | undefined {
  const kinds = Object.keys(documentTypes) as DocumentKind[]
  return kinds.find(kind => documentTypes[kind] === contentType)
}

/** `busy`: too many conversions are waiting. `unreadable`: damaged, protected, or more than our limits allow. */
export type ConversionFault = 'busy' | 'unreadable'

export interface DocumentConversions {
  /** `viewer` is the person for whom the file is converted: one person's files never hold up the others'. */
  convert(kind: DocumentKind, file: DocumentFile, viewer: string): Promise<DocumentText | ConversionFault>
}

export interface DocumentFile {
  size: number
  open(): Promise<NodeJS.ReadableStream>
}
