/** Limit: Files in one docx archive; a report with hundreds of pictures has a thousand. */
export const documentParts = 2_000

/**
 * The text of a document as shown. The tree is deliberately flat: however deeply a file nests, we render a list of
 * paragraphs and table rows.
 */
export interface DocumentText {
  blocks: Block[]
  /** Whether the document is longer than the text shown. */
  isCut: boolean
}

export type Block = Paragraph | Row

export interface Paragraph {
  runs: Run[]
  /** Heading level in our page, whose own heading is level 1. */
  heading?: 2 | 3 | 4
  item?: ListItem
}

export interface ListItem {
  /** Counted from 0. */
  level: number
  isOrdered: boolean
}

/** A piece of text in one style. A line feed is a line break. */
export interface Run {
  text: string
  isBold: boolean
  isItalic: boolean
}

/** A table row: the paragraphs of each cell. */
export interface Row {
  cells: Paragraph[][]
}

/** The kinds of files whose text is shown, with their content types. */
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
  /** `viewer` is the person for whom the file is converted: one person's files never delay others'. */
  convert(kind: DocumentKind, file: DocumentFile, viewer: string): Promise<DocumentText | ConversionFault>
}

export interface DocumentFile {
  size: number
  open(): Promise<NodeJS.ReadableStream>
}
