import { type Html, html } from '../../web/html.ts'

export const holdTexts = {
  title: 'Keeping',
  until: (day: Html) => html`Kept until ${day}.`,
  noEnd: 'Kept without an end date.',
  period: 'Change the period',
  hold: 'Hold for a dispute',

  formTitle: 'Hold this application for a dispute',
  lead: 'While it is on hold, nothing of this application is erased: not when its period ends, not when the candidate withdraws it, and not when they delete their account. The candidate sees that it is kept because of a dispute, but not your reason.',
  reason: 'Reason',
  reasonHint: 'Your colleagues see it on the application.',
  save: 'Hold application',
  cancel: 'Cancel',

  held: (by: Html | string, at: Html) =>
    html`<p><strong>On hold for a dispute</strong> by ${by} since ${at}. Nothing of it is erased while it is on hold.</p>`,
  operator: 'the operator',
  formerMember: 'a former colleague',
  release: 'Release application',
  releaseHint: 'If it is due by now, it will be erased soon after you release it.',
} as const
