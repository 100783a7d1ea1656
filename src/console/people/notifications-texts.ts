import type { Rhythm } from '../../model/notice-topics.ts'
import { html } from '../../web/html.ts'

/** Texts of a member's own notifications. */
export const consoleNotificationsTexts = {
  title: 'Notifications',
  legend: 'Email me about new applications',
  hint: 'The email says how many there are and for which jobs. It never names a candidate.',
  rhythms: {
    soon: { label: 'As they come', hint: () => 'One email every 15 minutes at most.' },
    daily: {
      label: 'Once a day',
      hint: (zone: string) => `At eight in the morning (${zone} time), if there’s something new.`,
    },
    off: { label: 'Off', hint: () => 'No emails about applications to this company.' },
  } satisfies Record<Rhythm, { label: string; hint(zone: string): string }>,
  forYou: 'Each of your colleagues chooses for themselves.',
  save: 'Save notifications',
  saved: 'Notifications saved.',
  noMail: 'This service isn’t set up to send email yet. Your choice takes effect once it is.',
  refused: html`The mail server rejected our email to your address, so you get no notifications. See <a href="/account/security">Sign-in and security</a>.`,
} as const
