import type { AgentRole, Role } from '../../model/principal.ts'
import { t } from '../../platform/web/t.ts'
import { type Block, type EmailMessage, name } from './email-message.ts'

interface Link {
  url: string
  minutes: number
}

const linkLifetime = (minutes: number) => t`The link works once, within ${minutes} minutes.`

const roleInWords: Record<Role | AgentRole, string> = {
  reader: t`a reader, who can see its pages`,
  recruiter: t`a recruiter, who can see its applications`,
  admin: t`an admin, who can see and change everything`,
}

export const securityNotices = {
  'app-added': {
    subject: t`An authenticator app was added`,
    text: (board: string) => t`An authenticator app was just added to your account at ${board}.`,
  },
  'app-removed': {
    subject: t`An authenticator app was removed`,
    text: (board: string) => t`The authenticator app of your account at ${board} was just removed.`,
  },
  'passkey-added': {
    subject: t`A passkey was added`,
    text: (board: string) =>
      t`A passkey was just added to your account at ${board}. The device that has it can sign in.`,
  },
  'passkey-removed': {
    subject: t`A passkey was removed`,
    text: (board: string) => t`A passkey of your account at ${board} was just removed.`,
  },
  'provider-linked': {
    subject: t`A sign-in was linked to your account`,
    text: (board: string) =>
      t`A sign-in at another service was just linked to your account at ${board}. It opens your account from now on.`,
  },
  'provider-unlinked': {
    subject: t`A sign-in was removed from your account`,
    text: (board: string) =>
      t`A sign-in at another service was just removed from your account at ${board}. It no longer opens your account.`,
  },
  'codes-renewed': {
    subject: t`Your recovery codes were replaced`,
    text: (board: string) =>
      t`The recovery codes of your account at ${board} were just replaced by new ones.`,
  },
  'recovery-used': {
    subject: t`A recovery code was used`,
    text: (board: string) => t`One of the recovery codes of your account at ${board} was just used.`,
  },
  'factors-reset': {
    subject: t`Your passkeys and app were removed`,
    text: (board: string) =>
      t`The people who run ${board} have removed the passkeys, the authenticator app and the recovery codes of your account, and any links to sign-ins elsewhere, and signed it out everywhere. Signing in takes your password only until you add one again.`,
  },
  'new-browser': {
    subject: t`New sign-in to your account`,
    text: (board: string, time: string, browser: string) =>
      t`There was a sign-in to your account at ${board} from a new browser: ${browser}, ${time}.`,
  },
  'wrong-codes': {
    subject: t`Wrong codes were entered for your account`,
    text: (board: string, time: string) =>
      t`Someone who knows the password of your account at ${board}, or can read your emails, has entered five wrong codes, the last one on ${time}. None of them was accepted.`,
  },
} as const

const subjectOf = (what: GatheredNotice['what']): string =>
  what in securityNotices
    ? securityNotices[what as keyof typeof securityNotices].subject
    : otherSubjects[what as keyof typeof otherSubjects]

const otherSubjects = {
  'password-changed': t`Your password was changed`,
  'email-changing': t`Your email address is about to change`,
  'email-changed': t`Your email address was changed`,
  'change-undone': t`A change to your account was undone`,
  'account-removed': t`Your account was deleted`,
} as const

/** A kind of notice, how often it occurred, and when it last did. */
interface GatheredNotice {
  what: keyof typeof securityNotices | keyof typeof otherSubjects
  browser?: string | undefined
  times: number
  time: string
}

const checkBlocks = (url: string): Block[] => [
  t`If this wasn’t you, change your password immediately, which signs out every other browser, and check your passkeys and apps:`,
  { button: t`Check sign-in and security`, url },
]

const undoBlocks = (urls: readonly string[], text: string): Block[] => [
  text,
  ...urls.map(url => ({ button: t`This wasn’t me: undo it`, url })),
  t`This removes every passkey and app added since, puts your email address back, signs out every browser and asks you for a new password. The link works once, within seven days of the change.`,
]

/**
 * Emails about an account, each from the board that sends it. None contains text typed by a visitor, because our forms
 * could otherwise deliver any message to any mailbox under our name. The names of companies are set by the operator.
 */
export const accountEmails = {
  confirmation: ({ url, minutes }: Link, board: string): EmailMessage => ({
    subject: t`Confirm your email address`,
    blocks: [
      t`Thanks for signing up at ${board}.`,
      t`Open this link to confirm your email address. If you open it in a different browser, we’ll ask for the password you chose.`,
      { button: t`Confirm email address`, url },
      linkLifetime(minutes),
      t`If this wasn’t you, you can ignore this email: the account can’t be used without the link.`,
    ],
  }),

  'already-registered': ({ url, minutes }: Link, board: string): EmailMessage => ({
    subject: t`You already have an account`,
    blocks: [
      t`Someone, perhaps you, just tried to use this email address for an account at ${board}. It already has one, and nothing has changed.`,
      t`If it was you and you’ve forgotten your password, open this link to choose a new one. You’ll be signed out everywhere.`,
      { button: t`Choose new password`, url },
      linkLifetime(minutes),
      t`If this wasn’t you, you can ignore this email.`,
    ],
  }),

  reset: ({ url, minutes }: Link, board: string): EmailMessage => ({
    subject: t`Choose a new password`,
    blocks: [
      t`We received a request to reset the password of your account at ${board}.`,
      t`Open this link to choose a new one. You’ll be signed out everywhere.`,
      { button: t`Choose new password`, url },
      linkLifetime(minutes),
      t`If this wasn’t you, you can ignore this email: your password stays the same.`,
    ],
  }),

  security: (
    {
      url,
      what,
      time,
      browser = t`Unknown browser`,
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
      t`If this was you, you don’t need to do anything.`,
      ...(undoUrl === undefined ? checkBlocks(url) : undoBlocks([undoUrl], t`If this wasn’t you, undo it:`)),
    ],
  }),

  'password-changed': (
    { url, undoUrl }: { url: string; undoUrl?: string | undefined },
    board: string,
  ): EmailMessage => ({
    subject: otherSubjects['password-changed'],
    blocks: [
      t`The password of your account at ${board} was just changed, and every other browser was signed out.`,
      t`If this was you, you don’t need to do anything.`,
      ...(undoUrl === undefined
        ? [t`If this wasn’t you, choose a new password immediately:`, { button: t`Choose new password`, url }]
        : undoBlocks([undoUrl], t`If this wasn’t you, undo it:`)),
    ],
  }),

  'account-removed': (_: object, board: string): EmailMessage => ({
    subject: otherSubjects['account-removed'],
    blocks: [
      t`Your account at ${board} was just deleted, with your profile, your resumes and your consents. No one can see your profile any longer.`,
      t`Applications belong to the companies you sent them to. Your personal details are removed from them on the date shown when you deleted your account.`,
      t`This can’t be undone. If this wasn’t you, someone knows your password: change it everywhere else you use it. You can sign up again with this address at any time.`,
    ],
  }),

  'change-email': ({ url, minutes }: Link, board: string): EmailMessage => ({
    subject: t`Confirm your new email address`,
    blocks: [
      t`The owner of an account at ${board} wants to use this email address for it from now on.`,
      t`If that is you, open this link. You’ll be asked for your account password.`,
      { button: t`Confirm new email address`, url },
      linkLifetime(minutes),
      t`If this wasn’t you, you can ignore this email: nothing changes without the link.`,
    ],
  }),

  'email-changing': ({ url }: { url: string }, board: string): EmailMessage => ({
    subject: otherSubjects['email-changing'],
    blocks: [
      t`Someone who knows your password has asked to use another email address for your account at ${board}. It changes when they open the link we sent to that address.`,
      t`If this was you, you don’t need to do anything.`,
      t`If this wasn’t you, change your password immediately. That also cancels the link:`,
      { button: t`Change password`, url },
    ],
  }),

  'email-changed': ({ undoUrl }: { undoUrl?: string | undefined }, board: string): EmailMessage => ({
    subject: otherSubjects['email-changed'],
    blocks: [
      t`Your account at ${board} now has another email address, which was confirmed by a link and the password. Emails no longer come to this one.`,
      t`If this was you, you don’t need to do anything.`,
      ...(undoUrl === undefined
        ? [
            t`If this wasn’t you, someone knows your password: contact the people who run this service, and change the password everywhere else you use it.`,
          ]
        : undoBlocks([undoUrl], t`If this wasn’t you, someone knows your password. Undo it:`)),
    ],
  }),

  'change-undone': ({ isFormer }: { isFormer: boolean }, board: string): EmailMessage => ({
    subject: otherSubjects['change-undone'],
    blocks: [
      isFormer
        ? t`The change of the email address of an account at ${board} to this one was undone by the link in our email to its former address. Emails no longer come to this one.`
        : t`A change to your account at ${board} was undone by the link in our email about it: passkeys and apps added since were removed, every browser was signed out, and a new password was set.`,
      t`If this was you, you don’t need to do anything.`,
      isFormer
        ? t`If the account is yours, contact the people who run this service: only they can change it back.`
        : t`If this wasn’t you, someone can read your emails: change the password of your mailbox first, then choose a new one here.`,
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
    subject: t`More changes to your account`,
    blocks: [
      t`There were more changes to your account at ${board} than we send single emails about in an hour. These are the others:`,
      ...notices.map(
        ({ what, browser, times, time }) =>
          `${subjectOf(what)}${browser === undefined ? '' : ` (${browser})`}: ${times === 1 ? time : t`${times} times, the last on ${time}`}.`,
      ),
      t`If this was you, you don’t need to do anything.`,
      ...(undoUrls.length === 0
        ? checkBlocks(url)
        : undoBlocks(undoUrls, t`If this wasn’t you, undo all of them:`)),
    ],
  }),

  invitation: (
    invited: { url: string; ownerName: string; role: Role | AgentRole; days: number; isOfAgent: boolean },
    board: string,
  ): EmailMessage => ({
    subject: t`You've been invited to ${name(invited.ownerName)}`,
    blocks: [
      t`An admin of ${name(invited.ownerName)} has invited you to its ${invited.isOfAgent ? t`pages` : t`console`} on ${board} as ${roleInWords[invited.role]}.`,
      t`Open this link to join. If you don’t have an account with this email address yet, you can create one there.`,
      { button: t`Join`, url: invited.url },
      t`The link works once, within ${invited.days} days, and only for this address.`,
      t`If you don’t know ${name(invited.ownerName)}, you can ignore this email: no one can join without the link.`,
    ],
  }),

  /** The code is not in the subject, which locked phones show and mail servers log. */
  'sign-in-code': ({ code, minutes }: { code: string; minutes: number }, board: string): EmailMessage => ({
    subject: t`Your code to sign in`,
    blocks: [
      t`Enter this code where you asked for it to sign in at ${board}:`,
      { facts: [[t`Code`, code]] },
      t`The code works once, within ${minutes} minutes, and only in the browser that asked for it.`,
      t`No one will ever ask you for this code. Don’t tell it to anyone.`,
      t`If this wasn’t you, you can ignore this email: no one can sign in without the code.`,
    ],
  }),

  /** Sent instead of a code to people of companies, agents and the board. */
  'no-code': ({ url }: { url: string }, board: string): EmailMessage => ({
    subject: t`How to sign in`,
    blocks: [
      t`Someone, perhaps you, just asked for a code to sign in at ${board}. Codes by email don’t work for your account, because it opens pages of the place where you work.`,
      t`Sign in with your password or a passkey. If you’ve forgotten your password, you can choose a new one there.`,
      { button: t`Sign in`, url },
      t`If this wasn’t you, you can ignore this email.`,
    ],
  }),

  /** The email of `dossier mail test`. */
  test: (_: object, board: string): EmailMessage => ({
    subject: t`Test email from ${board}`,
    blocks: [
      t`The operator of ${board} sent this email to test the mail server. It arrived, so emails can be sent.`,
      t`Check that it isn’t in the spam folder, and that its headers say that SPF, DKIM and DMARC have passed.`,
    ],
  }),
} as const
