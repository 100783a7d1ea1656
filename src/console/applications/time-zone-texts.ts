export const timeZoneTexts = {
  title: 'Time zone',
  label: 'Time zone of your company',
  hint: 'Everyone at your company sees the days and times of applications in this zone, and filters by its days.',
  standard: (timeZone: string) => `Standard: ${timeZone}`,
  save: 'Save time zone',
  cancel: 'Cancel',
} as const
