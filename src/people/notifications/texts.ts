import type { Topic } from '../../model/notice-topics.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

/** Texts of "Email notifications", and of the links that switch one of them off. */
export const notificationTexts = {
  title: 'Email notifications',
  topicsTitle: 'What we email you about',
  topics: {
    receipts: {
      label: 'Receipts for my applications',
      hint: 'What you sent, each time you apply for a job.',
      off: 'receipts for your applications',
    },
    progress: {
      label: 'Progress of my applications',
      hint: 'When a company tells you what it decided, and when you withdraw.',
      off: 'the progress of your applications',
    },
    disclosures: {
      label: 'New companies that get my data',
      hint: 'The first time that a website or company reads your profile with your permission.',
      off: 'new companies that get your data',
    },
  } satisfies Record<Topic, { label: string; hint: string; off: string }>,
  save: 'Save notifications',
  saved: 'Notifications saved.',

  securityTitle: 'Always on',
  securityText:
    'We always tell you about a new password, a new email address and the deletion of your account. You can’t switch these emails off.',
  noMail: 'This service isn’t set up to send email yet. Your choices take effect once it is.',
  refused: html`The mail server rejected our email to your address, so we don’t send notifications there. See <a href="/account/security">Sign-in and security</a>.`,

  workTitle: 'New applications',
  workText: 'Emails about applications to your company are set for each company.',
  workLink: (company: string): Html => html`Notifications for ${isolateBidi(company)}`,

  /** At the foot of an email: why it was sent. */
  reasons: {
    receipts: 'You get this email because you applied for a job.',
    progress: 'You get this email because you applied for a job.',
    disclosures: 'You get this email because a new company got your data.',
    company: 'You get this email because you work for this company.',
  } satisfies Record<Topic | 'company', string>,
  stop: 'Stop these emails',

  unsubscribe: {
    title: 'Stop these emails?',
    ask: (what: Html): Html => html`We email you about ${what}.`,
    submit: 'Stop these emails',
    doneTitle: 'These emails are off',
    done: (what: Html): Html => html`We won’t email you about ${what}.`,
    undo: 'Turn these emails on again',
    undoneTitle: 'These emails are on again',
    undone: (what: Html): Html => html`We’ll email you about ${what}.`,
    settings: 'See all notifications',
    company: (name: string): Html => html`applications to ${isolateBidi(name)}`,
    former: 'applications to a company that you no longer work for',
    badTitle: 'This link isn’t complete',
    bad: 'Copy the whole link from the email, or sign in to choose your notifications.',
  },
} as const
