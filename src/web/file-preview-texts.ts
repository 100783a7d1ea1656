export const filePreviewTexts = {
  download: 'Download',
  pagesOf: (name: string) => `Pages of ${name}`,
  textOf: (name: string) => `Text of ${name}`,
  /** preview.mjs fills in the placeholders. */
  loading: 'Loading preview.',
  failed: 'This file can’t be shown here. Download it to view it.',
  page: 'Page {page} of {pages}',
  cut: 'Showing the first {shown} of {pages} pages. Download the file to see the rest.',
  withoutScript: 'Turn on JavaScript to see a preview, or download the file.',
  document: 'Text of the document',
  textOnly: 'Text only. Download the file to see its layout and pictures.',
  busy: 'Too many previews are being prepared. Reload the page in a moment, or download the file.',
  restNotShown: 'The rest of this text isn’t shown here. Download the file to see all of it.',
} as const
