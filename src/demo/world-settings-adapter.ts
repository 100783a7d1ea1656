import { fileURLToPath } from 'node:url'
import type { WorldName } from './world-names.ts'

/** Settings of a world, used where the environment has none. */
export const worldSettings: Record<WorldName, Readonly<Record<string, string>>> = {
  australia: {},
  berlin: {
    BOARD_NAME: 'Spree Jobs',
    BOARD_COLOUR: '#7b2233',
    BOARD_COUNTRY: 'DE',
    BOARD_LOCALE: 'en-DE',
    TIME_ZONE: 'Europe/Berlin',
    AD_RULES: 'eu',
    CONSENT_PRETICKED: 'false',
    LISTS_DIR: fileURLToPath(new URL('world/berlin/lists', import.meta.url)),
  },
}
