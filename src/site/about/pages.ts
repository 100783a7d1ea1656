import type { RouteOptions } from 'fastify'
import type { RetentionBounds } from '../../model/retention.ts'
import { linkSeconds } from '../../people/account/links-service.ts'
import { unconfirmedAccountSeconds } from '../../people/account/rules.ts'
import { cleanUpWindowSeconds } from '../../platform/blobs/upload-age.ts'
import { table } from '../../platform/web/components.ts'
import { html } from '../../platform/web/html.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { publicPage } from '../../platform/web/page-routes.ts'

type Periods = {
  consentDays: number
  sessionSeconds: number
  deliveryKeptDays: number
  readDays: number
  draftDays: number
  backupHours: number
  backupKeep: number
}

interface Settings {
  /** Time between the deletion of an account and the erasure of its applications. */
  retentionDays: number
  withdrawnDays: number
  retention: RetentionBounds
  /** Whether the service makes its own backups; others are for the operator to describe. */
  hasBackups: boolean
}

/** Retention periods, from the settings in force: for people, and to be linked from a privacy notice. */
export function aboutDataPage(settings: Settings, limits: Periods): RouteOptions {
  const kept = table({
    caption: 'Kept data, with periods and readers',
    rows: keptData(settings, limits),
    columns: [
      ['What', ([what]) => html`<strong class="named">${what}</strong>`],
      ['How long we keep it', ([, howLong]) => howLong],
      ['Who can see it', ([, , whoSees]) => whoSees],
    ],
  })
  return publicPage.get('/about/data', ({ reply }) => {
    const { name, contactUrl, privacyUrl } = reply.server.board
    const links = [
      [privacyUrl, 'Read the privacy notice'],
      [contactUrl, 'Contact us'],
    ].filter(([url]) => url !== undefined)
    return sendPage(reply, {
      title: 'What we keep, and for how long',
      isWide: true,
      body: html`<p class="lead">${name} keeps what you enter and upload here, shows it to the companies you choose, and to no one else. Every period on this page comes from the settings in force, so it is what really happens.</p>
${kept}
<h2>What you can do</h2>
<ul><li><a href="/account/sharing">See who has your data, and stop sharing it</a></li><li><a href="/account/data">Download a copy of everything, or delete your account</a></li></ul>
<h2>Cookies</h2>
<p>We set cookies only to keep you signed in, to protect forms, to recognise your browser when someone guesses passwords, and to remember the colours you chose. None of them tracks you, and no page loads anything from another website.</p>
${links.length > 0 && html`<h2>Questions</h2><ul>${links.map(([url, label]) => html`<li><a href="${url}">${label}</a></li>`)}</ul>`}`,
    })
  })
}

const day = 86_400

function keptData(settings: Settings, limits: Periods): [what: string, howLong: string, whoSees: string][] {
  const days = (count: number) => periodInWords(count * day)
  return [
    [
      'Your account, profile and resumes',
      'Until you change or delete them. Deleting your account deletes all three at once.',
      'You, and the websites you share them with. You choose what each of them gets.',
    ],
    [
      'Permissions for other websites',
      `${days(limits.consentDays)}, or until you withdraw them. After that, we ask you again. The list of what each website read stays in your account until you delete it.`,
      'You. The website knows only what you allowed.',
    ],
    [
      'Applications and their files',
      `${keptByCompany(settings.retention)} ${erasedAfter(settings)}`,
      'You, and the company you applied to with those who work for it.',
    ],
    [
      'Drafts of applications and their files',
      `${days(limits.draftDays)} after you last saved them, or until you send or discard them or delete your account.`,
      'You.',
    ],
    [
      'Applications in a dispute',
      'Until the company or the operator of this website ends the hold, whatever the periods above say. The page of your application shows it.',
      'The same. The company’s reason is for its own people.',
    ],
    [
      'Status, notes and reads of an application',
      `Until the application is erased. You see who has read it for ${days(limits.readDays)}.`,
      'You see the status and who has read it. The company’s people also see their notes.',
    ],
    [
      'Emails we send you',
      `We don’t keep their text. That one was sent, and what it was about, is kept for ${days(limits.deliveryKeptDays)} after it was sent or could not be delivered.`,
      'The operator of this website.',
    ],
    [
      'Reports about jobs',
      'Three years after the decision. Your email address, if you left one, goes with your account.',
      'The operator of this website. The company doesn’t learn who reported its job.',
    ],
    [
      'Sign-ins: browser and time',
      `${periodInWords(limits.sessionSeconds)}, or until you sign out.`,
      'You, under “Sign-in and security”.',
    ],
    ['Sign-ups that were not confirmed', periodInWords(unconfirmedAccountSeconds), 'No one.'],
    [
      'Links in emails',
      `${periodInWords(linkSeconds)}, or until they are used.`,
      'The owner of the email address.',
    ],
    [
      'The bytes of deleted files',
      // All uploads of a day are removed together, a day after that day has ended.
      `At most ${periodInWords(cleanUpWindowSeconds + day)} after the deletion.`,
      'No one.',
    ],
    ...(settings.hasBackups ? [backups(limits)] : []),
  ]
}

const backups = ({ backupKeep, backupHours }: Periods): [string, string, string] => [
  'Copies of all this in backups',
  // The oldest set is removed when the next one is made.
  `About ${periodInWords(backupKeep * backupHours * 3_600)} after it was deleted or erased here.`,
  'The operator of this website, to restore what was lost.',
]

function keptByCompany({ standard, min, max }: RetentionBounds): string {
  const bounds = `${inMonths(min)} to ${inMonths(max)}`
  return standard === null
    ? `As long as the company keeps them here, or for the period it has chosen: ${bounds} after you sent them.`
    : `${inMonths(standard)} after you sent them, unless the company has chosen another period: ${bounds}.`
}

function erasedAfter({ withdrawnDays, retentionDays }: Settings): string {
  const later = (count: number) => (count === 0 ? 'at once' : `${periodInWords(count * day)} later`)
  const end =
    withdrawnDays === retentionDays
      ? `If you withdraw an application or delete your account, that happens ${later(retentionDays)}.`
      : `If you withdraw an application, that happens ${later(withdrawnDays)}; if you delete your account, ${later(retentionDays)}.`
  return `The form shows the period before you apply. After that, names, contact details, answers and files are erased. ${end}`
}

const inMonths = (months: number) => (months === 1 ? '1 month' : `${months} months`)

/** A period in the reader's words: 90 seconds, 20 minutes, 24 hours, 30 days. */
function periodInWords(seconds: number): string {
  // The largest unit that divides the period and leaves more than one of it, so that a day reads as 24 hours.
  const [length, inUnit] = units.find(([size]) => seconds % size === 0 && seconds / size > 1) ?? [
    1,
    inSeconds,
  ]
  return inUnit(seconds / length)
}

const inSeconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`)

const units: readonly (readonly [number, (count: number) => string])[] = [
  [day, count => `${count} days`],
  [3_600, count => `${count} hours`],
  [60, count => `${count} minutes`],
  [1, inSeconds],
]
