import { type Html, html } from '../../web/html.ts'

/** Texts of "Two-step sign-in". */
export const factorTexts = {
  title: 'Two-step sign-in',
  security: 'Sign-in and security',
  lead: 'With two-step sign-in, a stolen password isn’t enough: we also ask for a code from your phone.',
  needed: 'To continue, set up two-step sign-in. The page you wanted to open isn’t available without it.',
  noKey:
    'Two-step sign-in isn’t available on this service yet: the people who run it have to set SECRETS_KEY first.',
  done: {
    'app-removed': 'The authenticator app is removed. Signing in takes your password only.',
    'not-there': 'There is no authenticator app: it has already been removed.',
  },

  app: 'Authenticator app',
  appOn: (since: Html, used: Html): Html => html`Added ${since}, last used ${used}.`,
  appOff: 'An app on your phone shows a new code every 30 seconds. Any app for one-time codes works.',
  addApp: 'Set up authenticator app',
  removeApp: 'Remove app',

  codes: 'Recovery codes',
  codesLeft: (left: number): string =>
    left === 0
      ? 'You have no recovery codes left. Get new ones now: without them you can’t sign in if you lose your phone.'
      : `You have ${left} unused recovery ${left === 1 ? 'code' : 'codes'}. Each signs you in once if you lose your phone.`,
  renewCodes: 'Get new recovery codes',
  renewHint: 'The old ones stop working.',

  enrol: {
    title: 'Set up authenticator app',
    scan: 'Open your authenticator app and scan this picture.',
    picture: 'QR code for your authenticator app',
    typeIt: 'Can’t scan it? Enter this key in the app:',
    code: 'Code that the app shows now',
    hint: 'Six digits. This proves that the app is set up.',
    submit: 'Turn on two-step sign-in',
    cancel: 'Cancel',
    wrong: 'This code is wrong. Check that your phone shows the right time, and enter the code it shows now.',
    expired: 'This page was open for too long. Here is a new picture: scan it again.',
    hasOne: 'You already have an authenticator app. Remove it first if you want to use a different one.',
  },

  shown: {
    title: 'Save your recovery codes',
    on: 'Two-step sign-in is on, and you’re signed out everywhere else.',
    renewed: 'These are your new recovery codes. The old ones no longer work.',
    text: 'Each code signs you in once if you don’t have your phone. Print them or keep them in a password manager: we can’t show them again.',
    done: 'I’ve saved them',
  },
} as const
