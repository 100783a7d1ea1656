/** What was made with keys that this machine does not have. */
export interface MissingKeys {
  /** The recorded fingerprint, if the key is missing. */
  webhookKey: string | undefined
  /** Endpoints that are not paused for it yet. */
  endpoints: number
  secretsKeys: string[]
  apps: number
}
