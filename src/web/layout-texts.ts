import { isolateBidi } from './bidi.ts'
import { type Html, html } from './html.ts'

export const layoutTexts = {
  site: 'Dossier',
  skip: 'Skip to content',
  mainLabel: 'Main',
  footerLabel: 'About',
  accountArea: 'Account',
  jobs: 'Jobs',
  developers: 'Developers',
  account: 'Your account',
  console: 'Console',
  signOut: (account: string): Html => html`Sign out ${isolateBidi(account)}`,
  footer: 'Your data is yours: see who has it, and stop sharing at any time.',
  openapi: 'OpenAPI',
} as const
