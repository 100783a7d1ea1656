import type { ReportStore } from '../../jobs/reports/report-store.ts'
import { t } from '../../platform/web/t.ts'
import { type EmailMessage, name } from './email-message.ts'

/** Omits the reporter's own text: the address may be another person's. */
export function reportEmail(
  { id, title, advertiserName, outcome }: NonNullable<Awaited<ReturnType<ReportStore['find']>>>,
  isReceipt: boolean,
  { board, origin }: { board: string; origin: string },
): EmailMessage {
  const job = t`the job ${name(title)} at ${name(advertiserName)}`
  const decision =
    outcome === 'held'
      ? t`We have read your report about ${job} and have taken it off the board.`
      : t`We have read your report about ${job}. We found no reason to take it off the board.`
  return {
    subject: isReceipt ? t`We received your report` : t`We have decided about your report`,
    blocks: [
      isReceipt
        ? t`Thank you. The people who run ${board} will read your report about ${job}. You get an email when they have decided.`
        : decision,
      { facts: [[t`Reference`, id]] },
      { button: t`What happens with reports`, url: `${origin}/about/reports` },
      t`You get this email because this address was entered with a report.`,
    ],
  }
}
