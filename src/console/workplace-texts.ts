import type { Role } from '../model/principal.ts'
import { theirs } from '../web/bidi.ts'
import { type Html, html } from '../web/html.ts'

export const workplaceTexts = {
  title: 'Your advertisers',
  lead: 'You work for these. Choose one to see its applications.',
  role: { recruiter: 'Recruiter', admin: 'Admin' } satisfies Record<Role, string>,
  onHold: 'On hold',
  holdText:
    'It is on hold at present: its pages open again when whoever runs this service takes it off hold.',
  noneTitle: 'You do not work for an advertiser yet',
  noneText: (email: string): Html =>
    html`This is where those who hire see the applications. One gets here by an invitation: ask an admin of the advertiser, or whoever runs this service, to invite ${theirs(email)}. The link in it brings you back here.`,
  toAccount: 'Go to your account',
} as const
