import { type Html, html } from '../../web/html.ts'

export const homeTexts = {
  title: 'One profile, every application',
  lead: 'Dossier is the apply layer of a job board. Candidates keep one profile and decide who gets it; advertisers receive every application, on these pages or through an API.',

  candidate: {
    title: 'For candidates',
    text: 'Apply without typing everything again, and see who has your data. You can take it back at any time.',
    jobs: 'Find jobs',
    account: 'Your account',
    signUp: 'Sign up',
  },
  advertiser: {
    title: 'For advertisers',
    text: 'Read applications, put up job ads and questionnaires, and decide which people and programs see them.',
    console: 'Open the console',
  },
  developer: {
    title: 'For developers',
    text: 'Collect applications, or let candidates apply on your own pages with their profile. With guides, samples and an API reference.',
    docs: "Developer's desk",
    openapi: 'OpenAPI document',
  },

  demo: {
    title: 'Try it as',
    signIn: 'Sign in',
    signInAs: (name: string) => `Sign in as ${name}`,
    people: {
      'mary@example.com': 'has a profile and a resume',
      'tom@example.com': 'has an empty account',
      'rae@example.com': 'admin of two advertisers',
      'rex@example.com': 'recruiter at Harbour',
    } as Record<string, string>,
    password: (password: string): Html => html`Password of all of them: <code>${password}</code>`,
    switching: (password: string): Html => html`Password: <code>${password}</code>. Sign out to switch.`,
    programs: 'Try it with',
    credential: (name: string) => `SWS credential of ${name}`,
    client: 'OAuth client',
    clientValue: (id: string, secret: string): Html =>
      html`<code>${id}</code> with the secret <code>${secret}</code>`,
    about: 'This is the demo: all in it is made up, and it answers on this machine only.',
    site: 'A careers page that uses Dossier',
    outbox: 'Mails it would have sent',
    components: 'Components of these pages',
  },
} as const
