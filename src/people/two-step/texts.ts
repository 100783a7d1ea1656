import { stripBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

/** Texts of "Two-step sign-in". */
export const factorTexts = {
  title: 'Passkeys and two-step sign-in',
  security: 'Sign-in and security',
  lead: 'With a passkey or two-step sign-in, a stolen password isn’t enough to get into your account.',
  needed:
    'To continue, add a passkey or an authenticator app. The page you wanted to open isn’t available without it.',
  noKey:
    'Two-step sign-in isn’t available on this service yet: the people who run it have to set SECRETS_KEY first.',
  done: {
    'app-added': 'The authenticator app is set up. Your recovery codes stay the same.',
    'app-removed': 'The authenticator app is removed.',
    'passkey-added': 'The passkey is added. Your recovery codes stay the same.',
    'passkey-removed':
      'The passkey is removed. You may also delete it from the device or password manager that has it.',
    renamed: 'The passkey has its new name.',
    'not-there': 'It has already been removed.',
  },

  passkeys: 'Passkeys',
  passkeysText:
    'A passkey signs you in with your fingerprint, your face or the PIN of your device, without a password. It works on this site only, so no one can trick you out of it.',
  addPasskey: 'Add passkey',
  passkeyUsed: (since: Html, used: Html): Html => html`Added ${since}, last used ${used}.`,
  elsewhere: (host: string): string =>
    `It was made for ${host} and doesn’t work here any longer. Remove it and add a new one.`,
  name: 'Name',
  rename: (name: Html): Html => html`Rename ${name}`,
  saveName: 'Save name',
  removePasskey: 'Remove',
  removePasskeyOf: (name: string): string => `Remove passkey ${stripBidi(name)}`,

  makePasskey: {
    title: 'Add passkey',
    text: 'Your device asks for your fingerprint, your face or its PIN. You can also use a security key, or your phone.',
    without:
      'Your browser can’t make passkeys, or scripts are switched off. Use a different browser, or set up an authenticator app.',
    nameHint: 'So that you recognise it in your list.',
    submit: 'Create passkey',
    cancel: 'Cancel',
    expired: 'This page was open for too long. Please try again.',
    wrong: 'We couldn’t read what your device answered. Please try again.',
    known: 'This passkey belongs to an account already.',
    tooMany: (max: number): string =>
      `You have ${max} passkeys, which is the most we keep. Remove one first.`,
    noName:
      'Passkeys need a name for this service, such as jobs.example.com, but its AUTH_URL has an IP address.',
    nameFault: (max: number): string => `Enter a name of one line and at most ${max} characters.`,
  },

  app: 'Authenticator app',
  appOn: (since: Html, used: Html): Html => html`Added ${since}, last used ${used}.`,
  appOff: 'An app on your phone shows a new code every 30 seconds. Any app for one-time codes works.',
  addApp: 'Set up authenticator app',
  removeApp: 'Remove app',

  codes: 'Recovery codes',
  codesLeft: (left: number): string =>
    left === 0
      ? 'You have no recovery codes left. Get new ones now: without them you can’t sign in if you lose your device.'
      : `You have ${left} unused recovery ${left === 1 ? 'code' : 'codes'}. Each signs you in once if you lose your device.`,
  renewCodes: 'Get new recovery codes',
  renewHint: 'The old ones stop working.',

  enrol: {
    title: 'Set up authenticator app',
    scan: 'Open your authenticator app and scan this picture.',
    picture: 'QR code for your authenticator app',
    typeIt: 'Can’t scan it? Enter this key in the app:',
    code: 'Code that the app shows now',
    hint: 'Six digits. This proves that the app is set up.',
    submit: 'Set up app',
    cancel: 'Cancel',
    wrong: 'This code is wrong. Check that your phone shows the right time, and enter the code it shows now.',
    expired: 'This page was open for too long. Here is a new picture: scan it again.',
    hasOne: 'You already have an authenticator app. Remove it first if you want to use a different one.',
  },

  shown: {
    title: 'Save your recovery codes',
    on: 'Two-step sign-in is on, and you’re signed out everywhere else.',
    renewed: 'These are your new recovery codes. The old ones no longer work.',
    text: 'Each code signs you in once, together with your password, if you don’t have your device. Print them or keep them in a password manager: we can’t show them again.',
    done: 'I’ve saved them',
  },
} as const
