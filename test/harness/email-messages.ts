import type { Notice } from '../../src/model/notice.ts'
import { accountEmails, securityNotices } from '../../src/people/mail/account-texts.ts'
import type { EmailMessage } from '../../src/people/mail/email-message.ts'
import { noticeEmails } from '../../src/people/mail/notice-texts.ts'
import type { SentApplication } from '../../src/people/mail/ports.ts'

/** A name that tries to be markup, a header, another line and the end of our words. */
export const hostileName = `</td><img src=x onerror=alert(1)>"'&amp;\r\nBcc: all@example.net\u2028\u202Eevil\u2069${'x'.repeat(500)}`

/** Every kind of email, with this name wherever another person has typed one. */
export function everyEmailMessage(board: string, name: string): Record<string, EmailMessage> {
  const origin = 'https://jobs.example'
  const link = { url: `${origin}/confirm#dli_x`, minutes: 30 }
  const frame = { board, origin, day: () => '30 November 2026', time: () => '16 November 2026 at 10:15 UTC' }
  const sent: SentApplication = {
    jobTitle: name,
    jobLocation: name,
    advertiserName: name,
    submittedAt: 0,
    hasAnswers: true,
    status: 'new',
    isErased: false,
    keptUntil: '2027-05-31',
    files: [
      { type: 'resume', fileName: name },
      { type: 'coverLetter', fileName: name },
    ],
  }
  const own = { candidateId: 'c', advertiserId: 10000001, applicationId: 4711 }
  const ads = [
    { jobTitle: name, count: 3 },
    { jobTitle: null, count: 1 },
  ]
  const notices: { [Kind in Notice['kind']]: EmailMessage } = {
    'application-sent': noticeEmails['application-sent'](sent, { kind: 'application-sent', ...own }, frame),
    'status-changed': noticeEmails['status-changed'](
      sent,
      { kind: 'status-changed', status: 'shortlisted', ...own },
      frame,
    ),
    'application-withdrawn': noticeEmails['application-withdrawn'](
      sent,
      { kind: 'application-withdrawn', ...own },
      frame,
    ),
    'keep-ending': noticeEmails['keep-ending'](
      { ...sent, keptUntil: '2027-05-31' },
      { kind: 'keep-ending', ...own },
      frame,
    ),
    'first-disclosure': noticeEmails['first-disclosure'](
      { clientName: name, advertiserName: name },
      { kind: 'first-disclosure', candidateId: 'c', clientId: 'x', advertiserId: 1 },
      frame,
    ),
    'new-applications': noticeEmails['new-applications'](
      { advertiserName: name, count: 6, ads, others: 2, withdrawn: [{ id: 3, jobTitle: name }] },
      {
        kind: 'new-applications',
        candidateId: 'c',
        advertiserId: 1,
        firstId: 1,
        lastId: 6,
        withdrawals: 2,
      },
      frame,
    ),
    'webhook-failing': noticeEmails['webhook-failing'](
      {
        ownerName: name,
        url: 'https://ats.example.com/…',
        since: 0,
        isGone: false,
        isKeyLost: false,
        givenUp: null,
      },
      { kind: 'webhook-failing', candidateId: 'c', advertiserId: 1, endpointId: 'e', isStopped: false },
      frame,
    ),
    'retention-shortened': noticeEmails['retention-shortened'](
      { advertiserName: name, months: 6, changesAt: 0 },
      { kind: 'retention-shortened', candidateId: 'c', advertiserId: 1 },
      frame,
    ),
  }
  return {
    confirmation: accountEmails.confirmation(link, board),
    'already-registered': accountEmails['already-registered'](link, board),
    reset: accountEmails.reset(link, board),
    'sign-in-code': accountEmails['sign-in-code']({ code: '012345', minutes: 10 }, board),
    'no-code': accountEmails['no-code'](link, board),
    'change-email': accountEmails['change-email'](link, board),
    'password-changed': accountEmails['password-changed'](link, board),
    'account-removed': accountEmails['account-removed']({}, board),
    'email-changed': accountEmails['email-changed']({}, board),
    'email-changed, to undo': accountEmails['email-changed']({ undoUrl: link.url }, board),
    'password-changed, to undo': accountEmails['password-changed'](
      { url: link.url, undoUrl: `${origin}/undo#dli_x` },
      board,
    ),
    'change-undone': accountEmails['change-undone']({ isFormer: false }, board),
    'change-undone, to the former': accountEmails['change-undone']({ isFormer: true }, board),
    'email-changing': accountEmails['email-changing'](link, board),
    invitation: accountEmails.invitation(
      { ...link, ownerName: name, role: 'admin', days: 7, isOfAgent: false },
      board,
    ),
    test: accountEmails.test({}, board),
    ...Object.fromEntries(
      (Object.keys(securityNotices) as (keyof typeof securityNotices)[]).map(what => [
        `security ${what}`,
        accountEmails.security({ ...link, what, time: frame.time(), browser: 'Firefox on Linux' }, board),
      ]),
    ),
    ...notices,
  }
}
