import type { ReportStore } from '../../jobs/reports/report-store.ts'
import { type EmailMessage, name } from './email-message.ts'

/** Omits the reporter's own text: the address may be another person's. */
export function reportEmail(
  { id, title, advertiserName, outcome }: NonNullable<Awaited<ReturnType<ReportStore['find']>>>,
  isReceipt: boolean,
  { board, origin }: { board: string; origin: string },
): EmailMessage {
  const job = `the job ${name(title)} at ${name(advertiserName)}`
  const decision =
    outcome === 'held'
      ? `We have read your report about ${job} and have taken it off the board.`
      : `We have read your report about ${job}. We found no reason to take it off the board.`
  return {
    subject: isReceipt ? 'We received your report' : 'We have decided about your report',
    blocks: [
      isReceipt
        ? `Thank you. The people who run ${board} will read your report about ${job}. You get an email when they have decided.`
        : decision,
      { facts: [['Reference', id]] },
      { button: 'What happens with reports', url: `${origin}/about/reports` },
      'You get this email because this address was entered with a report.',
    ],
  }
}
