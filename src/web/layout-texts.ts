import { theirs } from './bidi.ts'
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
  signOut: (account: string): Html => html`Sign out ${theirs(account)}`,
  footer: 'Your data is yours: you see who has it, and you can take it back.',
  openapi: 'OpenAPI',
} as const
