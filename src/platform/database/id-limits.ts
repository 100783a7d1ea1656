/**
 * Limit: IDs skipped on PostgreSQL after a failover or a restored backup, which may have lost assigned IDs. At a
 * thousand applications per second, a standby that lags by a minute loses fewer than this.
 */
export const idsRaisedBy = 100_000

/** Limit: The most IDs that "dossier ids raise" skips: it cannot be undone, and no board has lost that many. */
export const maxIdsRaised = 1_000_000_000
