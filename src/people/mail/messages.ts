import type { Role } from '../../model/principal.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

/**
 * Every email that the service sends. None contains text typed by a visitor, because our forms could otherwise
 * deliver any message to any mailbox under our name. The name of an advertiser is set by the operator.
 */

export interface LinkMail {
  to: string
  url: string
  minutes: number
}

const linkLifetime = (minutes: number) => `The link works once, within ${minutes} minutes.`

export function confirmationMail({ to, url, minutes }: LinkMail): Mail {
  return {
    to,
    subject: 'Confirm your email address',
    text: `Thanks for signing up for Dossier.

Open this link to confirm your email address. If you open it in a different browser, we'll ask for the password you chose.

${url}

${linkLifetime(minutes)}

If this wasn't you, you can ignore this email: the account can't be used without the link.
`,
  }
}

export function alreadyRegisteredMail({ to, url, minutes }: LinkMail): Mail {
  return {
    to,
    subject: 'You already have an account',
    text: `Someone, perhaps you, just tried to use this email address for a Dossier account. It already has one, and nothing has changed.

If it was you and you've forgotten your password, open this link to choose a new one. You'll be signed out everywhere.

${url}

${linkLifetime(minutes)}

If this wasn't you, you can ignore this email.
`,
  }
}

export function resetMail({ to, url, minutes }: LinkMail): Mail {
  return {
    to,
    subject: 'Choose a new password',
    text: `We received a request to reset the password of your Dossier account.

Open this link to choose a new one. You'll be signed out everywhere.

${url}

${linkLifetime(minutes)}

If this wasn't you, you can ignore this email: your password stays the same.
`,
  }
}

export function passwordChangedNotice({ to, forgottenUrl }: { to: string; forgottenUrl: string }): Mail {
  return {
    to,
    subject: 'Your password was changed',
    text: `The password of your Dossier account was just changed, and every other browser was signed out.

If this was you, you don't need to do anything.

If this wasn't you, choose a new password immediately:

${forgottenUrl}
`,
  }
}

export function accountRemovedNotice({ to }: { to: string }): Mail {
  return {
    to,
    subject: 'Your account was deleted',
    text: `Your Dossier account was just deleted, with your profile, your resumes and your consents. No one can see your profile any longer.

Applications belong to the companies you sent them to. Your personal details are removed from them on the date shown when you deleted your account.

This can't be undone. If this wasn't you, someone knows your password: change it everywhere else you use it. You can sign up again with this address at any time.
`,
  }
}

export function changeEmailMail({ to, url, minutes }: LinkMail): Mail {
  return {
    to,
    subject: 'Confirm your new email address',
    text: `The owner of a Dossier account wants to use this email address for it from now on.

If that is you, open this link. You'll be asked for your account password.

${url}

${linkLifetime(minutes)}

If this wasn't you, you can ignore this email: nothing changes without the link.
`,
  }
}

export function changeEmailNotice({ to, securityUrl }: { to: string; securityUrl: string }): Mail {
  return {
    to,
    subject: 'Your email address is about to change',
    text: `Someone who knows your password has asked to use another email address for your Dossier account. It changes when they open the link we sent to that address.

If this was you, you don't need to do anything.

If this wasn't you, change your password immediately. That also cancels the link:

${securityUrl}
`,
  }
}

const roleInWords: Record<Role, string> = {
  recruiter: 'a recruiter, who can see its applications',
  admin: 'an admin, who can see and change everything',
}

export function invitationMail(invitation: {
  to: string
  url: string
  advertiserName: string
  role: Role
  days: number
}): Mail {
  const { to, url, advertiserName, role, days } = invitation
  return {
    to,
    subject: `You've been invited to ${advertiserName}`,
    text: `An admin of ${advertiserName} has invited you to its console on Dossier as ${roleInWords[role]}.

Open this link to join. If you don't have an account with this email address yet, you can create one there.

${url}

The link works once, within ${days} days, and only for this address.

If you don't know ${advertiserName}, you can ignore this email: no one can join without the link.
`,
  }
}
