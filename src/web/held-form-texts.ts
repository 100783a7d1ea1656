/** Names of fields that do not say by themselves what they are. */
const names: Record<string, string> = {
  email: 'E-mail address',
  current: 'Current password',
  letter: 'Cover letter',
}

export const heldFormTexts = {
  title: 'Please send this once more',
  expired:
    'What you sent was not taken: the page was open for too long, or you have signed in or out since. Nothing has changed yet.',
  signedIn: (account: string) =>
    `You are signed in as ${account}. What you sent before has not been taken yet.`,
  kept: 'Everything that you typed is still here. Look at it, and send it again if you still want to.',
  keptNothing: 'Send it again if you still want to.',
  files: 'Files cannot be kept: if you had chosen any, please choose them again on the next page.',
  passwords: 'Passwords are not kept, so please type them again.',
  typed: (count: number) => (count === 1 ? 'What you typed: 1 field' : `What you typed: ${count} fields`),
  send: 'Send it again',
  leave: 'Leave it',

  /** `job-0-jobTitle` is a name for programs: "Job 1 job title". */
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
