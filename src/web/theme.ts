import type { FastifyRequest } from 'fastify'

/** Light or dark, as chosen on a page and remembered by the browser; undefined follows the system. */
export type Theme = 'light' | 'dark'

export function themeOf({ headers }: FastifyRequest): Theme | undefined {
  return /(?:^|;\s*)dossier-theme=(light|dark)(?:;|$)/.exec(headers.cookie ?? '')?.[1] as Theme | undefined
}
