/** Names of the account's tabs. */
export const accountNavigationTexts = {
  profile: 'Profile',
  resumes: 'Resumes',
  applications: 'Applications',
  sharing: 'Who has my data',
  security: 'Sign-in and security',
  data: 'Your data',
} as const
