import type { FastifyReply, RouteOptions } from 'fastify'
import type { Board } from '../core/brand/board.ts'
import type { accentsOf } from '../core/brand/colour.ts'
import type { Logo } from '../core/brand/logo.ts'
import { fixedAsset, fixedAssetRoute } from './assets.ts'

declare module 'fastify' {
  interface FastifyInstance {
    board: Board
  }
}

/** The operator's branding settings. */
export interface BoardSettings {
  BOARD_NAME: string
  BOARD_LOGO: Logo | undefined
  BOARD_COLOUR: ReturnType<typeof accentsOf> | undefined
  BOARD_CONTACT: string | undefined
  BOARD_PRIVACY_URL: string | undefined
  BOARD_TERMS_URL: string | undefined
  BOARD_HOME_URL: string | undefined
}

/** The configured board, and the routes of its logo and colours. */
export function openBoard(
  settings: BoardSettings,
  pages: Pick<Board, 'publicPages' | 'suggestedPage'>,
): { board: Board; boardRoutes: RouteOptions[] } {
  const { BOARD_LOGO: logo, BOARD_COLOUR: accents } = settings
  const logoAsset =
    logo && fixedAsset({ name: 'logo', type: logo.type, headers: logoPolicy }, () => logo.bytes)
  const colours =
    accents &&
    fixedAsset({ name: 'board.css', type: 'text/css; charset=utf-8' }, () => Buffer.from(coloursOf(accents)))
  return {
    board: {
      name: settings.BOARD_NAME,
      logoUrl: logoAsset?.url,
      stylesheetUrl: colours?.url,
      contactUrl: settings.BOARD_CONTACT,
      privacyUrl: settings.BOARD_PRIVACY_URL,
      termsUrl: settings.BOARD_TERMS_URL,
      homeUrl: settings.BOARD_HOME_URL,
      ...pages,
    },
    boardRoutes: [logoAsset, colours].filter(each => each !== undefined).map(fixedAssetRoute),
  }
}

/** Policy of a logo opened as a page: allows nothing, not even its own styles. */
export const logoPolicy = { 'content-security-policy': "default-src 'none'; sandbox" }

function coloursOf({ light, dark }: NonNullable<BoardSettings['BOARD_COLOUR']>): string {
  return `:root{--accent:light-dark(${light.accent},${dark.accent});--accent-ink:light-dark(${light.ink},${dark.ink});--accent-soft:light-dark(${light.soft},${dark.soft})}`
}

/** The board's name, to display. */
export const boardName = (reply: FastifyReply): string => reply.server.board.name
