export type AttentionKind =
  | 'deadMail'
  | 'heldMail'
  | 'unjudged'
  | 'failedTasks'
  | 'stoppedWebhooks'
  | 'failingWebhooks'
  | 'withoutAdmin'
  | 'clientChanges'
  | 'jobReports'
  | 'adReviews'

export interface Attention {
  kind: AttentionKind
  count: number
}

/** Counts items that may need an operator. Each count comes from the service that handles them. */
export function createAttention(deps: {
  mail(): Promise<{ dead: number; held: number }>
  webhooks(): Promise<{ stopped: number; failing: number }>
  unjudged(): Promise<number>
  failedTasks(): Promise<number>
  withoutAdmin(): Promise<number>
  clientChanges(): Promise<number>
  reports(): Promise<{ reports: number; reviews: number }>
}) {
  return async (): Promise<Attention[]> => {
    const [mail, webhooks, unjudged, failedTasks, withoutAdmin, clientChanges, reports] = await Promise.all([
      deps.mail(),
      deps.webhooks(),
      deps.unjudged(),
      deps.failedTasks(),
      deps.withoutAdmin(),
      deps.clientChanges(),
      deps.reports(),
    ])
    const counts: Record<AttentionKind, number> = {
      deadMail: mail.dead,
      heldMail: mail.held,
      unjudged,
      failedTasks,
      stoppedWebhooks: webhooks.stopped,
      failingWebhooks: webhooks.failing,
      withoutAdmin,
      clientChanges,
      jobReports: reports.reports,
      adReviews: reports.reviews,
    }
    return (Object.entries(counts) as [AttentionKind, number][])
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => ({ kind, count }))
  }
}
