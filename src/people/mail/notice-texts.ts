import { isDocument } from '../../model/application.ts'
import { type ApplicationStatus, candidateStatusLabels } from '../../model/application-status.ts'
import type { Notice } from '../../model/notice.ts'
import { dateText } from '../../platform/core/locale.ts'
import { t } from '../../platform/web/t.ts'
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
  resume: t`Resume`,
  coverLetter: t`Cover letter`,
  selectionCriteria: t`Selection criteria`,
} as const

const jobAt = ({ jobTitle, advertiserName }: SentApplication) =>
  t`${name(jobTitle)} at ${name(advertiserName)}`

function receiptOf(sent: SentApplication, applicationId: number, { time }: NoticeFrame): Fact[] {
  return [
    [t`Job`, name(sent.jobTitle)],
    [t`Company`, name(sent.advertiserName)],
    ...(sent.jobLocation === '' ? [] : [[t`Location`, name(sent.jobLocation)] as const]),
    [t`Sent`, time(sent.submittedAt)],
    [t`Reference number`, String(applicationId)],
    ...sent.files.map(
      ({ type, fileName }) => [isDocument(type) ? fileLabels[type] : t`File`, name(fileName)] as const,
    ),
    ...(sent.hasAnswers ? [[t`Questions`, t`Answered`] as const] : []),
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

const newOnes = (count: number) => inNumbers(count, t`new application`, t`new applications`)

const titleOf = (jobTitle: string | null) =>
  jobTitle === null ? t`for a job that isn’t advertised here` : name(jobTitle)

function perAd({ ads, others }: NewApplications): Fact[] {
  return [
    ...ads.map(({ jobTitle, count }): Fact => [String(count), titleOf(jobTitle)]),
    ...(others === 0 ? [] : [[String(others), t`for other jobs`] as const]),
  ]
}

function withdrawnFacts(withdrawn: NewApplications['withdrawn'], withdrawals: number): Fact[] {
  const others = withdrawals - withdrawn.length
  return [
    ...withdrawn.map(({ id, jobTitle }): Fact => [t`Application ${id}`, titleOf(jobTitle)]),
    ...(others === 0 ? [] : [[t`Others`, String(others)] as const]),
  ]
}

/** Emails about events of an application or of a candidate's data. Emails to companies name no candidate. */
export const noticeEmails: Writers = {
  'application-sent': (sent, { applicationId }, frame) => ({
    subject: t`Application sent: ${name(sent.jobTitle)}`,
    blocks: [
      t`${name(sent.advertiserName)} has received your application. This is what you sent:`,
      { facts: receiptOf(sent, applicationId, frame) },
      { button: t`View application`, url: ownPage(frame.origin, applicationId) },
      t`There you can also follow its status and withdraw it.`,
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
    subject: t`Application withdrawn: ${name(sent.jobTitle)}`,
    blocks: [
      t`You’ve withdrawn your application for ${jobAt(sent)}. The company sees that it was withdrawn, and your personal details will be removed from it.`,
      { button: t`View application`, url: ownPage(origin, applicationId) },
      t`If this wasn’t you, change your password.`,
    ],
  }),

  'keep-ending': (sent, { applicationId }, { origin }) => ({
    subject: t`${name(sent.advertiserName)} may soon no longer keep your application for other jobs`,
    blocks: [
      t`You let ${name(sent.advertiserName)} keep your application for ${name(sent.jobTitle)} for other jobs until ${dateText(Date.parse(sent.keptUntil), { dateStyle: 'long', timeZone: 'UTC' })}. After that, it is kept no longer than any other.`,
      t`You need to do nothing. If you want to end this earlier, you can do so on the page of the application.`,
      { button: t`View application`, url: ownPage(origin, applicationId) },
    ],
  }),

  'first-disclosure': ({ clientName, advertiserName }, _, { board, origin }) => ({
    subject: t`${name(clientName)} has received data from your profile`,
    blocks: [
      advertiserName === null
        ? t`${name(clientName)} has received data from your profile at ${board} for the first time, as you allowed.`
        : t`${name(clientName)} has received data from your profile at ${board} for the first time, as you allowed, for an application to ${name(advertiserName)}.`,
      t`You can see what it received, and end its access at any time.`,
      { button: t`See who has my data`, url: `${origin}/account/sharing` },
      t`If you didn’t allow this, end the access there and change your password.`,
    ],
  }),

  'new-applications': (found, { advertiserId, withdrawals = 0 }, { origin }) => {
    const company = name(found.advertiserName)
    const [only] = found.withdrawn
    const isOnlyOne = found.count === 0 && withdrawals === 1 && only !== undefined
    return {
      subject: isOnlyOne
        ? t`Application ${only.id} was withdrawn`
        : found.count === 0
          ? t`${withdrawals} applications to ${company} were withdrawn`
          : t`${newOnes(found.count)} for ${company}`,
      blocks: [
        ...(found.count === 0
          ? []
          : [t`${company} has received ${newOnes(found.count)}:`, { facts: perAd(found) }]),
        ...(withdrawals === 0
          ? []
          : [
              t`Candidates have withdrawn ${inNumbers(withdrawals, t`application`, t`applications`)} to ${company}. Their personal details will be removed:`,
              { facts: withdrawnFacts(found.withdrawn, withdrawals) },
            ]),
        {
          button: isOnlyOne ? t`View application` : t`View applications`,
          url: consolePage(origin, advertiserId, `/applications${isOnlyOne ? `/${only.id}` : ''}`),
        },
      ],
    }
  },

  'retention-shortened': ({ advertiserName, months, changesAt }, { advertiserId }, { origin, day }) => ({
    subject: t`${name(advertiserName)} will keep applications for a shorter time`,
    blocks: [
      t`The time for which ${name(advertiserName)} keeps applications has been shortened to ${inNumbers(months, t`month`, t`months`)} after they were sent.`,
      t`The change takes effect on ${day(changesAt)}. From then on, older applications are erased: names, contact details, answers and files are removed for good. Until then, an admin can see what will be erased, and take back what the company has chosen.`,
      { button: t`Open console`, url: consolePage(origin, advertiserId, '') },
    ],
  }),

  'webhook-failing': ({ ownerName, url, since, isGone, isKeyLost, givenUp }, notice, { origin, time }) => {
    const { endpointId, isStopped } = notice
    const button = {
      button: t`Open endpoint`,
      url:
        'agentId' in notice
          ? `${origin}/agent/${notice.agentId}/webhooks/endpoints/${endpointId}`
          : consolePage(origin, notice.advertiserId, `/events/endpoints/${endpointId}`),
    }
    return {
      subject: givenUp
        ? t`${inNumbers(givenUp.events, t`event`, t`events`)} could not be delivered to ${name(ownerName)}`
        : isStopped
          ? t`Webhooks of ${name(ownerName)} have stopped`
          : t`Webhooks of ${name(ownerName)} are failing`,
      blocks: givenUp
        ? [
            t`We have stopped trying to send ${inNumbers(givenUp.events, t`event`, t`events`)} to this endpoint of ${name(ownerName)}. It rejected every attempt of several days, and accepted other events:`,
            {
              facts: [
                [t`Endpoint`, name(url)],
                [t`Last failure`, time(givenUp.lastAt)],
              ],
            },
            t`The endpoint’s page shows the answers. Once your program accepts these events, press “Send again what was set aside”. We keep them for as long as other events.`,
            button,
          ]
        : [
            isKeyLost
              ? t`We no longer send events to this endpoint of ${name(ownerName)}, because this service was restored without the key that signs them:`
              : isStopped
                ? isGone
                  ? t`We no longer send events to this endpoint of ${name(ownerName)}, because it answered that it is gone for good:`
                  : t`We no longer send events to this endpoint of ${name(ownerName)}, because it has not accepted one for five days:`
                : t`We can’t deliver events to this endpoint of ${name(ownerName)}:`,
            {
              facts: [
                [t`Endpoint`, name(url)],
                [isKeyLost ? t`Paused` : t`Failing since`, time(since)],
              ],
            },
            isKeyLost
              ? t`No event is lost as long as we keep it. Make a new secret for the endpoint, give it to your receiver, and resume it.`
              : isStopped
                ? t`No event is lost as long as we keep it. When the endpoint works again, resume it: it continues where it stopped.`
                : t`We keep trying, and no event is lost. If the endpoint accepts none within five days of the first failure, we stop.`,
            button,
          ],
    }
  },
}
