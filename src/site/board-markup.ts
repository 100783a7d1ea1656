/** Values that `Board` takes besides the settings. */
export const boardPages = {
  publicPages: [
    { path: '/jobs', label: 'Jobs' },
    { path: '/docs', label: 'Developers' },
  ],
  suggestedPage: { path: '/jobs', label: 'See open jobs' },
}
