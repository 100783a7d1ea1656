import { isDocument } from '../../model/application.ts'
import { type ApplicationStatus, candidateStatusLabels } from '../../model/application-status.ts'
import type { Notice } from '../../model/notice.ts'
import { dateText } from '../../platform/core/locale.ts'
import { type EmailMessage, type Fact, name } from './email-message.ts'
import type { NewApplications, NoticeSubjects, SentApplication } from './ports.ts'

/** Context of the texts, besides their subject. */
export interface NoticeFrame {
  board: string
  /** Origin of the pages for signed-in people. */
  origin: string
  /** A date in words. */
  day(at: number): string
  time(at: number): string
}

type Writers = {
  [Kind in Notice['kind']]: (
    subject: NoticeSubjects[Kind],
    notice: Extract<Notice, { kind: Kind }>,
    frame: NoticeFrame,
  ) => EmailMessage
}

const fileLabels = {
  resume: 'Resume',
  coverLetter: 'Cover letter',
  selectionCriteria: 'Selection criteria',
} as const

const jobAt = ({ jobTitle, advertiserName }: SentApplication) =>
  `${name(jobTitle)} at ${name(advertiserName)}`

function receiptOf(sent: SentApplication, applicationId: number, { time }: NoticeFrame): Fact[] {
  return [
    ['Job', name(sent.jobTitle)],
    ['Company', name(sent.advertiserName)],
    ...(sent.jobLocation === '' ? [] : [['Location', name(sent.jobLocation)] as const]),
    ['Sent', time(sent.submittedAt)],
    ['Reference number', String(applicationId)],
    ...sent.files.map(
      ({ type, fileName }) => [isDocument(type) ? fileLabels[type] : 'File', name(fileName)] as const,
    ),
    ...(sent.hasAnswers ? [['Questions', 'Answered'] as const] : []),
  ]
}

const ownPage = (origin: string, applicationId: number) => `${origin}/account/applications/${applicationId}`
const consolePage = (origin: string, advertiserId: number, path: string) =>
  `${origin}/console/${advertiserId}${path}`

const statusWords: Partial<Record<ApplicationStatus, string>> = {
  seen: 'The company has opened your application.',
  'in-review': 'The company is reviewing your application.',
  shortlisted: 'The company has put you on its shortlist. It will contact you about the next step.',
  interview: 'The company wants to interview you. It will contact you to arrange it.',
  offer: 'The company wants to offer you this job. It will contact you with the details.',
  'not-suitable': 'The company has decided not to continue with your application.',
  hired: 'The company has marked your application as hired. Congratulations!',
}

export const inNumbers = (count: number, one: string, many: string) =>
  count === 1 ? `1 ${one}` : `${count} ${many}`

const newOnes = (count: number) => inNumbers(count, 'new application', 'new applications')

const titleOf = (jobTitle: string | null) =>
  jobTitle === null ? 'for a job that isn’t advertised here' : name(jobTitle)

function perAd({ ads, others }: NewApplications): Fact[] {
  return [
    ...ads.map(({ jobTitle, count }): Fact => [String(count), titleOf(jobTitle)]),
    ...(others === 0 ? [] : [[String(others), 'for other jobs'] as const]),
  ]
}

function withdrawnFacts(withdrawn: NewApplications['withdrawn'], withdrawals: number): Fact[] {
  const others = withdrawals - withdrawn.length
  return [
    ...withdrawn.map(({ id, jobTitle }): Fact => [`Application ${id}`, titleOf(jobTitle)]),
    ...(others === 0 ? [] : [['Others', String(others)] as const]),
  ]
}

/** Emails about events of an application or of a candidate's data. Emails to companies name no candidate. */
export const noticeEmails: Writers = {
  'application-sent': (sent, { applicationId }, frame) => ({
    subject: `Application sent: ${name(sent.jobTitle)}`,
    blocks: [
      `${name(sent.advertiserName)} has received your application. This is what you sent:`,
      { facts: receiptOf(sent, applicationId, frame) },
      { button: 'View application', url: ownPage(frame.origin, applicationId) },
      'There you can also follow its status and withdraw it.',
    ],
  }),

  'status-changed': (sent, { applicationId, status }, { origin }) => ({
    subject: `${candidateStatusLabels[status]}: ${name(sent.jobTitle)}`,
    blocks: [
      `The status of your application for ${jobAt(sent)} is now “${candidateStatusLabels[status]}”.`,
      ...(statusWords[status] === undefined ? [] : [statusWords[status]]),
      { button: 'View application', url: ownPage(origin, applicationId) },
    ],
  }),

  'application-withdrawn': (sent, { applicationId }, { origin }) => ({
    subject: `Application withdrawn: ${name(sent.jobTitle)}`,
    blocks: [
      `You’ve withdrawn your application for ${jobAt(sent)}. The company sees that it was withdrawn, and your personal details will be removed from it.`,
      { button: 'View application', url: ownPage(origin, applicationId) },
      'If this wasn’t you, change your password.',
    ],
  }),

  'keep-ending': (sent, { applicationId }, { origin }) => ({
    subject: `${name(sent.advertiserName)} may soon no longer keep your application for other jobs`,
    blocks: [
      `You let ${name(sent.advertiserName)} keep your application for ${name(sent.jobTitle)} for other jobs until ${dateText(Date.parse(sent.keptUntil), { dateStyle: 'long', timeZone: 'UTC' })}. After that, it is kept no longer than any other.`,
      'You need to do nothing. If you want to end this earlier, you can do so on the page of the application.',
      { button: 'View application', url: ownPage(origin, applicationId) },
    ],
  }),

  'first-disclosure': ({ clientName, advertiserName }, _, { board, origin }) => ({
    subject: `${name(clientName)} has received data from your profile`,
    blocks: [
      advertiserName === null
        ? `${name(clientName)} has received data from your profile at ${board} for the first time, as you allowed.`
        : `${name(clientName)} has received data from your profile at ${board} for the first time, as you allowed, for an application to ${name(advertiserName)}.`,
      'You can see what it received, and end its access at any time.',
      { button: 'See who has my data', url: `${origin}/account/sharing` },
      'If you didn’t allow this, end the access there and change your password.',
    ],
  }),

  'new-applications': (found, { advertiserId, withdrawals = 0 }, { origin }) => {
    const company = name(found.advertiserName)
    const [only] = found.withdrawn
    const isOnlyOne = found.count === 0 && withdrawals === 1 && only !== undefined
    return {
      subject: isOnlyOne
        ? `Application ${only.id} was withdrawn`
        : found.count === 0
          ? `${withdrawals} applications to ${company} were withdrawn`
          : `${newOnes(found.count)} for ${company}`,
      blocks: [
        ...(found.count === 0
          ? []
          : [`${company} has received ${newOnes(found.count)}:`, { facts: perAd(found) }]),
        ...(withdrawals === 0
          ? []
          : [
              `Candidates have withdrawn ${inNumbers(withdrawals, 'application', 'applications')} to ${company}. Their personal details will be removed:`,
              { facts: withdrawnFacts(found.withdrawn, withdrawals) },
            ]),
        {
          button: isOnlyOne ? 'View application' : 'View applications',
          url: consolePage(origin, advertiserId, `/applications${isOnlyOne ? `/${only.id}` : ''}`),
        },
      ],
    }
  },

  'retention-shortened': ({ advertiserName, months, changesAt }, { advertiserId }, { origin, day }) => ({
    subject: `${name(advertiserName)} will keep applications for a shorter time`,
    blocks: [
      `The time for which ${name(advertiserName)} keeps applications has been shortened to ${inNumbers(months, 'month', 'months')} after they were sent.`,
      `The change takes effect on ${day(changesAt)}. From then on, older applications are erased: names, contact details, answers and files are removed for good. Until then, an admin can see what will be erased, and take back what the company has chosen.`,
      { button: 'Open console', url: consolePage(origin, advertiserId, '') },
    ],
  }),

  'webhook-failing': ({ ownerName, url, since, isGone, isKeyLost, givenUp }, notice, { origin, time }) => {
    const { endpointId, isStopped } = notice
    const button = {
      button: 'Open endpoint',
      url:
        'agentId' in notice
          ? `${origin}/agent/${notice.agentId}/webhooks/endpoints/${endpointId}`
          : consolePage(origin, notice.advertiserId, `/events/endpoints/${endpointId}`),
    }
    return {
      subject: givenUp
        ? `${inNumbers(givenUp.events, 'event', 'events')} could not be delivered to ${name(ownerName)}`
        : isStopped
          ? `Webhooks of ${name(ownerName)} have stopped`
          : `Webhooks of ${name(ownerName)} are failing`,
      blocks: givenUp
        ? [
            `We have stopped trying to send ${inNumbers(givenUp.events, 'event', 'events')} to this endpoint of ${name(ownerName)}. It rejected every attempt of several days, and accepted other events:`,
            {
              facts: [
                ['Endpoint', name(url)],
                ['Last failure', time(givenUp.lastAt)],
              ],
            },
            'The endpoint’s page shows the answers. Once your program accepts these events, press “Send again what was set aside”. We keep them for as long as other events.',
            button,
          ]
        : [
            isKeyLost
              ? `We no longer send events to this endpoint of ${name(ownerName)}, because this service was restored without the key that signs them:`
              : isStopped
                ? isGone
                  ? `We no longer send events to this endpoint of ${name(ownerName)}, because it answered that it is gone for good:`
                  : `We no longer send events to this endpoint of ${name(ownerName)}, because it has not accepted one for five days:`
                : `We can’t deliver events to this endpoint of ${name(ownerName)}:`,
            {
              facts: [
                ['Endpoint', name(url)],
                [isKeyLost ? 'Paused' : 'Failing since', time(since)],
              ],
            },
            isKeyLost
              ? 'No event is lost as long as we keep it. Make a new secret for the endpoint, give it to your receiver, and resume it.'
              : isStopped
                ? 'No event is lost as long as we keep it. When the endpoint works again, resume it: it continues where it stopped.'
                : 'We keep trying, and no event is lost. If the endpoint accepts none within five days of the first failure, we stop.',
            button,
          ],
    }
  },
}
