import type { AgentRole, Role } from '../../model/principal.ts'
import { type Block, type EmailMessage, name } from './email-message.ts'

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
  'provider-linked': {
    subject: 'A sign-in was linked to your account',
    text: (board: string) =>
      `A sign-in at another service was just linked to your account at ${board}. It opens your account from now on.`,
  },
  'provider-unlinked': {
    subject: 'A sign-in was removed from your account',
    text: (board: string) =>
      `A sign-in at another service was just removed from your account at ${board}. It no longer opens your account.`,
  },
  'codes-renewed': {
    subject: 'Your recovery codes were replaced',
    text: (board: string) => `The recovery codes of your account at ${board} were just replaced by new ones.`,
  },
  'recovery-used': {
    subject: 'A recovery code was used',
    text: (board: string) => `One of the recovery codes of your account at ${board} was just used.`,
  },
  'factors-reset': {
    subject: 'Your passkeys and app were removed',
    text: (board: string) =>
      `The people who run ${board} have removed the passkeys, the authenticator app and the recovery codes of your account, and any links to sign-ins elsewhere, and signed it out everywhere. Signing in takes your password only until you add one again.`,
  },
  'new-browser': {
    subject: 'New sign-in to your account',
    text: (board: string, time: string, browser: string) =>
      `There was a sign-in to your account at ${board} from a new browser: ${browser}, ${time}.`,
  },
  'wrong-codes': {
    subject: 'Wrong codes were entered for your account',
    text: (board: string, time: string) =>
      `Someone who knows the password of your account at ${board}, or can read your emails, has entered five wrong codes, the last one on ${time}. None of them was accepted.`,
  },
} as const

const subjectOf = (what: GatheredNotice['what']): string =>
  what in securityNotices
    ? securityNotices[what as keyof typeof securityNotices].subject
    : otherSubjects[what as keyof typeof otherSubjects]

const otherSubjects = {
  'password-changed': 'Your password was changed',
  'email-changing': 'Your email address is about to change',
  'email-changed': 'Your email address was changed',
  'change-undone': 'A change to your account was undone',
  'account-removed': 'Your account was deleted',
} as const

/** A kind of notice, how often it occurred, and when it last did. */
interface GatheredNotice {
  what: keyof typeof securityNotices | keyof typeof otherSubjects
  browser?: string | undefined
  times: number
  time: string
}

const checkBlocks = (url: string): Block[] => [
  'If this wasn’t you, change your password immediately, which signs out every other browser, and check your passkeys and apps:',
  { button: 'Check sign-in and security', url },
]

const undoBlocks = (urls: readonly string[], text: string): Block[] => [
  text,
  ...urls.map(url => ({ button: 'This wasn’t me: undo it', url })),
  'This removes every passkey and app added since, puts your email address back, signs out every browser and asks you for a new password. The link works once, within seven days of the change.',
]

/**
 * Emails about an account, each from the board that sends it. None contains text typed by a visitor, because our forms
 * could otherwise deliver any message to any mailbox under our name. The names of companies are set by the operator.
 */
export const accountEmails = {
  confirmation: ({ url, minutes }: Link, board: string): EmailMessage => ({
    subject: 'Confirm your email address',
    blocks: [
      `Thanks for signing up at ${board}.`,
      'Open this link to confirm your email address. If you open it in a different browser, we’ll ask for the password you chose.',
      { button: 'Confirm email address', url },
      linkLifetime(minutes),
      'If this wasn’t you, you can ignore this email: the account can’t be used without the link.',
    ],
  }),

  'already-registered': ({ url, minutes }: Link, board: string): EmailMessage => ({
    subject: 'You already have an account',
    blocks: [
      `Someone, perhaps you, just tried to use this email address for an account at ${board}. It already has one, and nothing has changed.`,
      'If it was you and you’ve forgotten your password, open this link to choose a new one. You’ll be signed out everywhere.',
      { button: 'Choose new password', url },
      linkLifetime(minutes),
      'If this wasn’t you, you can ignore this email.',
    ],
  }),

  reset: ({ url, minutes }: Link, board: string): EmailMessage => ({
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
      undoUrl,
    }: {
      url: string
      what: keyof typeof securityNotices
      time: string
      browser?: string | undefined
      undoUrl?: string | undefined
    },
    board: string,
  ): EmailMessage => ({
    subject: securityNotices[what].subject,
    blocks: [
      securityNotices[what].text(board, time, browser),
      'If this was you, you don’t need to do anything.',
      ...(undoUrl === undefined ? checkBlocks(url) : undoBlocks([undoUrl], 'If this wasn’t you, undo it:')),
    ],
  }),

  'password-changed': (
    { url, undoUrl }: { url: string; undoUrl?: string | undefined },
    board: string,
  ): EmailMessage => ({
    subject: otherSubjects['password-changed'],
    blocks: [
      `The password of your account at ${board} was just changed, and every other browser was signed out.`,
      'If this was you, you don’t need to do anything.',
      ...(undoUrl === undefined
        ? ['If this wasn’t you, choose a new password immediately:', { button: 'Choose new password', url }]
        : undoBlocks([undoUrl], 'If this wasn’t you, undo it:')),
    ],
  }),

  'account-removed': (_: object, board: string): EmailMessage => ({
    subject: otherSubjects['account-removed'],
    blocks: [
      `Your account at ${board} was just deleted, with your profile, your resumes and your consents. No one can see your profile any longer.`,
      'Applications belong to the companies you sent them to. Your personal details are removed from them on the date shown when you deleted your account.',
      'This can’t be undone. If this wasn’t you, someone knows your password: change it everywhere else you use it. You can sign up again with this address at any time.',
    ],
  }),

  'change-email': ({ url, minutes }: Link, board: string): EmailMessage => ({
    subject: 'Confirm your new email address',
    blocks: [
      `The owner of an account at ${board} wants to use this email address for it from now on.`,
      'If that is you, open this link. You’ll be asked for your account password.',
      { button: 'Confirm new email address', url },
      linkLifetime(minutes),
      'If this wasn’t you, you can ignore this email: nothing changes without the link.',
    ],
  }),

  'email-changing': ({ url }: { url: string }, board: string): EmailMessage => ({
    subject: otherSubjects['email-changing'],
    blocks: [
      `Someone who knows your password has asked to use another email address for your account at ${board}. It changes when they open the link we sent to that address.`,
      'If this was you, you don’t need to do anything.',
      'If this wasn’t you, change your password immediately. That also cancels the link:',
      { button: 'Change password', url },
    ],
  }),

  'email-changed': ({ undoUrl }: { undoUrl?: string | undefined }, board: string): EmailMessage => ({
    subject: otherSubjects['email-changed'],
    blocks: [
      `Your account at ${board} now has another email address, which was confirmed by a link and the password. Emails no longer come to this one.`,
      'If this was you, you don’t need to do anything.',
      ...(undoUrl === undefined
        ? [
            'If this wasn’t you, someone knows your password: contact the people who run this service, and change the password everywhere else you use it.',
          ]
        : undoBlocks([undoUrl], 'If this wasn’t you, someone knows your password. Undo it:')),
    ],
  }),

  'change-undone': ({ isFormer }: { isFormer: boolean }, board: string): EmailMessage => ({
    subject: otherSubjects['change-undone'],
    blocks: [
      isFormer
        ? `The change of the email address of an account at ${board} to this one was undone by the link in our email to its former address. Emails no longer come to this one.`
        : `A change to your account at ${board} was undone by the link in our email about it: passkeys and apps added since were removed, every browser was signed out, and a new password was set.`,
      'If this was you, you don’t need to do anything.',
      isFormer
        ? 'If the account is yours, contact the people who run this service: only they can change it back.'
        : 'If this wasn’t you, someone can read your emails: change the password of your mailbox first, then choose a new one here.',
    ],
  }),

  'security-digest': (
    {
      url,
      notices,
      undoUrls,
    }: { url: string; notices: readonly GatheredNotice[]; undoUrls: readonly string[] },
    board: string,
  ): EmailMessage => ({
    subject: 'More changes to your account',
    blocks: [
      `There were more changes to your account at ${board} than we send single emails about in an hour. These are the others:`,
      ...notices.map(
        ({ what, browser, times, time }) =>
          `${subjectOf(what)}${browser === undefined ? '' : ` (${browser})`}: ${times === 1 ? time : `${times} times, the last on ${time}`}.`,
      ),
      'If this was you, you don’t need to do anything.',
      ...(undoUrls.length === 0
        ? checkBlocks(url)
        : undoBlocks(undoUrls, 'If this wasn’t you, undo all of them:')),
    ],
  }),

  invitation: (
    invited: { url: string; ownerName: string; role: Role | AgentRole; days: number; isOfAgent: boolean },
    board: string,
  ): EmailMessage => ({
    subject: `You've been invited to ${name(invited.ownerName)}`,
    blocks: [
      `An admin of ${name(invited.ownerName)} has invited you to its ${invited.isOfAgent ? 'pages' : 'console'} on ${board} as ${roleInWords[invited.role]}.`,
      'Open this link to join. If you don’t have an account with this email address yet, you can create one there.',
      { button: 'Join', url: invited.url },
      `The link works once, within ${invited.days} days, and only for this address.`,
      `If you don’t know ${name(invited.ownerName)}, you can ignore this email: no one can join without the link.`,
    ],
  }),

  /** The code is not in the subject, which locked phones show and mail servers log. */
  'sign-in-code': ({ code, minutes }: { code: string; minutes: number }, board: string): EmailMessage => ({
    subject: 'Your code to sign in',
    blocks: [
      `Enter this code where you asked for it to sign in at ${board}:`,
      { facts: [['Code', code]] },
      `The code works once, within ${minutes} minutes, and only in the browser that asked for it.`,
      'No one will ever ask you for this code. Don’t tell it to anyone.',
      'If this wasn’t you, you can ignore this email: no one can sign in without the code.',
    ],
  }),

  /** Sent instead of a code to people of companies, agents and the board. */
  'no-code': ({ url }: { url: string }, board: string): EmailMessage => ({
    subject: 'How to sign in',
    blocks: [
      `Someone, perhaps you, just asked for a code to sign in at ${board}. Codes by email don’t work for your account, because it opens pages of the place where you work.`,
      'Sign in with your password or a passkey. If you’ve forgotten your password, you can choose a new one there.',
      { button: 'Sign in', url },
      'If this wasn’t you, you can ignore this email.',
    ],
  }),

  /** The email of `dossier mail test`. */
  test: (_: object, board: string): EmailMessage => ({
    subject: `Test email from ${board}`,
    blocks: [
      `The operator of ${board} sent this email to test the mail server. It arrived, so emails can be sent.`,
      'Check that it isn’t in the spam folder, and that its headers say that SPF, DKIM and DMARC have passed.',
    ],
  }),
} as const
