import { theirs } from '../web/bidi.ts'
import { type Html, html } from '../web/html.ts'

type Link = (label: string) => Html

export const outboxTexts = {
  title: 'Outbox of the demo',
  lead: 'The demo sends no mail. Here is what it would have sent, the newest first.',
  nothing: (signUp: Link, forgotten: Link) =>
    html`Nothing yet. ${signUp('Sign up')}, or ${forgotten('forget a password')}, and come back.`,
  to: (recipient: string, at: Html) => html`To ${theirs(recipient)}, ${at}`,
}
