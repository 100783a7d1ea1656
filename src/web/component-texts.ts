export const componentTexts = {
  pagerLabel: 'Pages',
  newest: 'Newest',
  newer: 'Newer',
  older: 'Older',
  crumbsLabel: 'Above',
  copy: 'Copy',
  copied: 'Copied',
} as const
