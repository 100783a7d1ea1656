/** Items made with keys that this machine does not have. */
export interface MissingKeys {
  /** The recorded fingerprint, if the key is missing. */
  webhookKey: string | undefined
  /** Endpoints not yet paused for this. */
  endpoints: number
  secretsKeys: string[]
  apps: number
}
