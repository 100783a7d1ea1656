import type { RetentionBounds } from '../../model/retention.ts'

/** In the reader's words: 90 seconds, 20 minutes, 24 hours, 30 days. */
export function periodInWords(seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const
  // The largest unit that divides the period and leaves more than one of it, so that a day reads as 24 hours.
  const [unit, length] = units.find(([, size]) => seconds % size === 0 && seconds / size > 1) ?? ['second', 1]
  const count = seconds / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const inMonths = (months: number) => (months === 1 ? '1 month' : `${months} months`)
const later = (period: string | undefined) => (period === undefined ? 'at once' : `${period} later`)

export const aboutDataTexts = {
  title: 'What we keep, and for how long',
  lead: (board: string) =>
    `${board} keeps what you enter and upload here, shows it to the companies you choose, and to no one else. Every period on this page comes from the settings in force, so it is what really happens.`,
  what: 'What',
  howLong: 'How long we keep it',
  whoSees: 'Who can see it',
  caption: 'Kept data, with periods and readers',
  rows: {
    profile: {
      what: 'Your account, profile and resumes',
      howLong: 'Until you change or delete them. Deleting your account deletes all three at once.',
      whoSees: 'You, and the websites you share them with. You choose what each of them gets.',
    },
    consents: {
      what: 'Permissions for other websites',
      howLong: (days: string) =>
        `${days}, or until you withdraw them. After that, we ask you again. The list of what each website read stays in your account until you delete it.`,
      whoSees: 'You. The website knows only what you allowed.',
    },
    applications: {
      what: 'Applications and their files',
      howLong: (
        { standard, min, max }: RetentionBounds,
        withdrawn: string | undefined,
        deleted: string | undefined,
      ) =>
        `${
          standard === null
            ? `As long as the company keeps them here, or for the period it has chosen: ${inMonths(min)} to ${inMonths(max)} after you sent them.`
            : `${inMonths(standard)} after you sent them, unless the company has chosen another period: ${inMonths(min)} to ${inMonths(max)}.`
        } The form shows the period before you apply. After that, names, contact details, answers and files are erased. ${
          withdrawn === deleted
            ? `If you withdraw an application or delete your account, that happens ${later(deleted)}.`
            : `If you withdraw an application, that happens ${later(withdrawn)}; if you delete your account, ${later(deleted)}.`
        }`,
      whoSees: 'You, and the company you applied to with those who work for it.',
    },
    disputes: {
      what: 'Applications in a dispute',
      howLong:
        'Until the company or the operator of this website ends the hold, whatever the periods above say. The page of your application shows it.',
      whoSees: 'The same. The company’s reason is for its own people.',
    },
    history: {
      what: 'Status, notes and reads of an application',
      howLong: (readDays: string) =>
        `Until the application is erased. You see who has read it for ${readDays}.`,
      whoSees: 'You see the status and who has read it. The company’s people also see their notes.',
    },
    emails: {
      what: 'Emails we send you',
      howLong: (period: string) =>
        `We don’t keep their text. That one was sent, and what it was about, is kept for ${period} after it was sent or could not be delivered.`,
      whoSees: 'The operator of this website.',
    },
    sessions: {
      what: 'Sign-ins: browser and time',
      howLong: (period: string) => `${period}, or until you sign out.`,
      whoSees: 'You, under “Sign-in and security”.',
    },
    unconfirmed: {
      what: 'Sign-ups that were not confirmed',
      howLong: (period: string) => period,
      whoSees: 'No one.',
    },
    links: {
      what: 'Links in emails',
      howLong: (period: string) => `${period}, or until they are used.`,
      whoSees: 'The owner of the email address.',
    },
    files: {
      what: 'The bytes of deleted files',
      howLong: (period: string) => `At most ${period} after the deletion.`,
      whoSees: 'No one.',
    },
    backups: {
      what: 'Copies of all this in backups',
      howLong: (period: string) => `About ${period} after it was deleted or erased here.`,
      whoSees: 'The operator of this website, to restore what was lost.',
    },
  },
  rightsTitle: 'What you can do',
  rights: [
    { href: '/account/sharing', text: 'See who has your data, and stop sharing it' },
    { href: '/account/data', text: 'Download a copy of everything, or delete your account' },
  ],
  cookiesTitle: 'Cookies',
  cookies:
    'We set cookies only to keep you signed in, to protect forms, to recognise your browser when someone guesses passwords, and to remember the colours you chose. None of them tracks you, and no page loads anything from another website.',
  contactTitle: 'Questions',
  contact: 'Contact us',
  privacy: 'Read the privacy notice',
} as const
