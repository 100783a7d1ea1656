import { type Html, html } from '../../web/html.ts'

export const homeTexts = {
  title: 'One profile, every application',
  lead: 'Apply anywhere with one profile, and stay in control of it. Companies receive every application, on these pages or through an API.',

  candidate: {
    title: 'For candidates',
    text: 'Apply without typing everything again. See who has your data, and stop sharing at any time.',
    jobs: 'Find jobs',
    account: 'Your account',
    signUp: 'Sign up',
  },
  advertiser: {
    title: 'For companies',
    text: 'Read applications, post jobs and questionnaires, and decide which people and programs have access.',
    console: 'Open the console',
  },
  developer: {
    title: 'For developers',
    text: 'Collect applications, or let candidates apply on your own site with their profile. Guides, samples and an API reference.',
    docs: 'Developer docs',
    openapi: 'OpenAPI document',
  },

  demo: {
    title: 'Try it as',
    signIn: 'Sign in',
    signInAs: (name: string) => `Sign in as ${name}`,
    people: {
      'mary@example.com': 'has a profile and a resume',
      'tom@example.com': 'has an empty account',
      'rae@example.com': 'admin of two companies',
      'rex@example.com': 'recruiter at Harbour',
    } as Record<string, string>,
    password: (password: string): Html => html`Password for all: <code>${password}</code>`,
    switching: (password: string): Html => html`Password: <code>${password}</code>. Sign out to switch.`,
    programs: 'Try it with',
    credential: (name: string) => `SWS credential for ${name}`,
    client: 'OAuth client',
    clientValue: (id: string, secret: string): Html =>
      html`<code>${id}</code> with the secret <code>${secret}</code>`,
    about: 'This is a demo. All data is fictional, and it runs only on this computer.',
    site: 'Careers page that uses Dossier',
    outbox: 'Demo inbox',
    components: 'Component gallery',
  },
} as const
