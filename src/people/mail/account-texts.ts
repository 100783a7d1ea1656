import type { AgentRole, Role } from '../../model/principal.ts'
import { type Letter, name } from './letter.ts'

interface Link {
  url: string
  minutes: number
}

const linkLifetime = (minutes: number) => `The link works once, within ${minutes} minutes.`

const roleInWords: Record<Role | AgentRole, string> = {
  reader: 'a reader, who can see its pages',
  recruiter: 'a recruiter, who can see its applications',
  admin: 'an admin, who can see and change everything',
}

export const securityNotices = {
  'app-added': {
    subject: 'An authenticator app was added',
    text: (board: string) => `An authenticator app was just added to your account at ${board}.`,
  },
  'app-removed': {
    subject: 'An authenticator app was removed',
    text: (board: string) => `The authenticator app of your account at ${board} was just removed.`,
  },
  'passkey-added': {
    subject: 'A passkey was added',
    text: (board: string) =>
      `A passkey was just added to your account at ${board}. The device that has it can sign in.`,
  },
  'passkey-removed': {
    subject: 'A passkey was removed',
    text: (board: string) => `A passkey of your account at ${board} was just removed.`,
  },
  'codes-renewed': {
    subject: 'Your recovery codes were replaced',
    text: (board: string) => `The recovery codes of your account at ${board} were just replaced by new ones.`,
  },
  'recovery-used': {
    subject: 'A recovery code was used',
    text: (board: string) =>
      `One of your recovery codes was just used to sign in to your account at ${board}.`,
  },
  'new-browser': {
    subject: 'New sign-in to your account',
    text: (board: string, time: string, browser: string) =>
      `There was a sign-in to your account at ${board} from a new browser: ${browser}, ${time}.`,
  },
} as const

/**
 * Emails about an account, each from the board that sends it. None contains text typed by a visitor, because our forms
 * could otherwise deliver any message to any mailbox under our name. The names of companies are set by the operator.
 */
export const accountLetters = {
  confirmation: ({ url, minutes }: Link, board: string): Letter => ({
    subject: 'Confirm your email address',
    blocks: [
      `Thanks for signing up at ${board}.`,
      'Open this link to confirm your email address. If you open it in a different browser, we’ll ask for the password you chose.',
      { button: 'Confirm email address', url },
      linkLifetime(minutes),
      'If this wasn’t you, you can ignore this email: the account can’t be used without the link.',
    ],
  }),

  'already-registered': ({ url, minutes }: Link, board: string): Letter => ({
    subject: 'You already have an account',
    blocks: [
      `Someone, perhaps you, just tried to use this email address for an account at ${board}. It already has one, and nothing has changed.`,
      'If it was you and you’ve forgotten your password, open this link to choose a new one. You’ll be signed out everywhere.',
      { button: 'Choose new password', url },
      linkLifetime(minutes),
      'If this wasn’t you, you can ignore this email.',
    ],
  }),

  reset: ({ url, minutes }: Link, board: string): Letter => ({
    subject: 'Choose a new password',
    blocks: [
      `We received a request to reset the password of your account at ${board}.`,
      'Open this link to choose a new one. You’ll be signed out everywhere.',
      { button: 'Choose new password', url },
      linkLifetime(minutes),
      'If this wasn’t you, you can ignore this email: your password stays the same.',
    ],
  }),

  security: (
    {
      url,
      what,
      time,
      browser = 'Unknown browser',
    }: { url: string; what: keyof typeof securityNotices; time: string; browser?: string | undefined },
    board: string,
  ): Letter => ({
    subject: securityNotices[what].subject,
    blocks: [
      `${securityNotices[what].text(board, time, browser)}`,
      'If this was you, you don’t need to do anything.',
      'If this wasn’t you, change your password immediately, which signs out every other browser, and check your passkeys and apps:',
      { button: 'Check sign-in and security', url },
    ],
  }),

  'password-changed': ({ url }: { url: string }, board: string): Letter => ({
    subject: 'Your password was changed',
    blocks: [
      `The password of your account at ${board} was just changed, and every other browser was signed out.`,
      'If this was you, you don’t need to do anything.',
      'If this wasn’t you, choose a new password immediately:',
      { button: 'Choose new password', url },
    ],
  }),

  'account-removed': (_: object, board: string): Letter => ({
    subject: 'Your account was deleted',
    blocks: [
      `Your account at ${board} was just deleted, with your profile, your resumes and your consents. No one can see your profile any longer.`,
      'Applications belong to the companies you sent them to. Your personal details are removed from them on the date shown when you deleted your account.',
      'This can’t be undone. If this wasn’t you, someone knows your password: change it everywhere else you use it. You can sign up again with this address at any time.',
    ],
  }),

  'change-email': ({ url, minutes }: Link, board: string): Letter => ({
    subject: 'Confirm your new email address',
    blocks: [
      `The owner of an account at ${board} wants to use this email address for it from now on.`,
      'If that is you, open this link. You’ll be asked for your account password.',
      { button: 'Confirm new email address', url },
      linkLifetime(minutes),
      'If this wasn’t you, you can ignore this email: nothing changes without the link.',
    ],
  }),

  'email-changing': ({ url }: { url: string }, board: string): Letter => ({
    subject: 'Your email address is about to change',
    blocks: [
      `Someone who knows your password has asked to use another email address for your account at ${board}. It changes when they open the link we sent to that address.`,
      'If this was you, you don’t need to do anything.',
      'If this wasn’t you, change your password immediately. That also cancels the link:',
      { button: 'Change password', url },
    ],
  }),

  invitation: (
    invited: { url: string; ownerName: string; role: Role | AgentRole; days: number; isOfAgent: boolean },
    board: string,
  ): Letter => ({
    subject: `You've been invited to ${name(invited.ownerName)}`,
    blocks: [
      `An admin of ${name(invited.ownerName)} has invited you to its ${invited.isOfAgent ? 'pages' : 'console'} on ${board} as ${roleInWords[invited.role]}.`,
      'Open this link to join. If you don’t have an account with this email address yet, you can create one there.',
      { button: 'Join', url: invited.url },
      `The link works once, within ${invited.days} days, and only for this address.`,
      `If you don’t know ${name(invited.ownerName)}, you can ignore this email: no one can join without the link.`,
    ],
  }),

  /** Of `dossier mail test`. */
  test: (_: object, board: string): Letter => ({
    subject: `Test email from ${board}`,
    blocks: [
      `The operator of ${board} sent this email to test the mail server. It arrived, so emails can be sent.`,
      'Check that it isn’t in the spam folder, and that its headers say that SPF, DKIM and DMARC have passed.',
    ],
  }),
} as const
