import { type Html, html } from '../../web/html.ts'

export const homeTexts = {
  title: 'Find your next job',
  lead: (board: string) =>
    `Apply with one profile, here and wherever you see “Apply with ${board}”. You choose what each company sees.`,
  latest: 'Latest jobs',
  allJobs: 'All jobs',
  noJobs: 'No jobs are open at the moment. Check back soon.',
  newBoard: {
    title: 'This job board is new',
    text: html`There is no company yet. If you run this board, <a href="/operator">open the operator’s pages</a> and add one. No operator yet? Run <code>dossier operator invite</code> with your email address.`,
  },
  companies: 'Hiring now',
  openJobs: (count: number) => `${count} open ${count === 1 ? 'job' : 'jobs'}`,

  company: {
    title: 'For companies',
    text: 'Read applications, post jobs and questionnaires, and decide which people and programs have access.',
    console: 'Open the console',
  },
  developer: {
    title: 'For developers',
    text: 'Collect applications, or let candidates apply on your own site with their profile.',
    docs: 'Developer docs',
  },

  demo: {
    title: 'Try the demo',
    about:
      'All data is fictional, and the demo runs only on this computer. Choose who you are; you can switch at any time.',
    doors: {
      candidate: {
        title: 'As a candidate',
        text: 'Fill in your profile, apply for a job, and see who has your data.',
      },
      company: {
        title: 'As a company',
        text: 'Read applications, post jobs, build questionnaires.',
      },
      operator: {
        title: 'As the operator',
        text: 'Run the board: companies, agents, email, background work, audit log.',
      },
      developer: {
        title: 'As a developer',
        text: 'Call the APIs with these, or follow the guides.',
      },
    },
    signIn: 'Sign in',
    open: 'Open',
    signInAs: (name: string) => `Sign in as ${name}`,
    people: {
      'mary@example.com': 'has a profile and a resume',
      'tom@example.com': 'has an empty account',
      'rae@example.com': 'admin of two companies',
      'rex@example.com': 'recruiter at Harbour',
      'nora@example.com': 'runs Northwind ATS, an agent',
      'omar@example.com': 'operator of this board',
    } as Record<string, string>,
    password: (password: string): Html => html`Password for all: <code>${password}</code>`,
    credential: (name: string) => `SWS credential for ${name}`,
    client: 'OAuth client',
    clientValue: (id: string, secret: string): Html =>
      html`<code>${id}</code> with the secret <code>${secret}</code>`,
    site: 'Careers page of another company',
    outbox: 'Demo inbox',
    components: 'Component gallery',
  },
} as const
