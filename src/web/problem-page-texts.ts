import { type Html, html } from './html.ts'

export const problemPageTexts = {
  home: 'Go to the start page',
  forHelp: (requestId: string): Html =>
    html`If you ask for help, give this number: <code>${requestId}</code>`,
} as const
