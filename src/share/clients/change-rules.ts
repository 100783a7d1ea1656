import type { ClientChange } from './change-ports.ts'

export type WantedChange =
  | { kind: 'redirect-uris'; uris: readonly string[] }
  | { kind: 'privacy'; url: string | undefined }
  | { kind: 'logo'; bytes: Buffer | undefined }

/** What a stored change asks for. */
export function wantedOf({ kind, value }: Pick<ClientChange, 'kind' | 'value'>): WantedChange {
  const wanted = JSON.parse(value) as string[] | string | null
  if (kind === 'redirect-uris') return { kind, uris: wanted as string[] }
  if (kind === 'privacy') return { kind, url: (wanted as string | null) ?? undefined }
  return { kind, bytes: wanted === null ? undefined : Buffer.from(wanted as string, 'base64') }
}
