import type { ReportStore } from '../../jobs/reports/report-store.ts'
import type { DeliveryHandler } from '../../platform/work/delivery-ports.ts'
import type { ConsumeEmailQuota } from './ports.ts'
import type { Post } from './post-service.ts'
import { reportEmail } from './report-texts.ts'

/** Sends the receipt of a report, and the answer after the decision, to reporters who left an address. */
export function createReportHandlers(deps: {
  reports: Pick<ReportStore, 'find'>
  post: Pick<Post, 'send'>
  mayMail: ConsumeEmailQuota
  board: string
  authUrl(): string
}): Record<'report-received' | 'report-decided', DeliveryHandler> {
  const handler: DeliveryHandler = {
    async deliver({ id, kind, content, attempt }) {
      const report = await deps.reports.find(JSON.parse(content).reportId)
      if (report === undefined || report.email === null) return { outcome: 'dropped' }
      const isReceipt = kind === 'report-received'
      if (!isReceipt && report.outcome === null) return { outcome: 'dropped' }
      // A stranger may have entered the address: see `mayMail`.
      if (attempt === 1 && !(await deps.mayMail(`report ${report.email}`))) return { outcome: 'dropped' }
      const message = reportEmail(report, isReceipt, { board: deps.board, origin: deps.authUrl() })
      return deps.post.send(id, report.email, message)
    },
  }
  return { 'report-received': handler, 'report-decided': handler }
}
