/** The URLs of this service, and whether the examples of the guides run against it. */
export interface DocsAddresses {
  baseUrl: string
  authUrl: string
  isDemo: boolean
}

/** The origin printed in all guides and samples, which is that of `npm start`. */
const printed = 'http://localhost:8080'

/** Replaces the printed origin by the demo's own, so that examples work on any port. Elsewhere it stays unchanged. */
export function placed(text: string, { baseUrl, authUrl, isDemo }: DocsAddresses): string {
  if (!isDemo) return text
  return text
    .replaceAll(`${printed}/api/iam`, `${authUrl}/api/iam`)
    .replaceAll(`${printed}/.well-known`, `${authUrl}/.well-known`)
    .replaceAll(printed, baseUrl)
}
