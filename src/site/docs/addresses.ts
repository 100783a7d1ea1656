/** Where this service is, and whether what the guides print can be run against it. */
export interface DeskAddresses {
  baseUrl: string
  authUrl: string
  isDemo: boolean
}

/** The address that all guides and samples print: that of `npm start`. */
const printed = 'http://localhost:8080'

/** In the demo, what is printed runs as it stands, also on another port. Elsewhere it stays the demo's. */
export function placed(text: string, { baseUrl, authUrl, isDemo }: DeskAddresses): string {
  if (!isDemo) return text
  return text
    .replaceAll(`${printed}/api/iam`, `${authUrl}/api/iam`)
    .replaceAll(`${printed}/.well-known`, `${authUrl}/.well-known`)
    .replaceAll(printed, baseUrl)
}
