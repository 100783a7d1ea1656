import { t } from '../platform/web/t.ts'

/** Values that `Board` takes besides the settings. */
export const boardPages = {
  publicPages: [
    { path: '/jobs', label: t`Jobs` },
    { path: '/docs', label: t`Developers` },
  ],
  suggestedPage: { path: '/jobs', label: t`See open jobs` },
}
