import type { Navigation, NavigationLink } from '../../platform/web/layout.ts'

const texts = {
  profile: 'Profile',
  resumes: 'Resumes',
  applications: 'Applications',
  sharing: 'Who has my data',
  notifications: 'Email notifications',
  security: 'Sign-in and security',
  data: 'Your data',
} as const

const accountPages: readonly NavigationLink[] = [
  { path: '/account', label: texts.profile, icon: 'person' },
  { path: '/account/resumes', label: texts.resumes, icon: 'document' },
  { path: '/account/applications', label: texts.applications, icon: 'send' },
  { path: '/account/sharing', label: texts.sharing, icon: 'eye' },
  { path: '/account/notifications', label: texts.notifications, icon: 'mail' },
  { path: '/account/security', label: texts.security, icon: 'shield' },
  { path: '/account/data', label: texts.data, icon: 'download' },
]

/** The tabs shown on every account page. */
export function accountNavigation(current: string): Navigation {
  return { area: 'Account', pages: accountPages, current }
}
