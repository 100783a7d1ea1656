export interface BoardPage {
  path: string
  label: string
}

/** How the operator presents the service: the name, and the addresses of content that the settings add to the pages. */
export interface Board {
  name: string
  logoUrl?: string | undefined
  /** The operator's colour, as a stylesheet. */
  stylesheetUrl?: string | undefined
  contactUrl?: string | undefined
  privacyUrl?: string | undefined
  termsUrl?: string | undefined
  homeUrl?: string | undefined
  /** The public pages to which every header links. */
  publicPages: readonly BoardPage[]
  /** The page that a not-found page suggests, besides the home page. */
  suggestedPage: BoardPage
}

/** The default, without a brand. */
export const plainBoard = { name: 'Dossier' }
