import type { Role } from '../model/principal.ts'
import { isolateBidi } from '../web/bidi.ts'
import { type Html, html } from '../web/html.ts'

export const workplaceTexts = {
  title: 'Your companies',
  lead: 'Choose a company to see its applications.',
  role: { recruiter: 'Recruiter', admin: 'Admin' } satisfies Record<Role, string>,
  onHold: 'On hold',
  holdText: 'On hold: its pages are unavailable until the operator of this service lifts the hold.',
  noneTitle: 'You need an invitation',
  noneText: (email: string): Html =>
    html`This is where companies read their applications. Ask an admin of your company, or the operator of this service, to invite ${isolateBidi(email)}, then open the link in the invitation.`,
  toAccount: 'Go to your account',
} as const
