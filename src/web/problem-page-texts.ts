import { type Html, html } from './html.ts'

export const problemPageTexts = {
  home: 'Go to the home page',
  jobs: 'See open jobs',
  notFound: 'Page not found',
  noSuchPage: "We couldn't find that page. The link may be out of date, or there may be a typo in it.",
  notYours: "This page doesn't exist, or you don't have access to it.",
  forHelp: (requestId: string): Html => html`Reference for support: <code>${requestId}</code>`,
} as const
