export interface BoardPage {
  path: string
  label: string
}

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
  /** The pages for everyone, which every header leads to. */
  publicPages: readonly BoardPage[]
  /** The page that a missing one suggests, besides the home page. */
  suggestedPage: BoardPage
}

/** Without a brand. */
export const plainBoard = { name: 'Dossier' }
