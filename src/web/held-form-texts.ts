/** Labels for field names that cannot be derived from the name. */
const names: Record<string, string> = {
  email: 'Email address',
  current: 'Current password',
  letter: 'Cover letter',
}

export const heldFormTexts = {
  title: 'Please send this again',
  expired:
    'Your form was not submitted: the page was open for too long, or you have signed in or out since. Nothing has changed yet.',
  signedIn: (account: string) => `You’re signed in as ${account}. Your form has not been submitted yet.`,
  kept: 'Everything you typed is still here. Check it, and send it again if you still want to.',
  keptNothing: 'Send it again if you still want to.',
  files: 'We can’t keep files. If you had chosen any, please choose them again on the next page.',
  passwords: 'We don’t keep passwords, so please enter them again.',
  typed: (count: number) => (count === 1 ? 'What you typed: 1 field' : `What you typed: ${count} fields`),
  send: 'Send again',
  leave: 'Discard',

  /** A label from a field name: `job-0-jobTitle` becomes "Job 1 job title". */
  nameOf(field: string): string {
    const words = field
      .replaceAll(/-(\d{1,2})-/g, (_, index) => ` ${Number(index) + 1} `)
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      .toLowerCase()
    return names[field] ?? words.slice(0, 1).toUpperCase() + words.slice(1)
  },
}
