/** Numbers of items ended, held, erased or revoked again. */
export interface ReconcileReport {
  /** Numbers by table. */
  ended: Record<string, number>
  heldMails: number
  /** Numbers by kind of tombstone. */
  again: Record<string, number>
}

/** Describes the work of the reconciliation, one line for each kind. */
export function describeReconciled({ ended, heldMails, again }: ReconcileReport, by: number): string[] {
  const emails = heldMails === 1 ? '1 email' : `${heldMails} emails`
  return [
    `Skipped at least ${by} IDs of each kind. Followers and webhooks get "stream.restored".`,
    ...Object.entries(ended).map(([table, count]) => `Ended: ${count} in ${table}.`),
    ...(heldMails === 0 ? [] : [`Held: ${emails}. "dossier mail retry --held" sends them.`]),
    ...Object.entries(again).map(([kind, count]) => `Erased or revoked again: ${count} (${kind}).`),
  ]
}
