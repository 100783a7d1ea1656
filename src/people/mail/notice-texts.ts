import { type ApplicationStatus, candidateStatusLabels } from '../../model/application-status.ts'
import type { Notice } from '../../model/notice.ts'
import { type Fact, type Letter, name } from './letter.ts'
import type { NewApplications, NoticeSubjects, SentApplication } from './ports.ts'

/** What the texts know besides their subject. */
export interface NoticeFrame {
  board: string
  /** Of the pages for signed-in people. */
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
  ) => Letter
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
    ...sent.files.map(({ type, fileName }) => [fileLabels[type], name(fileName)] as const),
    ...(sent.hasAnswers ? [['Questions', 'Answered'] as const] : []),
  ]
}

const ownPage = (origin: string, applicationId: number) => `${origin}/account/applications/${applicationId}`
const consolePage = (origin: string, advertiserId: number, path: string) =>
  `${origin}/console/${advertiserId}${path}`

const statusWords: Partial<Record<ApplicationStatus, string>> = {
  shortlisted: 'The company has put you on its shortlist. It will contact you about the next step.',
  'not-suitable': 'The company has decided not to continue with your application.',
  hired: 'The company has marked your application as hired. Congratulations!',
}

export const inNumbers = (count: number, one: string, many: string) =>
  count === 1 ? `1 ${one}` : `${count} ${many}`

const newOnes = (count: number) => inNumbers(count, 'new application', 'new applications')

function perAd({ ads, others }: NewApplications): Fact[] {
  return [
    ...ads.map(
      ({ jobTitle, count }): Fact => [
        String(count),
        jobTitle === null ? 'for a job that isn’t advertised here' : name(jobTitle),
      ],
    ),
    ...(others === 0 ? [] : [[String(others), 'for other jobs'] as const]),
  ]
}

/** Emails about what happened to an application or to a candidate's data. Those to companies name no candidate. */
export const noticeLetters: Writers = {
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

  'first-disclosure': ({ clientName, advertiserName }, _, { board, origin }) => ({
    subject: `${name(clientName)} has received data from your profile`,
    blocks: [
      `${name(clientName)} has received data from your profile at ${board} for the first time, as you allowed${advertiserName === null ? '' : `, for an application to ${name(advertiserName)}`}.`,
      'You can see what it received, and end its access at any time.',
      { button: 'See who has my data', url: `${origin}/account/sharing` },
      'If you didn’t allow this, end the access there and change your password.',
    ],
  }),

  'new-applications': (found, { advertiserId }, { origin }) => ({
    subject: `${newOnes(found.count)} for ${name(found.advertiserName)}`,
    blocks: [
      `${name(found.advertiserName)} has received ${newOnes(found.count)}:`,
      { facts: perAd(found) },
      { button: 'View applications', url: consolePage(origin, advertiserId, '/applications') },
    ],
  }),

  'candidate-withdrew': ({ jobTitle, advertiserName }, { advertiserId, applicationId }, { origin }) => ({
    subject: `Application ${applicationId} was withdrawn`,
    blocks: [
      `A candidate has withdrawn application ${applicationId} ${jobTitle === null ? '' : `for ${name(jobTitle)} `}to ${name(advertiserName)}. Their personal details will be removed from it.`,
      {
        button: 'View application',
        url: consolePage(origin, advertiserId, `/applications/${applicationId}`),
      },
    ],
  }),

  'retention-shortened': ({ advertiserName, months, changesAt }, { advertiserId }, { origin, day }) => ({
    subject: `${name(advertiserName)} will keep applications for a shorter time`,
    blocks: [
      `The time for which ${name(advertiserName)} keeps applications has been shortened to ${inNumbers(months, 'month', 'months')} after they were sent.`,
      `The change takes effect on ${day(changesAt)}. From then on, older applications are erased: names, contact details, answers and files are removed for good. Until then, an admin can see what will be erased, and take back what the company has chosen.`,
      { button: 'Open console', url: consolePage(origin, advertiserId, '') },
    ],
  }),

  'webhook-failing': (
    { advertiserName, url, since, isGone },
    { advertiserId, endpointId, isStopped },
    { origin, time },
  ) => ({
    subject: `Webhooks of ${name(advertiserName)} ${isStopped ? 'have stopped' : 'are failing'}`,
    blocks: [
      isStopped
        ? `We no longer send events to this endpoint of ${name(advertiserName)}, because it ${isGone ? 'answered that it is gone for good' : 'has not accepted one for five days'}:`
        : `We can’t deliver events to this endpoint of ${name(advertiserName)}:`,
      {
        facts: [
          ['Endpoint', name(url)],
          ['Failing since', time(since)],
        ],
      },
      isStopped
        ? 'No event is lost as long as we keep it. When the endpoint works again, resume it: it continues where it stopped.'
        : 'We keep trying, and no event is lost. If the endpoint accepts none within five days of the first failure, we stop.',
      { button: 'Open endpoint', url: consolePage(origin, advertiserId, `/events/endpoints/${endpointId}`) },
    ],
  }),
}
