import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

type Link = (label: string) => Html

/** Texts of the pages for people who have no account yet, or can't sign in to theirs. */
export const accountTexts = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email address',
  password: 'Password',
  passwordHint: (least: number) => `At least ${least} characters. Three or four random words work well.`,
  lookAgain: 'Please check the following:',
  backToSignIn: 'Back to sign in',

  signUp: {
    title: 'Sign up',
    emailHint: 'We’ll email you a link to confirm it’s yours.',
    submit: 'Sign up',
    accept: (terms: string | undefined, privacy: string | undefined) =>
      html`${terms && html`By signing up, you accept the <a href="${terms}">terms</a>. `}${privacy && html`See our <a href="${privacy}">privacy notice</a>.`}`,
    hasAccount: (link: Link) => html`Already have an account? ${link('Sign in')}`,
    sent: (email: string) =>
      html`We sent an email to <strong>${isolateBidi(email)}</strong>. Open the link in it to finish signing up.`,
  },

  mailed: {
    title: 'Check your email',
    nothing: (again: Link) =>
      html`Nothing there? Check your spam folder, and check that the address is right. You can also ${again('resend the email')}. The link works once, within half an hour.`,
    elsewhere: (signIn: Link) =>
      html`Opened the link in another browser? ${signIn('Sign in here')} to continue.`,
    outbox: 'Open the demo inbox',
  },

  unavailable: 'We can’t send email right now, so nothing has been sent. Please try again in a few minutes.',
  sendLink: 'Send link',
  confirmAgain: {
    title: 'Resend the email',
    text: 'We’ll email a new link to the address you signed up with. You’ll need the password you chose.',
    sent: (email: string) =>
      html`If <strong>${isolateBidi(email)}</strong> has signed up but isn’t confirmed yet, we sent it a new link.`,
  },
  forgotten: {
    title: 'Forgot your password?',
    text: 'Enter the email address of your account. We’ll email you a link to choose a new password.',
    sent: (email: string) =>
      html`If <strong>${isolateBidi(email)}</strong> has an account, we sent it an email. Open the link in it to choose a new password.`,
  },

  confirm: {
    title: 'Confirm your email address',
    titleOfNew: 'Confirm your new email address',
    lead: (email: string) =>
      html`To confirm that <strong>${isolateBidi(email)}</strong> is yours, enter the password you chose when you signed up.`,
    leadOfNew: (email: string) =>
      html`To use <strong>${isolateBidi(email)}</strong> for your account from now on, enter your account password.`,
    submit: 'Confirm and sign in',
    notYou: (link: Link) =>
      html`Didn’t sign up? Just close this page. Forgot the password you chose? ${link('Choose a new one')}`,
    notAsked: 'Didn’t ask for this? Just close this page.',
    wrong: 'The password is wrong.',
  },

  reset: {
    title: 'Choose a new password',
    lead: (email: string) =>
      html`For the account of <strong>${isolateBidi(email)}</strong>. You’ll be signed out everywhere.`,
    submit: 'Set password',
  },

  gone: {
    title: 'This link has expired',
    text: 'A link works once, within half an hour. If you copied it, check that you have all of it.',
    ways: (signIn: Link, reset: Link, signUp: Link) =>
      html`Already used it? ${signIn('Sign in')}. Otherwise, ${reset('reset your password')} or ${signUp('sign up')} again.`,
  },

  switchedOff: {
    title: 'Not available here',
    text: 'You can’t sign up, reset your password or change your email address here, because this service isn’t set up to send email. Contact the operator.',
    signIn: (link: Link) => html`${link('Sign in')} if you have an account.`,
  },
}
