/** The tabs of the account. */
export const accountNavigationTexts = {
  profile: 'Profile',
  resumes: 'Resumes',
  applications: 'Applications',
  sharing: 'Who has my data',
  security: 'Sign-in and security',
  data: 'Your data',
} as const
