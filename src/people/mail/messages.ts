import type { Board } from '../../core/brand/board.ts'
import type { Role } from '../../model/principal.ts'

interface Link {
  url: string
  minutes: number
}

/**
 * What each kind of email says, as data: it is put into words when it is sent, with the board as it is then. None
 * contains text typed by a visitor, because our forms could otherwise deliver any message to any mailbox under our
 * name. The names of advertisers and of the board are set by the operator.
 */
interface Contents {
  confirmation: Link
  'already-registered': Link
  reset: Link
  'password-changed': { forgottenUrl: string }
  'account-removed': object
  'change-email': Link
  'email-changing': { securityUrl: string }
  invitation: { url: string; advertiserName: string; role: Role; days: number }
}

type Kind = keyof Contents
export type Message = { [K in Kind]: { kind: K; to: string } & Contents[K] }[Kind]
export type LinkKind = { [K in Kind]: Contents[K] extends Link ? K : never }[Kind]

export interface Mail {
  to: string
  subject: string
  text: string
}

/** Puts a message into words, from the board that sends it. */
export function mailOf(message: Message, { name, contactUrl }: Pick<Board, 'name' | 'contactUrl'>): Mail {
  const write = writers[message.kind] as (message: Message, board: string) => Omit<Mail, 'to'>
  const { subject, text } = write(message, name)
  const contact = contactUrl && `\nQuestions? Contact ${name}: ${contactUrl.replace(/^mailto:/, '')}\n`
  return { to: message.to, subject, text: text + (contact ?? '') }
}

const linkLifetime = (minutes: number) => `The link works once, within ${minutes} minutes.`

const roleInWords: Record<Role, string> = {
  recruiter: 'a recruiter, who can see its applications',
  admin: 'an admin, who can see and change everything',
}

const writers: { [K in Kind]: (content: Contents[K], board: string) => Omit<Mail, 'to'> } = {
  confirmation: ({ url, minutes }, board) => ({
    subject: 'Confirm your email address',
    text: `Thanks for signing up at ${board}.

Open this link to confirm your email address. If you open it in a different browser, we'll ask for the password you chose.

${url}

${linkLifetime(minutes)}

If this wasn't you, you can ignore this email: the account can't be used without the link.
`,
  }),

  'already-registered': ({ url, minutes }, board) => ({
    subject: 'You already have an account',
    text: `Someone, perhaps you, just tried to use this email address for an account at ${board}. It already has one, and nothing has changed.

If it was you and you've forgotten your password, open this link to choose a new one. You'll be signed out everywhere.

${url}

${linkLifetime(minutes)}

If this wasn't you, you can ignore this email.
`,
  }),

  reset: ({ url, minutes }, board) => ({
    subject: 'Choose a new password',
    text: `We received a request to reset the password of your account at ${board}.

Open this link to choose a new one. You'll be signed out everywhere.

${url}

${linkLifetime(minutes)}

If this wasn't you, you can ignore this email: your password stays the same.
`,
  }),

  'password-changed': ({ forgottenUrl }, board) => ({
    subject: 'Your password was changed',
    text: `The password of your account at ${board} was just changed, and every other browser was signed out.

If this was you, you don't need to do anything.

If this wasn't you, choose a new password immediately:

${forgottenUrl}
`,
  }),

  'account-removed': (_, board) => ({
    subject: 'Your account was deleted',
    text: `Your account at ${board} was just deleted, with your profile, your resumes and your consents. No one can see your profile any longer.

Applications belong to the companies you sent them to. Your personal details are removed from them on the date shown when you deleted your account.

This can't be undone. If this wasn't you, someone knows your password: change it everywhere else you use it. You can sign up again with this address at any time.
`,
  }),

  'change-email': ({ url, minutes }, board) => ({
    subject: 'Confirm your new email address',
    text: `The owner of an account at ${board} wants to use this email address for it from now on.

If that is you, open this link. You'll be asked for your account password.

${url}

${linkLifetime(minutes)}

If this wasn't you, you can ignore this email: nothing changes without the link.
`,
  }),

  'email-changing': ({ securityUrl }, board) => ({
    subject: 'Your email address is about to change',
    text: `Someone who knows your password has asked to use another email address for your account at ${board}. It changes when they open the link we sent to that address.

If this was you, you don't need to do anything.

If this wasn't you, change your password immediately. That also cancels the link:

${securityUrl}
`,
  }),

  invitation: ({ url, advertiserName, role, days }, board) => ({
    subject: `You've been invited to ${advertiserName}`,
    text: `An admin of ${advertiserName} has invited you to its console on ${board} as ${roleInWords[role]}.

Open this link to join. If you don't have an account with this email address yet, you can create one there.

${url}

The link works once, within ${days} days, and only for this address.

If you don't know ${advertiserName}, you can ignore this email: no one can join without the link.
`,
  }),
}
