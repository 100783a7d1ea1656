import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

type Link = (label: string) => Html

/** The pages for those who have no account yet, or cannot get into theirs. */
export const accountTexts = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail address',
  password: 'Password',
  passwordHint: (least: number) =>
    `At least ${least} characters. A few words that do not belong together do well.`,
  lookAgain: 'Please look at this again:',
  backToSignIn: 'Back to signing in',

  signUp: {
    title: 'Sign up',
    emailHint: 'We send a link there, to see that it is yours.',
    submit: 'Sign up',
    hasAccount: (link: Link) => html`You have an account already? ${link('Sign in')}`,
    sent: (email: string) =>
      html`We have sent an email to <strong>${theirs(email)}</strong>. Open the link in it to finish signing up.`,
  },

  mailed: {
    title: 'Check your email',
    nothing: (again: Link) =>
      html`Nothing there? Look in your spam folder and check that the address is right. ${again('Send it again')} if need be. A link works once, within half an hour.`,
    elsewhere: (signIn: Link) =>
      html`Opened the link in another browser? ${signIn('Sign in here')} to go on.`,
    outbox: 'Open the outbox of the demo',
  },

  unavailable: 'We can’t send email at present, so nothing has been sent. Please try again in a few minutes.',
  sendLink: 'Send the link',
  confirmAgain: {
    title: 'Send the link again',
    text: 'We send a new link to the address that you signed up with. You will need the password that you chose.',
    sent: (email: string) =>
      html`If <strong>${theirs(email)}</strong> has signed up and is not confirmed yet, we have sent a new link there.`,
  },
  forgotten: {
    title: 'Forgotten your password?',
    text: 'We send a link to the e-mail address of your account, with which you can choose a new password.',
    sent: (email: string) =>
      html`If <strong>${theirs(email)}</strong> has an account, we have sent an email there. Open the link in it to choose a new password.`,
  },

  confirm: {
    title: 'Confirm your e-mail address',
    titleOfNew: 'Confirm your new e-mail address',
    lead: (email: string) =>
      html`To confirm that <strong>${theirs(email)}</strong> is yours, enter the password that you chose when you signed up.`,
    leadOfNew: (email: string) =>
      html`To use <strong>${theirs(email)}</strong> for your account from now on, enter the password of the account.`,
    submit: 'Confirm and sign in',
    notYou: (link: Link) =>
      html`You did not sign up? Close this page, and nothing happens. You have forgotten the password that you chose? ${link('Choose a new one')}`,
    notAsked: 'You have not asked for this? Close this page, and nothing happens.',
    wrong: 'The password is wrong.',
  },

  reset: {
    title: 'Choose a new password',
    lead: (email: string) =>
      html`For the account of <strong>${theirs(email)}</strong>. You will be signed out everywhere.`,
    submit: 'Set the password',
  },

  gone: {
    title: 'This link does not work any more',
    text: 'A link works once, and for half an hour. It may also be that only a part of it was copied.',
    ways: (signIn: Link, reset: Link, signUp: Link) =>
      html`${signIn('Sign in')} if it has done its work already. Otherwise ${reset('ask for a new password')} or ${signUp('sign up')} once more.`,
  },

  switchedOff: {
    title: 'Not available here',
    text: 'Signing up, resetting a password and changing the e-mail address need mails, and this service has no mail server. Ask whoever runs it.',
    signIn: (link: Link) => html`${link('Sign in')} if you have an account.`,
  },
}
