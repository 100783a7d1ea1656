export const consoleTexts = {
  tabs: {
    applications: 'Applications',
    jobs: 'Job ads',
    screens: 'Questionnaires',
    access: 'API access',
    people: 'People',
  },
  /** From a page that says what went wrong. */
  ways: { applications: 'Applications', people: 'People, and who the admins are' },
  workplaces: 'The advertisers that you work for',
} as const
