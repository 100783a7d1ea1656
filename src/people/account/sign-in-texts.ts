import { type Html, html } from '../../web/html.ts'

function inWords(seconds: number): string {
  if (seconds === 1) return '1 second'
  return seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
}

export const signInTexts = {
  title: 'Sign in',
  titleFor: (clientName: string) => `Sign in to share your profile with ${clientName}`,
  email: 'Email address',
  password: 'Password',
  submit: 'Sign in',
  forgotten: 'Forgot your password?',
  again: (link: (label: string) => Html) => html`Didn’t get our email? ${link('Resend it')}`,
  signUp: (link: (label: string) => Html) => html`No account yet? ${link('Sign up')}`,
  noMail:
    'You can’t sign up or reset a password here, because this service isn’t set up to send email. Contact the operator.',

  signedOut: 'You’re signed out.',
  passwordSet: 'Your new password is set. Sign in with it.',
  /** One text for every cause: a more exact one would reveal whether the address has an account. */
  wrong:
    'The email address or password is wrong, or the address hasn’t been confirmed yet. If you’ve just signed up, open the link in our email first.',
  expired: 'This page was open for too long. Please enter your password again.',
  held: 'You were signed out before this could be sent. Sign in to send it again: nothing you typed is lost.',
  tooLargeToHold:
    'You were signed out before this could be sent, and it is too long for us to keep while you sign in. Sign in on another tab, then go back to the form in this one and send it again: what you typed is still there.',

  wait: (seconds: number): string => `Too many wrong passwords. Try again in ${inWords(seconds)}.`,

  second: {
    title: 'Enter your code',
    lead: 'Your password is right. This account has two-step sign-in, so we also need a code.',
    passkeyTitle: 'Use your passkey',
    passkeyLead: 'Your password is right. This account has two-step sign-in, so we also need your passkey.',
    recovery: 'Or one of your recovery codes',
    recoveryHint: 'If you don’t have the device with your passkey. Each code works once.',
    code: 'Code from your authenticator app',
    hint: 'Six digits. If you don’t have your phone, enter one of your recovery codes instead.',
    expired: 'This page was open for too long. Please enter the code again.',
    again: 'Sign in with a different account',
    wrong: 'This code is wrong, has expired or has already been used. Wait for the next one and try again.',
    wait: (seconds: number): string => `Too many wrong codes. Try again in ${inWords(seconds)}.`,
  },
}
