import type { Role } from '../../model/principal.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

/**
 * Every mail that the service sends. None of them has a word in it that a stranger has typed: the forms would
 * otherwise carry anybody's message to anybody's mailbox under our name. The name of an advertiser is the operator's.
 */

export interface LinkMail {
  to: string
  url: string
  minutes: number
}

const lasts = (minutes: number) => `The link works once, within ${minutes} minutes.`

export function confirmationMail({ to, url, minutes }: LinkMail): Mail {
  return {
    to,
    subject: 'Confirm your e-mail address',
    text: `Somebody, most likely you, has signed up at Dossier with this e-mail address.

Open this link to confirm it. In another browser than the one that you signed up with, you will be asked for the password that you chose.

${url}

${lasts(minutes)}

If it was not you, there is nothing to do: without the link the account cannot be used.
`,
  }
}

export function alreadyRegisteredMail({ to, url, minutes }: LinkMail): Mail {
  return {
    to,
    subject: 'You already have an account',
    text: `Somebody, perhaps you, has just wanted to use this e-mail address for an account at Dossier. It has one already, and nothing has changed.

If it was you and you have forgotten the password, choose a new one here. It signs you out everywhere.

${url}

${lasts(minutes)}

If it was not you, there is nothing to do.
`,
  }
}

export function resetMail({ to, url, minutes }: LinkMail): Mail {
  return {
    to,
    subject: 'Choose a new password',
    text: `Somebody, most likely you, has asked for a new password for your account at Dossier.

Open this link to choose one. It signs you out everywhere.

${url}

${lasts(minutes)}

If it was not you, there is nothing to do: your password stays as it is.
`,
  }
}

export function passwordChangedNotice({ to, forgottenUrl }: { to: string; forgottenUrl: string }): Mail {
  return {
    to,
    subject: 'Your password was changed',
    text: `The password of your account at Dossier was changed just now, and every other browser was signed out.

If it was you, there is nothing to do.

If it was not you, choose a new one at once:

${forgottenUrl}
`,
  }
}

export function accountRemovedNotice({ to }: { to: string }): Mail {
  return {
    to,
    subject: 'Your account was deleted',
    text: `Your account at Dossier was deleted just now, with your profile, your resumes and your consents. Whoever could ask for your profile cannot any more.

Applications that you have made belong to the advertisers that you made them to. What is personal in them is removed here when the time for it has come, as the page said.

This cannot be undone. If it was not you, somebody knows your password: change it wherever else you use it. You may sign up again with this address at any time.
`,
  }
}

export function changeEmailMail({ to, url, minutes }: LinkMail): Mail {
  return {
    to,
    subject: 'Confirm your new e-mail address',
    text: `The owner of an account at Dossier wants to use this e-mail address for it from now on.

If that is you, open this link. You will be asked for the password of the account.

${url}

${lasts(minutes)}

If it was not you, there is nothing to do: nothing changes without the link.
`,
  }
}

export function changeEmailNotice({ to, securityUrl }: { to: string; securityUrl: string }): Mail {
  return {
    to,
    subject: 'Your e-mail address is about to change',
    text: `Somebody who knows your password has asked to use another e-mail address for your account at Dossier. It changes when the link in a mail to that address is opened.

If it was you, there is nothing to do.

If it was not you, change your password at once, which also makes that link useless:

${securityUrl}
`,
  }
}

const roleInWords: Record<Role, string> = {
  recruiter: 'a recruiter, who sees its applications',
  admin: 'an admin, who sees and changes everything of it',
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
    subject: `Work with ${advertiserName} at Dossier`,
    text: `An admin of ${advertiserName} has invited you to its console at Dossier as ${roleInWords[role]}.

Open this link to join. If you have no account with this e-mail address yet, you can make one there.

${url}

The link works once, within ${days} days, and only for this address.

If you do not know ${advertiserName}, there is nothing to do: without the link nobody joins.
`,
  }
}
