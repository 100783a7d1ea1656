export const consoleTexts = {
  tabs: {
    applications: 'Applications',
    jobs: 'Job ads',
    screens: 'Questionnaires',
    access: 'API access',
    people: 'People',
  },
  /** Links on an error page. */
  ways: { applications: 'Applications', people: 'See who the admins are' },
  workplaces: 'Your companies',
} as const
