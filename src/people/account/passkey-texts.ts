import type { PasskeyRefusal } from '../factors/ports.ts'

/** Texts of the button for passkeys, and of what comes back. */
export const passkeyTexts = {
  signIn: 'Sign in with a passkey',
  secondStep: 'Use a passkey',
  confirm: 'Confirm with a passkey',
  failed: {
    get: 'That didn’t work, or it was cancelled. Try again, or use another way.',
    create: 'That didn’t work, or it was cancelled. Try again, perhaps with another device.',
  },
  known: 'This device already has a passkey for your account.',
  refused: {
    expired: 'This page was open for too long. Please use your passkey again.',
    wrong:
      'This passkey isn’t known here, or its answer has already been used. Try again, or use another way.',
    unverified:
      'This passkey didn’t check that it’s you, so it works after your password only. Enter your password.',
    copied:
      'This passkey was refused, because it seems to have been copied. Use another way, then remove it from your account.',
  } satisfies Record<PasskeyRefusal, string>,
} as const
