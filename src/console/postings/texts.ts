/** The texts that job ads and questionnaires share. */
export const postingTexts = {
  states: { open: 'Open', closed: 'Closed', past: 'Past closing date' },
  filterLabel: 'Filter by state',
  filters: { all: 'All', open: 'Open', closed: 'Closed' },
  copy: 'Duplicate',
  preview: 'Preview',
  previewTitle: 'Preview',
  cancel: 'Cancel',
  counter: '{length} of {most} characters',
} as const

type TitleAndText = readonly [title: string, text: string]

/** The texts that each kind has its own words for. */
export interface PostingTexts {
  title: string
  caption: string
  columns: readonly string[]
  newEntry: string
  editTitle(name: string): string
  /** For a list without entries, by its filter; `page` is for the page after the last one. */
  empty: Record<'all' | 'open' | 'closed' | 'page', TitleAndText>

  create: string
  save: string
  previewHint: string
  close: string
  open: string

  made: string
  saved: string
  wasClosed: string
  wasOpened: string
  isCopy: string
  /** For an entry that is open, but past its closing date. */
  past?: { made: string; wasOpened: string }

  tooLongTitle: string
  tooLongHelp: string
  back: string
}
