import { type Html, html } from '../../web/html.ts'

export const signInTexts = {
  title: 'Sign in',
  titleFor: (clientName: string) => `Sign in to share your profile with ${clientName}`,
  email: 'E-mail address',
  password: 'Password',
  submit: 'Sign in',
  forgotten: 'Forgotten your password?',
  again: (link: (label: string) => Html) => html`Signed up, but no mail? ${link('Send the link again')}`,
  signUp: (link: (label: string) => Html) => html`No account yet? ${link('Sign up')}`,
  noMail:
    'Signing up and resetting passwords are switched off here, because this service sends no mail. Ask whoever runs it.',

  signedOut: 'You are signed out.',
  passwordSet: 'Your new password is set. Sign in with it.',
  /** One text for all of them: which one it was would tell a stranger whether the address has an account. */
  wrong:
    'The e-mail address or the password is wrong, or the address has not been confirmed yet. If you have just signed up, open the link in our mail first.',
  expired: 'This page was open for too long, so please type your password once more.',
  held: 'You were signed out before this could be sent. Sign in, and you can send it again: nothing that you typed is lost.',
  tooLargeToHold:
    'You were signed out before this could be sent, and it is too long to be carried along. Sign in on another tab, then go back to the form in this one with your browser and send it again: what you typed is still there.',

  wait(seconds: number): string {
    const time = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
    return `There were too many wrong passwords. Try again in ${seconds === 1 ? '1 second' : time}.`
  },
}
