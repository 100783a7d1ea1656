export const filePreviewTexts = {
  download: 'Download',
  pagesOf: (name: string) => `Pages of ${name}`,
  textOf: (name: string) => `Text of ${name}`,
  /** The marks are filled in by preview.mjs. */
  loading: 'Loading the preview.',
  failed: 'This file cannot be shown here. Download it to look at it.',
  page: 'Page {page} of {pages}',
  cut: 'These are the first {shown} of {pages} pages. Download the file to see all of it.',
  withoutScript: 'To see it here, switch on JavaScript; or download it.',
  notShown:
    'Word and RTF files are not shown here, since no browser can show them. Download it to look at it.',
  restNotShown: 'The rest of this text is not shown here. Download the file to see all of it.',
} as const
