export const componentTexts = {
  pagerLabel: 'Pages',
  newest: 'Newest',
  newer: 'Newer',
  older: 'Older',
  crumbsLabel: 'Breadcrumb',
  copy: 'Copy',
  copied: 'Copied',
} as const
