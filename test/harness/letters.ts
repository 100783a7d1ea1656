import type { Notice } from '../../src/model/notice.ts'
import { accountLetters, securityNotices } from '../../src/people/mail/account-texts.ts'
import type { Letter } from '../../src/people/mail/letter.ts'
import { noticeLetters } from '../../src/people/mail/notice-texts.ts'
import type { SentApplication } from '../../src/people/mail/ports.ts'

/** A name that tries to be markup, a header, another line and the end of our words. */
export const hostileName = `</td><img src=x onerror=alert(1)>"'&amp;\r\nBcc: all@example.net\u2028\u202Eevil\u2069${'x'.repeat(500)}`

/** Every kind of email, with this name wherever another person has typed one. */
export function everyLetter(board: string, name: string): Record<string, Letter> {
  const origin = 'https://jobs.example'
  const link = { url: `${origin}/confirm#dli_x`, minutes: 30 }
  const frame = { board, origin, day: () => '30 November 2026', time: () => '16 November 2026 at 10:15 UTC' }
  const sent: SentApplication = {
    ...{ jobTitle: name, jobLocation: name, advertiserName: name, submittedAt: 0, hasAnswers: true },
    ...{ status: 'new', isErased: false },
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
  const notices: { [Kind in Notice['kind']]: Letter } = {
    'application-sent': noticeLetters['application-sent'](sent, { kind: 'application-sent', ...own }, frame),
    'status-changed': noticeLetters['status-changed'](
      sent,
      { kind: 'status-changed', status: 'shortlisted', ...own },
      frame,
    ),
    'application-withdrawn': noticeLetters['application-withdrawn'](
      sent,
      { kind: 'application-withdrawn', ...own },
      frame,
    ),
    'first-disclosure': noticeLetters['first-disclosure'](
      { clientName: name, advertiserName: name },
      { kind: 'first-disclosure', candidateId: 'c', clientId: 'x', advertiserId: 1 },
      frame,
    ),
    'new-applications': noticeLetters['new-applications'](
      { advertiserName: name, count: 6, ads, others: 2 },
      { kind: 'new-applications', candidateId: 'c', advertiserId: 1, firstId: 1, lastId: 6 },
      frame,
    ),
    'webhook-failing': noticeLetters['webhook-failing'](
      { advertiserName: name, url: 'https://ats.example.com/…', since: 0, isGone: false },
      { kind: 'webhook-failing', candidateId: 'c', advertiserId: 1, endpointId: 'e', isStopped: false },
      frame,
    ),
    'candidate-withdrew': noticeLetters['candidate-withdrew'](
      { jobTitle: name, advertiserName: name },
      { kind: 'candidate-withdrew', ...own },
      frame,
    ),
    'retention-shortened': noticeLetters['retention-shortened'](
      { advertiserName: name, months: 6, changesAt: 0 },
      { kind: 'retention-shortened', candidateId: 'c', advertiserId: 1 },
      frame,
    ),
  }
  return {
    confirmation: accountLetters.confirmation(link, board),
    'already-registered': accountLetters['already-registered'](link, board),
    reset: accountLetters.reset(link, board),
    'change-email': accountLetters['change-email'](link, board),
    'password-changed': accountLetters['password-changed'](link, board),
    'account-removed': accountLetters['account-removed']({}, board),
    'email-changing': accountLetters['email-changing'](link, board),
    invitation: accountLetters.invitation(
      { ...link, ownerName: name, role: 'admin', days: 7, isOfAgent: false },
      board,
    ),
    test: accountLetters.test({}, board),
    ...Object.fromEntries(
      (Object.keys(securityNotices) as (keyof typeof securityNotices)[]).map(what => [
        `security ${what}`,
        accountLetters.security({ ...link, what, time: frame.time(), browser: 'Firefox on Linux' }, board),
      ]),
    ),
    ...notices,
  }
}
