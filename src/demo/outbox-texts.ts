import { isolateBidi } from '../web/bidi.ts'
import { type Html, html } from '../web/html.ts'

type Link = (label: string) => Html

export const outboxTexts = {
  title: 'Demo inbox',
  lead: "The demo doesn't send email. These are the emails it would have sent, newest first.",
  nothing: (signUp: Link, forgotten: Link) =>
    html`No emails yet. ${signUp('Sign up')} or ${forgotten('reset a password')}, then come back.`,
  to: (recipient: string, at: Html) => html`To ${isolateBidi(recipient)}, ${at}`,
}
