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
  done: {
    saved: 'Notifications saved.',
    again: 'We’ll send the next email to your address again.',
  } as Record<string, string>,

  securityTitle: 'Always on',
  securityText:
    'We always tell you about a new password, a new email address and the deletion of your account. You can’t switch these emails off.',
  noMail: 'This service isn’t set up to send email yet. Your choices take effect once it is.',
  refused: (email: string, at: Html, refusal: string): Html =>
    html`<p><strong>Your email address doesn’t work.</strong> The mail server refused our email to ${isolateBidi(email)} ${at}, so we don’t send notifications there.</p>
${refusal !== '' && html`<p class="quiet">${isolateBidi(refusal)}</p>`}
<p>Change your address under <a href="/account/security">Sign-in and security</a>, or try this one again.</p>`,
  tryAgain: 'Try this address again',

  workTitle: 'New applications',
  workText: 'Emails about applications to your company are set for each company.',
  workLink: (company: string): string => `Notifications for ${company}`,

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
