import type { EndpointState } from '../../events/webhooks/ports.ts'
import type { EpochMs } from '../../platform/core/clock.ts'

/** An endpoint that has not received all its events, or receives none. */
export interface LateWebhook {
  id: string
  /** `agent 20000001`, or the ID of a company. */
  owner: string
  /** Its host, without the path, which may contain a secret. */
  url: string
  state: EndpointState
  events: number
  oldestAt: EpochMs | null
  nextTryAt: EpochMs | null
}

export interface BackupSet {
  set: string
  /** Undefined: never finished. */
  rows: number | undefined
  files: number | undefined
  fault: string | undefined
}

export interface BackupState {
  /** The place of automatic backup sets; undefined without BACKUP_URL. */
  place: string | undefined
  /** The last set of each place that was verified by reading it back. */
  verified: { place: string; set: string; at: EpochMs }[]
  /** Newest first; undefined if the place cannot be read. */
  sets: BackupSet[] | undefined
}

export interface SettingInForce {
  name: string
  /** `set` instead of a secret. */
  value: string
  isDefault: boolean
}
