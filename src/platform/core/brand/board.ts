/** How the operator presents the service: the name, and the addresses of what the settings add to the pages. */
export interface Board {
  name: string
  logoUrl?: string | undefined
  /** The operator's colour, as a stylesheet. */
  stylesheetUrl?: string | undefined
  contactUrl?: string | undefined
  privacyUrl?: string | undefined
  termsUrl?: string | undefined
  homeUrl?: string | undefined
}

export const plainBoard: Board = { name: 'Dossier' }
