import type { ChangeKind } from '../../model/client-change.ts'
import type { EpochMs } from '../../platform/core/clock.ts'

export type ChangeEnd = 'confirmed' | 'refused' | 'withdrawn'

/** A change that waits for the operator. */
export interface ClientChange {
  id: string
  clientId: string
  kind: ChangeKind
  /** JSON: the redirect URIs, the URL or null, the image in base64 or null. */
  value: string
  requestedBy: string
  requestedAt: EpochMs
}

export type WantedChange =
  | { kind: 'redirect-uris'; uris: readonly string[] }
  | { kind: 'privacy'; url: string | undefined }
  | { kind: 'logo'; bytes: Buffer | undefined }

/** Parses the content of a stored change. */
export function wantedOf({ kind, value }: Pick<ClientChange, 'kind' | 'value'>): WantedChange {
  const wanted = JSON.parse(value) as string[] | string | null
  if (kind === 'redirect-uris') return { kind, uris: wanted as string[] }
  if (kind === 'privacy') return { kind, url: (wanted as string | null) ?? undefined }
  return { kind, bytes: wanted === null ? undefined : Buffer.from(wanted as string, 'base64') }
}
