import { isolateBidi } from './bidi.ts'
import { type Html, html } from './html.ts'

export const layoutTexts = {
  skip: 'Skip to content',
  mainLabel: 'Main',
  menuLabel: 'Pages',
  menu: 'Menu',
  menuOf: (name: string) => `${name}, menu`,
  footerLabel: 'About',
  accountArea: 'Account',
  jobs: 'Jobs',
  developers: 'Developers',
  account: 'Your account',
  console: 'Console',
  switchCompany: 'All your companies',
  signIn: 'Sign in',
  signOut: (account: string): Html => html`Sign out ${isolateBidi(account)}`,
  footer: 'Your data is yours: see who has it, and stop sharing at any time.',
  aboutData: 'What we keep',
  privacy: 'Privacy',
  terms: 'Terms',
  contact: 'Contact',
  light: 'Light colours',
  dark: 'Dark colours',
  system: 'Colours of your device',
  poweredBy: 'Powered by Dossier',
} as const
