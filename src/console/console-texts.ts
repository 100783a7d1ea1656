export const consoleTexts = {
  tabs: {
    applications: 'Applications',
    jobs: 'Job ads',
    screens: 'Questionnaires',
    access: 'API access',
    people: 'People',
  },
} as const
